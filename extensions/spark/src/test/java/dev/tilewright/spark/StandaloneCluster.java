package dev.tilewright.spark;

import java.nio.file.Path;
import org.apache.spark.SparkConf;
import org.apache.spark.deploy.master.Master$;
import org.apache.spark.deploy.worker.Worker$;
import org.apache.spark.rpc.RpcEnv;
import scala.Option;
import scala.Tuple3;

/**
 * A standalone cluster's master and two workers, in this process; each worker has a host name of its own, as Spark runs
 * speculative twins on other hosts alone. Executors are processes.
 */
public final class StandaloneCluster implements AutoCloseable {
    private static final int CORES = 2;
    private static final int MEGABYTES = 1024;

    private final RpcEnv master;
    private final RpcEnv[] workers = new RpcEnv[2];

    /** @param folder of what executors leave */
    public StandaloneCluster(Path folder) {
        SparkConf conf = new SparkConf(false);
        Tuple3<RpcEnv, Object, Option<Object>> started = Master$.MODULE$.startRpcEnvAndEndpoint("127.0.0.1", 0, 0,
                conf);
        master = started._1();
        for (int i = 0; i < workers.length; i++) {
            workers[i] = Worker$.MODULE$.startRpcEnvAndEndpoint("127.0.0." + (i + 2), 0, 0, CORES, MEGABYTES,
                    new String[] {url()}, folder.resolve("worker" + i).toString(), Option.apply(i), conf,
                    Option.empty());
        }
    }

    /** Its address for applications. */
    public String url() {
        return "spark://127.0.0.1:" + master.address().port();
    }

    @Override
    public void close() {
        for (RpcEnv worker : workers) {
            worker.shutdown();
        }
        master.shutdown();
        for (RpcEnv worker : workers) {
            worker.awaitTermination();
        }
        master.awaitTermination();
    }
}

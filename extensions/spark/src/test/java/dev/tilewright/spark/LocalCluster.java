package dev.tilewright.spark;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import org.apache.spark.SparkConf;

/** Clusters on this machine whose executors are processes with this one's classes and flags. */
public final class LocalCluster {
    private LocalCluster() { }

    /** @param master such as {@code local-cluster[2,1,512]}, or that of a cluster on this machine */
    public static SparkConf conf(String master) throws IOException {
        // Executors want a folder of Spark's jars in SPARK_HOME; all that they load comes by their class path.
        Files.createDirectories(Path.of(System.getenv("SPARK_HOME"), "jars"));
        return new SparkConf(false).setMaster(master).setAppName("cluster").set("spark.ui.enabled", "false")
                .set("spark.driver.host", "localhost").set("spark.driver.bindAddress", "127.0.0.1")
                .set("spark.executor.memory", "512m").set("spark.executor.extraJavaOptions", flags())
                .set("spark.executor.extraClassPath", classPath()).set("spark.tilewright.device", "auto");
    }

    /** The flags that this process was started with, as far as executors may have them. */
    public static String flags() {
        String flags = ManagementFactory.getRuntimeMXBean().getInputArguments().stream().filter(flag ->
                flag.startsWith("--") || flag.startsWith("-XX:") || flag.startsWith("-Dio.netty"))
                .collect(Collectors.joining(" "));
        if (!flags.contains("--add-opens")) {
            throw new IllegalStateException("this process was started without the flags of docs/spark.md: " + flags);
        }
        return flags;
    }

    public static String classPath() {
        return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    }

    /** How many executors that this process has started are still there. */
    public static long executors() {
        return ProcessHandle.current().descendants().filter(LocalCluster::isExecutor).count();
    }

    private static boolean isExecutor(ProcessHandle process) {
        try {
            return process.isAlive() && Files.readString(Path.of("/proc", Long.toString(process.pid()), "cmdline"))
                    .contains("CoarseGrainedExecutorBackend");
        } catch (IOException e) {
            // It has just ended.
            return false;
        }
    }
}

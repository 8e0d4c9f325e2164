package dev.tilewright.spark.compile;

import dev.tilewright.gpu.compile.Compilation;
import dev.tilewright.gpu.compile.KernelCompiler;
import dev.tilewright.gpu.compile.RemoteCompiler;
import dev.tilewright.ptx.Target;
import java.io.Serializable;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.spark.SparkEnv;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.util.RpcUtils;
import scala.reflect.ClassTag$;

/**
 * The driver's NVRTC as an executor has it: it is asked for what the executor's disk does not have.
 *
 * @param version the version of that NVRTC
 * @param identity what stands for it in the cache's keys
 */
public record DriverCompiler(String version, String identity) implements RemoteCompiler, Serializable {

    /** What compiles the kernels of this executor. @param notes is told what stands in the way */
    public KernelCompiler onExecutor(Consumer<String> notes) {
        return KernelCompiler.compiledBy(this, notes);
    }

    /** The driver answers with a broadcast variable, which executors fetch from each other. */
    @Override
    @SuppressWarnings("unchecked") // as the endpoint replies
    public Compilation compile(String source, String kernelName, Target target, List<String> options) {
        SparkEnv environment = SparkEnv.get();
        String[] request = Stream.concat(Stream.of(kernelName, target.toString(), source), options.stream())
                .toArray(String[]::new);
        Object[] reply = RpcUtils.makeDriverRef(KernelEndpoint.NAME, environment.conf(), environment.rpcEnv())
                .askSync(request, ClassTag$.MODULE$.apply(Object[].class));
        return new Compilation(((Broadcast<byte[]>) reply[0]).value(), List.of((String[]) reply[1]));
    }
}

package dev.tilewright.spark.compile;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.Progress;
import dev.tilewright.gpu.compile.KernelCompiler;
import dev.tilewright.gpu.compile.Nvrtc;
import java.util.Map;
import java.util.Optional;
import java.util.WeakHashMap;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The driver's part in compiling kernels: for a cluster's executors, once for all, without a GPU of its own. */
public final class DriverKernels {
    private static final Logger LOG = LoggerFactory.getLogger("dev.tilewright.spark");
    /** By application. */
    private static final Map<SparkContext, DriverKernels> ALL = new WeakHashMap<>();

    private final Optional<DriverCompiler> compiler;
    private final KernelEndpoint endpoint;

    private DriverKernels(SparkContext context) {
        KernelCompiler own = KernelCompiler.cachingForUser(Progress.NONE, LOG::warn);
        Optional<DriverCompiler> found;
        try {
            Nvrtc nvrtc = own.nvrtc();
            found = Optional.of(new DriverCompiler(nvrtc.version(), nvrtc.identity()));
        } catch (MissingRequirementException e) {
            LOG.warn("each executor compiles its kernels itself, as the driver cannot: {}", e.getMessage());
            found = Optional.empty();
        }
        compiler = found;
        endpoint = new KernelEndpoint(new JavaSparkContext(context), own);
        if (compiler.isPresent()) {
            context.env().rpcEnv().setupEndpoint(KernelEndpoint.NAME, endpoint);
        }
    }

    /** What its executors compile with; null where they do it themselves, as in local modes, or have to. */
    public static DriverCompiler of(SparkContext context) {
        return context.isLocal() ? null : serving(context).compiler.orElse(null);
    }

    /** How many kernels an application's driver has compiled, or found on its disk, for executors. */
    public static int kernels(SparkContext context) {
        return serving(context).endpoint.kernels();
    }

    /** How often executors have asked for them. */
    public static int asked(SparkContext context) {
        return serving(context).endpoint.asked();
    }

    private static synchronized DriverKernels serving(SparkContext context) {
        return ALL.computeIfAbsent(context, DriverKernels::new);
    }
}

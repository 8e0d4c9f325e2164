package dev.tilewright.spark.compile;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.Progress;
import dev.tilewright.gpu.compile.KernelCompiler;
import dev.tilewright.gpu.compile.Nvrtc;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerApplicationEnd;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The driver's part in compiling kernels: for a cluster's executors, once for all, without a GPU of its own. */
public final class DriverKernels {
    private static final Logger LOG = LoggerFactory.getLogger("dev.tilewright.spark");
    /** By application, until that ends; empty where the driver has no compiler. */
    private static final Map<SparkContext, Optional<KernelEndpoint>> ALL = new HashMap<>();

    private DriverKernels() { }

    /** What its executors compile with; null where they do it themselves, as in local modes, or have to. */
    public static DriverCompiler of(SparkContext context) {
        return context.isLocal() ? null : serving(context).map(KernelEndpoint::compiler).orElse(null);
    }

    /** How many kernels an application's driver has compiled, or found on its disk, for executors. */
    public static int kernels(SparkContext context) {
        return serving(context).map(KernelEndpoint::kernels).orElse(0);
    }

    /** How often executors have asked for them. */
    public static int asked(SparkContext context) {
        return serving(context).map(KernelEndpoint::asked).orElse(0);
    }

    private static Optional<KernelEndpoint> serving(SparkContext context) {
        synchronized (ALL) {
            return ALL.computeIfAbsent(context, _ -> {
                Optional<KernelEndpoint> endpoint = compiler().map(own -> new KernelEndpoint(
                        new JavaSparkContext(context), own));
                endpoint.ifPresent(one -> context.env().rpcEnv().setupEndpoint(KernelEndpoint.NAME, one));
                context.addSparkListener(new SparkListener() {
                    @Override
                    public void onApplicationEnd(SparkListenerApplicationEnd end) {
                        forget(context);
                    }
                });
                return endpoint;
            });
        }
    }

    private static void forget(SparkContext context) {
        synchronized (ALL) {
            ALL.remove(context);
        }
    }

    /** This process's compiler; where there is none, that is said, once for each application. */
    static Optional<KernelCompiler> compiler() {
        try {
            KernelCompiler own = KernelCompiler.cachingForUser(Progress.NONE, LOG::warn);
            Nvrtc nvrtc = own.nvrtc();
            LOG.info("kernels are compiled here, for all executors, by {}", nvrtc);
            return Optional.of(own);
        } catch (MissingRequirementException e) {
            LOG.warn("each executor compiles its kernels itself, as the driver cannot: {}", e.getMessage());
            return Optional.empty();
        }
    }
}

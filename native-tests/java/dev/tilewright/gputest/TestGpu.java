package dev.tilewright.gputest;

import dev.tilewright.Progress;
import dev.tilewright.emit.EmitOptions;
import dev.tilewright.gpu.CudaDriver;
import dev.tilewright.gpu.Devices;
import dev.tilewright.gpu.EncoderChoice;
import dev.tilewright.gpu.KernelCompiler;
import dev.tilewright.gpu.Nvrtc;
import dev.tilewright.ptx.Target;
import org.junit.jupiter.api.Assumptions;

/** The GPU that tests run on; where there is none, or too old a one, tests are skipped with that reason. */
final class TestGpu {
    private static final Devices DEVICES = Devices.probe();
    /** A driver is used by one thread at a time, and tests run on several. The process's end closes them. */
    private static final ThreadLocal<CudaDriver> DRIVERS =
            ThreadLocal.withInitial(() -> open(EncoderChoice.configured(DEVICES.require(0).target())));

    private TestGpu() {
    }

    /** The first GPU, with waits that give up instead of hanging. Skips the test where it does not reach the target. */
    static CudaDriver atLeast(Target minimum) {
        Assumptions.assumeFalse(DEVICES.list().isEmpty(), () -> "no GPU: " + DEVICES.why());
        Target target = DEVICES.list().getFirst().target();
        Assumptions.assumeTrue(target.supports(minimum),
                () -> DEVICES.list().getFirst().name() + " is " + target + ", this needs " + minimum);
        return DRIVERS.get();
    }

    /** The first GPU where its compute capability is 9.x: Java knows the layout of a tensor map there alone. */
    static CudaDriver hopper() {
        CudaDriver driver = atLeast(Target.SM_90);
        Assumptions.assumeTrue(driver.target().major() == 9,
                () -> driver.name() + " is " + driver.target() + ", this needs sm_90");
        return driver;
    }

    /** A driver of its own for the first GPU, with waits that give up instead of hanging. The caller closes it. */
    static CudaDriver open(EncoderChoice choice) {
        return open(choice, EmitOptions.BOUNDED);
    }

    /** The same with waits as the options say. */
    static CudaDriver open(EncoderChoice choice, EmitOptions emitOptions) {
        return CudaDriver.open(DEVICES, 0, KernelCompiler.cachingForUser(Nvrtc.find(Progress.NONE), System.err::println),
                emitOptions, choice);
    }
}

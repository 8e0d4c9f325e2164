package dev.tilewright.gputest;

import dev.tilewright.Progress;
import dev.tilewright.emit.EmitOptions;
import dev.tilewright.gpu.EncoderChoice;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.compile.KernelCompiler;
import dev.tilewright.gpu.compile.Nvrtc;
import dev.tilewright.gpu.device.Devices;
import dev.tilewright.ptx.Target;
import org.junit.jupiter.api.Assumptions;
import org.opentest4j.TestAbortedException;

/** The GPU that tests run on; where there is none, or too old a one, tests are skipped with that reason. */
final class TestGpu {
    /**
     * Tests whose kernels fault run one at a time ({@link org.junit.jupiter.api.parallel.ResourceLock}). A fault loses
     * the context of its process alone, but processes that fault beside each other slow each other down, one may be
     * kept waiting for a minute, and once a trap was reported as an illegal instruction (seen on H200s).
     */
    static final String FAULTS = "faults of the GPU";
    private static final Devices DEVICES = Devices.probe();
    /** Each thread of tests has its own. The process's end closes them. */
    private static final ThreadLocal<Gpu> GPUS =
            ThreadLocal.withInitial(() -> open(EncoderChoice.configured(DEVICES.require(0).target())));

    private TestGpu() {
    }

    /** The first GPU, with waits that give up instead of hanging. Skips the test where it does not reach the target. */
    static Gpu atLeast(Target minimum) {
        if (DEVICES.list().isEmpty()) {
            throw skipped("no GPU: " + DEVICES.why());
        }
        Target target = DEVICES.list().getFirst().target();
        if (!target.supports(minimum)) {
            throw skipped(DEVICES.list().getFirst().name() + " is " + target + ", this needs " + minimum);
        }
        return GPUS.get();
    }

    /** Skips a test without a stack trace: without a GPU, those of 2,700 tests were most of what reports contained. */
    private static TestAbortedException skipped(String reason) {
        TestAbortedException skipped = new TestAbortedException("Assumption failed: " + reason);
        skipped.setStackTrace(new StackTraceElement[0]);
        return skipped;
    }

    /** The first GPU where its compute capability is 9.x: Java knows the layout of a tensor map there alone. */
    static Gpu hopper() {
        Gpu gpu = atLeast(Target.SM_90);
        Assumptions.assumeTrue(gpu.target().major() == 9,
                () -> gpu.name() + " is " + gpu.target() + ", this needs sm_90");
        return gpu;
    }

    /** A Gpu of its own for the first GPU, with waits that give up instead of hanging. The caller closes it. */
    static Gpu open(EncoderChoice choice) {
        return open(choice, EmitOptions.BOUNDED);
    }

    /** Opens the GPU under test with waits as the options say. */
    static Gpu open(EncoderChoice choice, EmitOptions emitOptions) {
        return Gpu.options().emit(emitOptions).encoder(choice)
                .compiler(KernelCompiler.cachingForUser(Nvrtc.find(Progress.NONE), System.err::println)).open();
    }
}

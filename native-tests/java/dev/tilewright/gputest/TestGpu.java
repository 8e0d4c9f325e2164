package dev.tilewright.gputest;

import dev.tilewright.emit.EmitOptions;
import dev.tilewright.gpu.CudaDriver;
import dev.tilewright.gpu.Devices;
import dev.tilewright.gpu.Drivers;
import dev.tilewright.ptx.Target;
import org.junit.jupiter.api.Assumptions;

/** The GPU that tests run on, opened once; where there is none, or too old a one, tests are skipped with that reason. */
final class TestGpu {
    private static CudaDriver driver;

    private TestGpu() {
    }

    /** The first GPU, with waits that give up instead of hanging. Skips the test where it does not reach the target. */
    static synchronized CudaDriver atLeast(Target minimum) {
        Devices devices = Devices.probe();
        Assumptions.assumeFalse(devices.list().isEmpty(), () -> "no GPU: " + devices.why());
        Target target = devices.list().getFirst().target();
        Assumptions.assumeTrue(target.supports(minimum),
                () -> devices.list().getFirst().name() + " is " + target + ", this needs " + minimum);
        if (driver == null) {
            driver = Drivers.gpu(devices, EmitOptions.BOUNDED, (what, done, total) -> { }, System.err::println);
        }
        return driver;
    }
}

package dev.tilewright.junit;

import dev.tilewright.emit.EmitOptions;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.verify.CaseCheck;
import dev.tilewright.verify.CaseDevice;
import dev.tilewright.verify.VerifyCase;
import dev.tilewright.verify.draw.Kinds;
import java.util.Objects;
import org.opentest4j.AssertionFailedError;

/**
 * A case of {@code tilewright verify}, by its line. The command writes failed cases as tests that use it
 * ({@code --failures}); a line that it printed can be kept as a test, too:
 *
 * {@snippet lang=java :
 * @Test
 * @RequiresGpu(minimum = "sm_90")
 * void leavesTheReferencesBytes() {
 *     VerifiedCase.of("copy preset=bulk-copy type=f32 shape=1003 tiles=2 scalar=0x0 seed=7").assertMatches();
 * }
 * }
 *
 * <p>What a line of numbers means is up to the version that wrote it: a later one may make another case of it.
 */
public final class VerifiedCase {
    private final VerifyCase verified;

    private VerifiedCase(VerifyCase verified) {
        this.verified = verified;
    }

    /** @throws dev.tilewright.BadRequestException if the line is no case */
    public static VerifiedCase of(String line) {
        Objects.requireNonNull(line, "line");
        return new VerifiedCase(Kinds.toRead().parse(line));
    }

    /**
     * Fails unless this machine's GPU leaves the bytes that the reference leaves, and those of a direct computation
     * where there is one. Waits are bounded, so that a kernel that waits forever fails.
     *
     * @throws AssertionFailedError if a byte differs
     * @throws dev.tilewright.MissingRequirementException if there is no GPU, or it cannot run the kernel
     */
    public void assertMatches() {
        try (Gpu gpu = Gpu.options().emit(EmitOptions.BOUNDED).open()) {
            assertMatches(gpu);
        }
    }

    /**
     * Fails unless a device leaves the bytes that the reference leaves, and those of a direct computation where there
     * is one.
     */
    public void assertMatches(Gpu gpu) {
        Objects.requireNonNull(gpu, "gpu");
        assertMatches(CaseDevice.of(gpu));
    }

    void assertMatches(CaseDevice device) {
        CaseCheck.run(device, verified).ifPresent(complaint -> {
            throw new AssertionFailedError("the case '" + verified.line() + "' is wrong on " + device.name() + ": "
                    + complaint);
        });
    }

    /** The line. */
    @Override
    public String toString() {
        return verified.line().toString();
    }
}

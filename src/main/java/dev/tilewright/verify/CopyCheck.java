package dev.tilewright.verify;

import dev.tilewright.gpu.DeviceBuffer;
import dev.tilewright.gpu.Driver;
import dev.tilewright.gpu.LoadedKernel;
import dev.tilewright.program.Launch;
import dev.tilewright.reference.Reference;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Optional;

/**
 * Runs one case on a device and compares every byte: with a direct computation, with the reference running the same
 * launch, unless the device is that, and with the poison around the result, which no kernel may touch.
 */
public final class CopyCheck {
    /** What the result holds before the launch, so that a byte which is not written is seen. */
    private static final byte POISON = (byte) 0xCD;
    /** Bytes after the result that must stay poisoned. */
    private static final int GUARD = 512;

    private CopyCheck() {
    }

    /**
     * What is wrong with the device's result, in one sentence, or nothing.
     *
     * @throws RuntimeException what the device threw
     */
    public static Optional<String> run(Driver driver, CopyCase copyCase) {
        Launch launch = copyCase.launch();
        try (Arena arena = Arena.ofShared(); LoadedKernel loaded = driver.load(launch.program())) {
            MemorySegment data = copyCase.data(arena);
            long bytes = data.byteSize();
            MemorySegment result = arena.allocate(bytes + GUARD, 64);
            long workspaceBytes = copyCase.kernel().workspaceBytes(launch);
            try (DeviceBuffer from = driver.allocate(bytes); DeviceBuffer to = driver.allocate(bytes + GUARD);
                    DeviceBuffer workspace = driver.allocate(workspaceBytes)) {
                driver.upload(data, from);
                driver.fill(to, POISON);
                driver.launch(loaded, launch, List.of(from, to, workspace));
                driver.download(to, result);
            }
            return judge(driver, copyCase, launch, data, result, arena);
        }
    }

    private static Optional<String> judge(Driver driver, CopyCase copyCase, Launch launch, MemorySegment data,
            MemorySegment result, Arena arena) {
        long bytes = data.byteSize();
        for (long at = bytes; at < result.byteSize(); at++) {
            if (result.get(ValueLayout.JAVA_BYTE, at) != POISON) {
                return Optional.of("byte " + (at - bytes) + " after the end of the result was written");
            }
        }
        MemorySegment expected = arena.allocate(bytes, 64);
        DirectStep.apply(copyCase.kernel().step(), copyCase.type(), copyCase.scalarBits(), data, expected);
        Optional<String> direct = difference("a direct computation", copyCase, expected, result);
        if (direct.isPresent() || driver.definesResults()) {
            return direct;
        }
        MemorySegment reference = arena.allocate(bytes + GUARD, 256).fill(POISON);
        MemorySegment workspace = arena.allocate(copyCase.kernel().workspaceBytes(launch), 256);
        Reference.run(launch, List.of(data, reference, workspace));
        return difference("the reference", copyCase, reference.asSlice(0, bytes), result);
    }

    private static Optional<String> difference(String other, CopyCase copyCase, MemorySegment expected,
            MemorySegment result) {
        return Difference.between(expected, result.asSlice(0, expected.byteSize()))
                .map(d -> "against " + other + ", " + d.describe(copyCase.type(), copyCase.shape()));
    }
}

package dev.tilewright.verify;

import dev.tilewright.builder.TileKernel;
import dev.tilewright.gpu.DeviceBuffer;
import dev.tilewright.gpu.Driver;
import dev.tilewright.gpu.LoadedKernel;
import dev.tilewright.program.Launch;
import dev.tilewright.reference.Reference;
import dev.tilewright.reference.ReferenceOptions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Optional;

/**
 * One case on a device, every byte of its result compared: with a direct computation, with the reference running the
 * same launch, unless the device is that, and with the poison around the result, which no kernel may touch. What must
 * come out can be computed before the device is there.
 */
public final class CopyCheck implements AutoCloseable {
    /** What the result holds before the launch, so that a byte which is not written is seen. */
    private static final byte POISON = (byte) 0xCD;
    /** Bytes after the result that must stay poisoned. */
    private static final int GUARD = 512;

    private final CopyCase copyCase;
    private final TileKernel kernel;
    private final Launch launch;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment data;
    private final MemorySegment expected;
    private final MemorySegment result;
    private MemorySegment reference;

    /** @param kernel the case's. @param launch the case's, of that kernel */
    CopyCheck(CopyCase copyCase, TileKernel kernel, Launch launch) {
        this.copyCase = copyCase;
        this.kernel = kernel;
        this.launch = launch;
        long bytes = copyCase.bytes();
        this.data = copyCase.data(arena);
        this.expected = arena.allocate(bytes, 64);
        this.result = arena.allocate(bytes + GUARD, 64);
    }

    /**
     * What is wrong with the device's result, in one sentence, or nothing.
     *
     * @throws RuntimeException what the device threw
     */
    public static Optional<String> run(Driver driver, CopyCase copyCase) {
        TileKernel kernel = copyCase.kernel();
        Launch launch = copyCase.launchOf(kernel);
        try (LoadedKernel loaded = driver.load(launch.program());
                CopyCheck check = new CopyCheck(copyCase, kernel, launch)) {
            check.launch(driver, loaded);
            check.compute();
            if (!driver.definesResults()) {
                check.refer();
            }
            return check.complaint();
        }
    }

    /**
     * The same of cases that differ in their grids alone: what is computed is computed once, directly and by the reference
     * with one of the grids, and the device's result with each grid is compared with it.
     *
     * @param referred the number of the case whose launch the reference runs
     */
    public static Optional<String> run(Driver driver, List<CopyCase> grids, int referred) {
        CopyCase first = grids.get(referred);
        TileKernel kernel = first.kernel();
        Launch launch = first.launchOf(kernel);
        try (LoadedKernel loaded = driver.load(launch.program());
                CopyCheck check = new CopyCheck(first, kernel, launch)) {
            check.compute();
            if (!driver.definesResults()) {
                check.refer();
            }
            for (CopyCase grid : grids) {
                if (!grid.equals(first.withTilesPerBlock(grid.tilesPerBlock()))) {
                    throw new IllegalArgumentException("the cases differ in more than their grids: " + first + ", " + grid);
                }
                check.launch(driver, loaded, grid.launchOf(kernel));
                Optional<String> complaint = check.complaint();
                if (complaint.isPresent()) {
                    return complaint.map(c -> grid + ": " + c);
                }
            }
        }
        return Optional.empty();
    }

    /** Computes the result directly. */
    void compute() {
        DirectStep.apply(kernel.step(), copyCase.type(), copyCase.scalarBits(), data, expected);
    }

    /** Runs the reference, too: on this thread, others have cases of their own. */
    void refer() {
        reference = arena.allocate(data.byteSize() + GUARD, 256).fill(POISON);
        MemorySegment workspace = arena.allocate(kernel.workspaceBytes(launch), 256);
        Reference.run(launch, List.of(data, reference, workspace), ReferenceOptions.DEFAULT.sequential());
    }

    /** Runs the launch on the device and fetches its result. */
    void launch(Driver driver, LoadedKernel loaded) {
        launch(driver, loaded, launch);
    }

    private void launch(Driver driver, LoadedKernel loaded, Launch any) {
        long bytes = data.byteSize();
        try (DeviceBuffer from = driver.allocate(bytes); DeviceBuffer to = driver.allocate(bytes + GUARD);
                DeviceBuffer workspace = driver.allocate(kernel.workspaceBytes(any))) {
            driver.upload(data, from);
            driver.fill(to, POISON);
            driver.launch(loaded, any, List.of(from, to, workspace));
            driver.download(to, result);
        }
    }

    /** What is wrong with the result that was fetched. */
    Optional<String> complaint() {
        long bytes = data.byteSize();
        for (long at = bytes; at < result.byteSize(); at++) {
            if (result.get(ValueLayout.JAVA_BYTE, at) != POISON) {
                return Optional.of("byte " + (at - bytes) + " after the end of the result was written");
            }
        }
        Optional<String> direct = difference("a direct computation", expected);
        return direct.isPresent() || reference == null ? direct
                : difference("the reference", reference.asSlice(0, bytes));
    }

    private Optional<String> difference(String other, MemorySegment right) {
        return Difference.between(right, result.asSlice(0, right.byteSize()))
                .map(d -> "against " + other + ", " + d.describe(copyCase.type(), copyCase.shape()));
    }

    @Override
    public void close() {
        arena.close();
    }
}

package dev.tilewright.gpu;

import dev.tilewright.builder.TileKernel;
import dev.tilewright.program.Launch;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;

/** Moves one host array through a kernel on a device and back: allocate, upload, launch, download. */
public final class TileRunner {

    private TileRunner() {
    }

    /**
     * Runs the kernel on a dense, row-major array.
     *
     * @param shape the array's dimensions, outermost first
     * @param scalarBits the step's scalar, see {@link dev.tilewright.builder.Scalars}; ignored by a copy
     * @param input the array's bytes
     * @param output of the same size, for the result
     * @throws IllegalArgumentException if input or output is of another size than the array
     * @throws dev.tilewright.BadRequestException if the kernel cannot move an array of this shape
     */
    public static void run(Driver driver, TileKernel kernel, List<Long> shape, long scalarBits, MemorySegment input,
            MemorySegment output) {
        Objects.requireNonNull(driver, "driver");
        Objects.requireNonNull(kernel, "kernel");
        Objects.requireNonNull(shape, "shape");
        Objects.requireNonNull(input, "input");
        Objects.requireNonNull(output, "output");
        // A shape that will not do is refused before anything is compiled or allocated.
        Launch launch = kernel.launch(shape, scalarBits);
        long bytes = shape.contains(0L) ? 0 : shape.stream().reduce((long) kernel.type().bytes(), Math::multiplyExact);
        if (input.byteSize() != bytes || output.byteSize() != bytes) {
            throw new IllegalArgumentException("an array of shape " + shape + " of " + kernel.type() + " has " + bytes
                    + " bytes, got an input of " + input.byteSize() + " and an output of " + output.byteSize());
        }
        if (bytes == 0) {
            return;
        }
        try (LoadedKernel loaded = driver.load(kernel.program());
                DeviceBuffer from = driver.allocate(input.byteSize());
                DeviceBuffer to = driver.allocate(output.byteSize());
                DeviceBuffer workspace = driver.allocate(kernel.workspaceBytes(launch))) {
            driver.upload(input, from);
            driver.launch(loaded, launch, List.of(from, to, workspace));
            driver.download(to, output);
        }
    }
}

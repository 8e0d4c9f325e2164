package dev.tilewright.tile;

import dev.tilewright.program.array.ArrayLaunch;
import dev.tilewright.tile.launch.CpuRun;

/**
 * A launch of a tile kernel on the CPU: tensors and scalars by name, then {@link #run}. The result has the bits that
 * every other way to run the kernel gives.
 *
 * {@snippet :
 * SOFTMAX.onCpu().set("x", numbers, rows, columns).set("y", result, rows, columns).run();
 * }
 */
public sealed interface CpuLaunch extends ArrayLaunch<CpuLaunch> permits CpuRun {

    /**
     * Whose products of matrices are computed: those of a target are {@link TileKernel#arithmetic}. Where nothing is
     * said, those that the kernel names, else {@link MatrixArithmetic#HOPPER_WGMMA}.
     */
    CpuLaunch arithmetic(MatrixArithmetic whose);

    /**
     * On how many cores tiles are computed; all where nothing is said. The bits are the same. Where memory is confined
     * to the thread that launches ({@link java.lang.foreign.Arena#ofConfined}), that thread alone computes.
     *
     * @param count at least 1
     */
    CpuLaunch cores(int count);
}

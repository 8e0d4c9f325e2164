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
     * Chooses whose matrix products are computed; {@link TileKernel#arithmetic} gives a target's. By default the
     * arithmetic that the kernel names, else {@link MatrixArithmetic#HOPPER_WGMMA}.
     */
    CpuLaunch arithmetic(MatrixArithmetic whose);

    /**
     * On how many cores tiles are computed; all where nothing is said. The bits are the same. Where memory is confined
     * to the thread that launches ({@link java.lang.foreign.Arena#ofConfined}), that thread alone computes.
     *
     * @param count at least 1
     */
    CpuLaunch cores(int count);

    /**
     * Computes these places of a tensor's first dimension, and what its tiles make besides, or all where tiles may
     * write any place. What is not computed is left as it is. Their bits are those of the whole launch.
     *
     * @param tensor one that is written
     * @param places numbers along its first dimension; none for none
     * @throws IllegalArgumentException if the kernel writes no such tensor, or a place is negative; {@link #run}
     *     refuses places beyond the tensor
     */
    CpuLaunch rows(String tensor, long... places);
}

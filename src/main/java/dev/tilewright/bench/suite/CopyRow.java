package dev.tilewright.bench.suite;

import dev.tilewright.builder.GridPolicy;
import dev.tilewright.builder.TileKernel;
import dev.tilewright.program.Launch;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.function.LongFunction;

/**
 * A kernel that copies, and how an array of some bytes goes through it.
 *
 * @param name of the subject
 * @param parameters what tells it from others of that name
 * @param shape of an array of so many bytes, in elements
 * @param grid how many tiles each block takes, given how many blocks the device holds at once
 * @param demanded ratio to cuMemcpy that it has to reach; null for none
 */
public record CopyRow(String name, Map<String, String> parameters, TileKernel kernel, LongFunction<List<Long>> shape,
        IntFunction<GridPolicy> grid, Double demanded) {

    Launch launch(long bytes, int residentBlocks) {
        return kernel.launch(shape.apply(bytes), 0, grid.apply(residentBlocks));
    }
}

package dev.tilewright.tile.lower.analysis;

import dev.tilewright.program.expression.Value;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.TileNode;
import java.util.HashSet;
import java.util.Set;

/**
 * How much is done to each of a product's sums before it is stored: {@code operations} of an element, those of the
 * functions that it calls counted.
 */
public record Epilogue(int operations) {
    /** Results of 64 x 64 that a thread of four warps has. */
    private static final int OF_BOX = 32;
    /**
     * Operations on all elements of a thread whose instructions stay in their caches. GELU of 128 elements is 175 KB of
     * them: on an H200 a product of 4,096 cubed took 1.73 times as long as by the code of one box for all.
     */
    private static final int MOST_IN_CACHE = 2048;

    /** What is done to each element before a kernel's stores; of several stores, where it is most. */
    public static Epilogue of(TileKernel kernel) {
        return new Epilogue(kernel.grid().body().stores().mapToInt(store -> operations(store.tile(), new HashSet<>()))
                .max().orElse(0));
    }

    /** Whether the code for a thread's elements, those of several boxes, is too long to be written out in full. */
    public boolean isLong(int elements) {
        return elements > OF_BOX && (long) operations * elements > MOST_IN_CACHE;
    }

    private static int operations(Tile tile, Set<Tile> counted) {
        return tile.node() instanceof TileNode.Map map && counted.add(tile) ? operations(map.value())
                + map.inputs().stream().mapToInt(input -> operations(input, counted)).sum() : 0;
    }

    private static int operations(Value value) {
        int parts = value.parts().stream().mapToInt(Epilogue::operations).sum();
        return switch (value) {
            case Value.Element _, Value.Const _, Value.Scalar _, Value.Index _ -> parts;
            case Value.Call call -> parts + operations(call.function().result()) + call.function().lets().stream()
                    .mapToInt(let -> operations(let.value())).sum();
            default -> parts + 1;
        };
    }
}

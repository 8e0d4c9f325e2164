package dev.tilewright.tile.lower.analysis;

import dev.tilewright.NotNull;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.BinaryOp;
import dev.tilewright.tile.Reduction;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileNode;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * A tile's elements less the greatest number of them all.
 *
 * @param row the tile
 * @param greatest as the function takes it
 */
public record BelowGreatest(Tile row, Tile greatest) {
    public BelowGreatest {
        NotNull.all("row, greatest", row, greatest);
    }

    /** What a function is; nothing where it is another. @param extents of tiles */
    public static Optional<BelowGreatest> of(Tile tile, Function<Tile, List<Integer>> extents) {
        NotNull.all("tile, extents", tile, extents);
        if (!(tile.node() instanceof TileNode.Map map) || map.inputs().size() != 2
                || !(map.value() instanceof Value.Binary(BinaryOp op, Value left, Value right, var _, var _))
                || op != BinaryOp.SUB || !left.equals(map.parameters().getFirst().get())
                || !right.equals(map.parameters().getLast().get())) {
            return Optional.empty();
        }
        Tile row = map.inputs().getFirst();
        Tile number = map.inputs().getLast();
        while (number.node() instanceof TileNode.Reshape || number.node() instanceof TileNode.Broadcast) {
            number = number.node().inputs().getFirst();
        }
        boolean greatest = number.node() instanceof TileNode.Reduce(Tile of, int _, Reduction reduction)
                && reduction == Reduction.MAX && of.equals(row)
                && extents.apply(number).stream().allMatch(extent -> extent == 1);
        return greatest ? Optional.of(new BelowGreatest(row, map.inputs().getLast())) : Optional.empty();
    }
}

package dev.tilewright.builder;

import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Expr;
import dev.tilewright.program.Expr.Builtin;
import dev.tilewright.program.IntType;
import dev.tilewright.program.Parameter;
import java.util.List;
import java.util.Map;

/** Which tiles each block takes, in the kernel and in the launch: the run that {@link GridPolicy} gives it. */
final class TilePartition {
    private final Parameter.Int tiles = new Parameter.Int("tiles", IntType.S32);
    private final Parameter.Int perBlock = new Parameter.Int("tiles_per_block", IntType.S32);

    /** The kernel parameters that say which tiles a block takes. */
    List<Parameter> parameters() {
        return List.of(tiles, perBlock);
    }

    /** Adds their values for an array of {@code tileCount} tiles. @return blocks that the tiles take */
    int bind(int tileCount, GridPolicy gridPolicy, Map<Parameter, Argument> values) {
        int each = gridPolicy.tilesPerBlock(tileCount);
        values.put(tiles, new Argument.Int(tileCount));
        values.put(perBlock, new Argument.Int(each));
        return Math.ceilDiv(tileCount, each);
    }

    /** Names this block's tiles in the kernel. */
    TileRange define(Body body) {
        Expr first = body.purpose("this block's first tile").let("block_start", Builtin.BLOCK.times(perBlock.value()));
        Expr count = body.purpose("how many tiles it takes")
                .let("my_tiles", perBlock.value().min(tiles.value().minus(first)));
        return new TileRange(first, count);
    }

    /** @param first number of the block's first tile; @param count how many tiles it takes, not positive for none */
    record TileRange(Expr first, Expr count) {
    }
}

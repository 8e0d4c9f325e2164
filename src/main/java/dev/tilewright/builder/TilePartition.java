package dev.tilewright.builder;

import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import java.util.List;
import java.util.Map;

/** Which tiles each block takes, in the kernel and in the launch: as many as {@link GridPolicy} gives it. */
final class TilePartition {
    private final Walk walk;
    private final Parameter.Int tiles = new Parameter.Int("tiles", IntType.S32);
    private final Parameter.Int perBlock = new Parameter.Int("tiles_per_block", IntType.S32);

    private final Parameter.Int together = new Parameter.Int("blocks_together", IntType.S32);

    TilePartition(Walk walk) {
        this.walk = walk;
    }

    /** The kernel parameters that say which tiles a block takes. */
    List<Parameter> parameters() {
        return walk == Walk.RUNS ? List.of(tiles, perBlock) : List.of(tiles, perBlock, together);
    }

    /** Adds their values for an array of {@code tileCount} tiles. @return blocks that the tiles take */
    int bind(int tileCount, GridPolicy gridPolicy, Map<Parameter, Argument> values) {
        int each = gridPolicy.tilesPerBlock(tileCount);
        values.put(tiles, new Argument.Int(tileCount));
        values.put(perBlock, new Argument.Int(each));
        int blocks = Math.ceilDiv(tileCount, each);
        if (walk == Walk.RUNS) {
            return blocks;
        }
        int wave = Math.max(1, gridPolicy.blocksTogether(blocks));
        values.put(together, new Argument.Int(wave));
        int whole = Math.toIntExact(tileCount / ((long) wave * each));
        return whole * wave + Math.min(wave, Math.toIntExact(tileCount - (long) whole * wave * each));
    }

    /** Names this block's tiles in the kernel. */
    TileRange define(Body body) {
        if (walk == Walk.INTERLEAVED) {
            Expr wave = together.value();
            Expr first = body.purpose("this block's first tile, among those of the blocks that sweep together")
                    .let("block_start", Builtin.BLOCK.dividedBy(wave).times(wave.times(perBlock.value()))
                            .plus(Builtin.BLOCK.modulo(wave)));
            Expr count = body.purpose("how many tiles it takes, each as many further on as these blocks are")
                    .let("my_tiles", perBlock.value().min(tiles.value().minus(first).plus(wave.minus(1))
                            .dividedBy(wave)));
            return new TileRange(first, wave, count);
        }
        Expr first = body.purpose("this block's first tile").let("block_start", Builtin.BLOCK.times(perBlock.value()));
        Expr count = body.purpose("how many tiles this block takes")
                .let("my_tiles", perBlock.value().min(tiles.value().minus(first)));
        return new TileRange(first, Expr.of(1), count);
    }

    /**
     * The tiles that a block takes.
     *
     * @param first number of its first tile
     * @param step from one of its tiles to the next
     * @param count how many tiles it takes, not positive for none
     */
    record TileRange(Expr first, Expr step, Expr count) {
        /** The tile of a turn, which counts from 0. */
        Expr tile(Expr turn) {
            return first.plus(step.constant().isPresent() && step.constant().getAsLong() == 1 ? turn
                    : turn.times(step));
        }
    }
}

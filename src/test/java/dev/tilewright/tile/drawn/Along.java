package dev.tilewright.tile.drawn;

import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Steps;
import dev.tilewright.tile.TileScope;

/**
 * How a loop goes along a dimension in blocks: as a rule one behind the other from the first element on. One in six
 * skips what is between two blocks, one in six begins elsewhere, where both factors of a product need not agree, and
 * one in five where the launch's extent says.
 */
public final class Along {
    private final int block;
    private final int apart;
    private final int first;
    private final int second;
    private final Moved byExtent;
    private Dim dim;

    /** @param seed what else it draws is as without this @param block elements of a turn */
    public Along(long seed, int block) {
        Draw draw = new Draw(seed ^ 0xA104);
        this.block = block;
        boolean skips = draw.once(6);
        apart = block + (skips ? draw.any(block, block, 2 * block, 8, 16) : 0);
        boolean moved = draw.once(6);
        int by = draw.any(8, 8, block / 2, block, draw.between(-20, 40));
        int other = draw.any(by, by, 0, block, 16);
        first = moved ? by : 0;
        second = moved ? other : 0;
        byExtent = Moved.byExtent(draw, block, 5);
    }

    /** Of a loop along the dimension. */
    public Steps steps(TileScope k, Dim dim) {
        this.dim = dim;
        return k.steps(dim, apart);
    }

    /** Whether blocks do not follow each other. */
    public boolean skips() {
        return apart > block;
    }

    /** Whether each block begins at a multiple of 16 bytes of a row, as boxes do. @param bytes of an element */
    public boolean aligned(int bytes) {
        return (apart | first) * bytes % 16 == 0 && byExtent.isAligned(bytes);
    }

    /** Whether each block of the other factor begins at a multiple of 16 bytes of a row. @param bytes of an element */
    public boolean othersAligned(int bytes) {
        return (apart | second) * bytes % 16 == 0 && byExtent.isAligned(bytes);
    }

    /** The block of a step. */
    public Span of(Span step) {
        return block(step, first);
    }

    /** The block of a step for another factor. */
    public Span ofOther(Span step) {
        return block(step, second);
    }

    private Span block(Span step, int from) {
        Span some = !skips() ? step : block == 1 ? Span.at(step.start()) : Span.of(step.start(), block);
        return byExtent.of(from == 0 ? some : some.plus(from), dim);
    }
}

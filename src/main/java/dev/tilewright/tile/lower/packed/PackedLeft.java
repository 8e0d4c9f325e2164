package dev.tilewright.tile.lower.packed;

import dev.tilewright.program.Body;
import dev.tilewright.program.Warp;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.value.ValueType;
import java.util.function.Consumer;

/**
 * What a warp multiplies of the left factor: it copies a turn's elements, 16 bytes a thread, in panels of 64 along k,
 * into two stages of shared memory, and reads them there.
 */
final class PackedLeft {
    static final int STAGES = 2;
    private static final int LINE = 128;
    private static final int CHUNK = 16;
    private static final int SWIZZLED = 8;
    private static final int STEPS_OF_LINE = 4;

    private final PackedPattern pattern;
    private final PackedRows rows;
    private final SharedRegion.Buffer stages;
    private final Expr lane;
    private final Expr there;
    private final Expr below;
    private final Register from;
    private final Register rest;
    private final Register to;
    private final Register at;

    /**
     * @param body where the places in memory are computed
     * @param stage where the warp's first stage is, in bytes
     * @param first turn of the part, of the whole of k
     */
    PackedLeft(Body body, PackedPattern pattern, PackedRows rows, SharedRegion.Buffer stages, Expr stage, Expr first) {
        this.pattern = pattern;
        this.rows = rows;
        this.stages = stages;
        int chunks = chunks();
        lane = body.let("lane", Builtin.THREAD.modulo(Warp.LANES));
        Expr row = lane.dividedBy(chunks);
        there = body.purpose("rows of the tile behind this thread's first").let("rows", rows.there(pattern.sums()
                .getFirst()).minus(row));
        below = body.purpose("from one of a thread's rows to the next").let("left_below", rows.stride().times(Warp.LANES
                / chunks));
        Expr along = first.toS64().times(pattern.group()).plus(lane.modulo(chunks).times(CHUNK / Short.BYTES).toS64());
        from = body.purpose("where this thread's next elements of '" + rows.pointer().name() + "' are").variable(
                "left_from", rows.start(row).plus(along));
        rest = body.purpose("how many its rows have from there on").variable("left_rest", rows.length().minus(along)
                .min(Integer.MAX_VALUE).toS32());
        to = body.purpose("where they go").variable("left_to", stage.plus(lane.modulo(chunks).dividedBy(SWIZZLED)
                .times(pattern.sums().getFirst() * LINE)).plus(row.times(LINE)).plus(lane.modulo(chunks)
                .modulo(SWIZZLED).xor(row.modulo(SWIZZLED)).times(CHUNK)));
        Expr read = lane.dividedBy(4).times(2).plus(lane.dividedBy(16)).modulo(PackedWarp.COLUMNS)
                .min(pattern.sums().getFirst() - 1);
        at = body.purpose("rows of the left factor in an order that spreads half a warp over all banks")
                .variable("left_at", stage.plus(read.times(LINE)).plus(lane.modulo(4).dividedBy(2).xor(read)
                        .times(CHUNK)).plus(lane.modulo(2).times(CHUNK / 2)));
    }

    private int chunks() {
        return pattern.group() * Short.BYTES / CHUNK;
    }

    /** Starts the copies of the next turn; what lies outside of the tensor is filled in. */
    void next(Body body) {
        int bytes = pattern.leftBytes();
        int apart = Warp.LANES / chunks();
        Expr inside = body.purpose("rows that go on here").let("inside", rest.get().toIndex().atLeast(1)
                .choose(there, 0));
        for (int i = 0; i < Math.ceilDiv(bytes, Warp.LANES * CHUNK); i++) {
            int down = i * apart;
            Consumer<Body> copy = b -> b.cpAsync(stages.at(to.get().toIndex().xor(down % SWIZZLED * CHUNK)
                    .plus(down * LINE)), rows.at(from.get().toIndex().plus(below.times(down / apart))), CHUNK)
                    .sourceBytes(Expr.of(down).lessThan(inside).choose(CHUNK, 0));
            if (bytes < Warp.LANES * CHUNK) {
                body.purpose("threads that have a part of it").when(lane.lessThan(bytes / CHUNK), copy);
            } else {
                copy.accept(body);
            }
        }
        body.assign(from, from.get().toIndex().plus(pattern.group()));
        body.assign(rest, rest.get().toIndex().minus(pattern.group()));
        body.assign(to, to.get().toIndex().xor(bytes));
    }

    /** Loads this thread's elements of a step. @param step of the turn @param j which 8 rows of the tile */
    Register load(Body body, Expr step, Expr j) {
        Register x = body.registers("x", ValueType.U32, 2);
        body.load(x, stages.at(at.get().toIndex().xor(step.modulo(STEPS_OF_LINE).times(2 * CHUNK)).plus(step
                .dividedBy(STEPS_OF_LINE).times(pattern.sums().getFirst() * LINE)).plus(j.times(PackedWarp.COLUMNS
                * LINE))));
        return x;
    }

    /** The next turn is read. */
    void advance(Body body) {
        body.assign(at, at.get().toIndex().xor(pattern.leftBytes()));
    }
}

package dev.tilewright.tile.lower.packed;

import dev.tilewright.builder.pipeline.BarrierPipeline;
import dev.tilewright.builder.pipeline.Landed;
import dev.tilewright.builder.pipeline.StageBuffer;
import dev.tilewright.program.Body;
import dev.tilewright.program.Warp;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.warp.Ldmatrix;
import dev.tilewright.ptx.warp.MatrixCount;
import dev.tilewright.tile.lower.layout.Registers;

/**
 * What a warp of a {@link PackedLoop} multiplies: 32 columns of a part, the rows of {@code mma.sync}'s left factor.
 * {@code ldmatrix} brings their bytes, of which it makes 16-bit floats in place. Of 16 neighbours along k a thread has
 * four in a row: the sum of an instruction does not depend on their order, so that the left factor's are taken in the
 * same.
 */
final class RingWarp {
    private static final int COLUMNS = PackedWarp.COLUMNS;
    private static final int SUMS = PackedWarp.SUMS;
    private static final int LINE = 128;
    private static final int CHUNK = 16;
    private static final int MATRICES = 4;
    private static final int BLOCKS = PackedWarp.BLOCKS;

    private final PackedPattern pattern;
    private final Stages stages;
    private final Body body;
    private final PackedLoop.Turns turns;
    private final PackedLoop.Scale scale;
    private final Expr round;
    private final int columns;
    private final int chunks;
    private final Expr lane;
    private final Expr slot;
    private final Expr column;
    private final Expr matrixRow;
    private final Register leftAt;
    private final Register scaleAt;
    private final Register sums;

    /** @param round which, of the parts that are computed at the same time */
    RingWarp(Body body, PackedPattern pattern, Stages stages, PackedLoop.Turns turns, PackedLoop.Scale scale,
            Expr round) {
        this.body = body;
        this.pattern = pattern;
        this.stages = stages;
        this.turns = turns;
        this.round = round;
        columns = pattern.sums().getFirst() / COLUMNS;
        chunks = pattern.rowBytes() / CHUNK;
        this.scale = scale;
        lane = body.let("lane", Builtin.THREAD.modulo(Warp.LANES));
        Expr warp = body.let("warp", Builtin.THREAD.dividedBy(Warp.LANES));
        slot = body.purpose("the part of the stage that this warp takes").let("slot",
                warp.dividedBy(pattern.warpsOfPart()));
        column = body.purpose("the warp's first column").let("column", warp.modulo(pattern.warpsOfPart())
                .times(PackedPattern.WARP_COLUMNS));
        matrixRow = body.purpose("the matrix row whose address this lane gives").let("matrix_row",
                slot.times(pattern.packedBytes()).plus(column.plus(matrixRow()).times(pattern.rowBytes()))
                        .plus(matrixChunk().times(CHUNK)));
        leftAt = body.registers("left_at", ValueType.I32, MATRICES);
        Expr row = lane.dividedBy(4).times(2).plus(lane.dividedBy(16)).modulo(COLUMNS);
        Expr first = body.purpose("rows in an order that spreads half a warp over all banks").let("left_first",
                slot.times(pattern.leftBytes()).plus(row.times(LINE)).plus(lane.modulo(4).dividedBy(2).xor(row)
                        .times(CHUNK)).plus(lane.modulo(2).times(CHUNK / 2)));
        for (int i = 0; i < MATRICES; i++) {
            body.assign(leftAt.at(i), first.xor(i * 2 * CHUNK).toValue());
        }
        scaleAt = body.purpose("where this thread's scales lie").registers("scale_at", ValueType.I64, BLOCKS * 2);
        sums = body.registers("sums", BLOCKS * columns * SUMS, Value.f32(0));
    }

    /** Where the bytes of a turn of all parts are, and what hands them over. */
    record Stages(StageBuffer left, StageBuffer packed, BarrierPipeline pipe) { }

    /** Of a lane's matrix; two matrices are of the upper and lower rows where a row has two chunks. */
    private Expr matrixRow() {
        Expr row = lane.modulo(COLUMNS);
        return chunks >= MATRICES ? row : lane.dividedBy(2 * COLUMNS).times(COLUMNS).plus(row);
    }

    private Expr matrixChunk() {
        Expr chunk = chunks >= MATRICES ? lane.dividedBy(COLUMNS) : lane.dividedBy(COLUMNS).modulo(2);
        return chunk.xor(lane.modulo(COLUMNS).times(pattern.rowBytes()).dividedBy(LINE).bitAnd(chunks - 1));
    }

    /**
     * Adds the products of a round's turns.
     *
     * @param count how many turns the round's first part has
     */
    void write(Expr count) {
        Expr first = body.purpose("the part's first turn").let("first", round.times(pattern.partsAtOnce()).plus(slot)
                .times(turns.ofPart()));
        Register next = body.registers("next_scales", pattern.scales().tensor().type(), BLOCKS * 2);
        Expr one = body.let("scale_turn", first.min(turns.all().minus(1)));
        for (int i = 0; i < scaleAt.count(); i++) {
            Expr own = column.plus(lane.dividedBy(4)).plus(i * COLUMNS);
            body.assign(scaleAt.at(i), scale.place(own, one).toValue());
            body.load(next, i, 1, scale.at(scaleAt.at(i).toIndex()));
        }
        body.purpose("along the part of k").loop("turn", count, (each,
                turn) -> {
            Landed stage = stages.pipe.await(each, turns.stage(round, turn));
            Expr number = each.let("number", first.plus(turn));
            each.purpose("if the part has this turn").when(number.lessThan(turns.all()), in -> {
                Register factors = in.registers("scales", ValueType.F32, BLOCKS * 2);
                Registers.each(in, factors.count(), (b, r) -> b.assign(factors.at(r), next.at(r)
                        .to(ValueType.F32)));
                Expr ahead = in.purpose("the last turn loads no further scales").let("ahead", number.plus(1)
                        .lessThan(turns.all()).choose(1, 0));
                for (int i = 0; i < scaleAt.count(); i++) {
                    in.assign(scaleAt.at(i), scaleAt.at(i).plus(ahead.toS64().toValue()));
                    in.load(next, i, 1, scale.at(scaleAt.at(i).toIndex()));
                }
                Register block = in.purpose("this turn's sums").registers("block", BLOCKS * columns * SUMS,
                        Value.f32(0));
                products(in, stage, block);
                in.purpose("add the scaled sums to the totals").unrolled("r", sums.count(), (b, r) -> {
                    Expr of = r.dividedBy(columns * SUMS).times(2).plus(r.dividedBy(2).modulo(2));
                    b.assign(sums.at(r), block.at(r).fma(factors.at(of), sums.at(r)));
                });
            });
            stages.pipe.release(each, stage);
        });
    }

    private void products(Body b, Landed stage, Register block) {
        int words = 2 * chunks;
        Register bytes = b.purpose("packed bytes, of 16 columns each").registers("bytes", ValueType.U32,
                BLOCKS * words);
        Ldmatrix form = new Ldmatrix(Ldmatrix.Shape.M8N8_B16, MatrixCount.X4);
        for (int i = 0; i < bytes.count() / MATRICES; i++) {
            // Words of 8 columns, chunk by chunk, then of the 8 below.
            int behind = i * MATRICES / chunks * COLUMNS * pattern.rowBytes();
            Expr at = chunks > MATRICES ? matrixRow.xor(i * MATRICES % chunks * CHUNK) : matrixRow;
            b.issue(form, Input.of(bytes, i * MATRICES), Input.of(stage.at(stages.packed, at.plus(behind))));
        }
        PackedWarp.products(b, pattern, (chunk, i) -> bytes.at(i.times(chunks).plus(chunk)),
                (each, step, j) -> left(each, stage, step, j), block);
    }

    /** The left factor of 16 neighbours along k. @param j which 8 rows of the tile */
    private Register left(Body b, Landed stage, Expr step, Expr j) {
        Expr panel = step.dividedBy(MATRICES).times(pattern.sums().getFirst() * LINE);
        Register x = b.registers("x", ValueType.U32, 2);
        b.load(x, stage.at(stages.left, leftAt.at(step.modulo(MATRICES)).toIndex().plus(panel)
                .plus(j.times(COLUMNS * LINE))));
        return x;
    }

    /** What it has of the part. */
    PackedSums.OfWarp result() {
        return new PackedSums.OfWarp(sums, lane, slot, column);
    }
}

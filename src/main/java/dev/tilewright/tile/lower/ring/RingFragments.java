package dev.tilewright.tile.lower.ring;

import dev.tilewright.builder.pipeline.Landed;
import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Register;
import dev.tilewright.ptx.warp.Ldmatrix;
import dev.tilewright.ptx.warp.MatrixCount;
import dev.tilewright.tile.lower.layout.Layout;
import dev.tilewright.tile.lower.layout.Linear;
import dev.tilewright.tile.lower.layout.Registers;
import java.util.List;

/**
 * A factor that {@code ldmatrix} reads in matrices of 8 rows of 16 bytes: of A the four of 16 rows, of B two or four of
 * 8 or 16 columns.
 *
 * @param at the byte whose matrix row this thread's address is, of its first block
 * @param offset of the factor in a stage
 */
record RingFragments(RingFactor factor, boolean left, Layout sums, List<Integer> blocks, Expr at, int offset)
        implements RingReads {

    static RingFragments of(Body body, RingFactor factor, boolean left, Layout sums, int offset) {
        List<Integer> blocks = RingReads.blocks(factor, left, sums);
        Expr warp = RingReads.warp(left, sums);
        Expr lane = Builtin.THREAD.modulo(1 << LANE_BITS);
        Expr row = lane.modulo(MATRIX);
        Expr low = lane.dividedBy(MATRIX).modulo(2);
        Expr high = lane.dividedBy(2 * MATRIX);
        // Matrices of A go down first, those of B along k; then the other way.
        Expr across = left ? low.times(MATRIX) : blocks.isEmpty() ? Expr.of(0) : high.times(blocks.getFirst());
        Expr alongK = left ? high : low;
        Expr swizzle = factor.swizzle(row);
        Expr at = factor.along()
                ? warp.plus(across).plus(row).times(factor.pitch()).plus(alongK.xor(swizzle).times(RingFactor.CHUNK))
                : alongK.times(MATRIX).plus(row).times(factor.pitch()).plus(warp.plus(across).dividedBy(MATRIX)
                        .xor(swizzle).times(RingFactor.CHUNK));
        return new RingFragments(factor, left, sums, blocks, body.purpose("where this thread's matrix row of '"
                + factor.load().tensor().name() + "' begins").let(left ? "a_at" : "b_at", at), offset);
    }

    @Override
    public void read(Body body, Landed stage, int step, Register to, int into) {
        int atOnce = left ? 1 : Math.min(2, count());
        Ldmatrix form = new Ldmatrix(Ldmatrix.Shape.M8N8_B16, left || atOnce == 2 ? MatrixCount.X4 : MatrixCount.X2);
        Ldmatrix turned = factor.along() ? form : form.withTransposed();
        Registers.each(body, count() / atOnce, (b, number) -> {
            Expr across = Linear.of(number.times(atOnce), blocks);
            Expr place = factor.along() ? at.xor(step * STEP_BYTES).plus(across.times(factor.pitch()))
                    : at.xor(across.times(RingFactor.CHUNK / MATRIX)).plus(step * 2 * MATRIX * factor.pitch());
            b.issue(turned, Input.of(to, number.times(atOnce * each()).plus(into)), Input.of(stage.at(place.plus(
                    offset))));
        });
    }
}

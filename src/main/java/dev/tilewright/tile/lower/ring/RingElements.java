package dev.tilewright.tile.lower.ring;

import dev.tilewright.builder.pipeline.Landed;
import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Register;
import dev.tilewright.tile.lower.layout.Layout;
import dev.tilewright.tile.lower.layout.Linear;
import dev.tilewright.tile.lower.layout.Registers;
import java.util.List;

/**
 * A factor of 32 or 64 bits that threads read element by element: f64, and tf32 whose neighbours in memory are
 * neighbours across k.
 *
 * @param at the byte of the thread's first element
 * @param offset of the factor in a stage
 */
record RingElements(RingFactor factor, boolean left, Layout sums, List<Integer> blocks, Expr at, int offset)
        implements RingReads {
    /** Lanes along k. */
    private static final int ALONG = 4;

    static RingElements of(Body body, RingFactor factor, boolean left, Layout sums, int offset) {
        Expr lane = Builtin.THREAD.modulo(1 << LANE_BITS);
        Expr across = RingReads.warp(left, sums).plus(lane.dividedBy(ALONG));
        Expr k = lane.modulo(ALONG);
        int bytes = factor.stored().bytes();
        Expr at = factor.along() ? factor.place(across, k.times(bytes)) : factor.place(k, across.times(bytes));
        return new RingElements(factor, left, sums, RingReads.blocks(factor, left, sums), body.purpose("where this "
                + "thread's first element of '" + factor.load().tensor().name() + "' lies").let(left ? "a_at" : "b_at",
                at), offset);
    }

    @Override
    public void read(Body body, Landed stage, int step, Register to, int into) {
        int bytes = factor.stored().bytes();
        Register element = to.type() == factor.stored() ? null : body.registers("element", factor.stored(), 1);
        Registers.each(body, count(), (b, number) -> {
            Expr block = Linear.of(number, blocks);
            for (int i = 0; i < each(); i++) {
                // A's registers go down first, then along k; B's along k.
                Expr down = block.plus(left ? i % 2 * MATRIX : 0);
                int half = left ? i / 2 : i;
                int k = step * STEP_BYTES / bytes + half * ALONG;
                Expr place = factor.along() ? at.xor(k * bytes).plus(down.times(factor.pitch()))
                        : at.xor(down.times(bytes)).xor(factor.exchangedAt(k)).plus(k * factor.pitch());
                Expr register = number.times(each()).plus(into + i);
                if (element == null) {
                    b.load(to, register, 1, stage.at(place.plus(offset)));
                } else {
                    b.load(element, stage.at(place.plus(offset)));
                    b.assign(to.at(register), element.get().bitCast(to.type()));
                }
            }
        });
    }
}

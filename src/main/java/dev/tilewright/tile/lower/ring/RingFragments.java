package dev.tilewright.tile.lower.ring;

import dev.tilewright.builder.pipeline.Landed;
import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.Conversion;
import dev.tilewright.program.value.Rounding;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.warp.Ldmatrix;
import dev.tilewright.ptx.warp.MatrixCount;
import dev.tilewright.tile.lower.layout.Layout;
import dev.tilewright.tile.lower.layout.Linear;
import dev.tilewright.tile.lower.layout.Registers;
import java.util.List;

/**
 * How threads read a factor from a stage as {@code mma.sync} takes it: {@code ldmatrix} reads matrices of 8 rows of 16
 * bytes, of A the four of 16 rows, of B two or four of 8 or 16 columns.
 *
 * @param left whether the factor is A
 * @param sums how they are held
 * @param blocks what each bit of the number of a thread's block of 16 rows, or 8 columns, adds to its place
 * @param at the byte whose matrix row this thread's address is, of its first block
 * @param offset of the factor in a stage
 */
record RingFragments(RingFactor factor, boolean left, Layout sums, List<Integer> blocks, Expr at, int offset) {
    private static final int LANE_BITS = 5;
    private static final int MATRIX = 8;
    private static final int STEP_BYTES = 32;
    private static final Conversion TO_TF32 = new Conversion(ValueType.F32, ValueType.TF32, Rounding.NEAREST_EVEN,
            false);

    /** @param sums how they are held */
    static RingFragments of(Body body, RingFactor factor, boolean left, Layout sums, int offset) {
        int axis = left ? 0 : 1;
        int first = left ? 2 * MATRIX : MATRIX;
        List<Integer> blocks = sums.registers().stream().map(basis -> basis.get(axis)).filter(place -> place >= first)
                .toList();
        Expr warp = Linear.of(Builtin.THREAD.shiftRight(LANE_BITS), sums.threads().stream().skip(LANE_BITS)
                .map(basis -> basis.get(axis)).toList());
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
        return new RingFragments(factor, left, sums, blocks, body.purpose("where this thread's matrix row of "
                + (left ? "A" : "B") + " begins").let(left ? "a_at" : "b_at", at), offset);
    }

    /** Whether this is how a factor is read for sums that are held so. */
    boolean isOf(RingFactor other, boolean asLeft, Layout layout) {
        return factor.equals(other) && left == asLeft && sums.equals(layout);
    }

    /** Registers of a step along k. */
    int registers() {
        return count() * each();
    }

    /** Blocks of a thread. */
    int count() {
        return 1 << blocks.size();
    }

    /** Registers of a block. */
    int each() {
        return left ? 4 : 2;
    }

    private int blocksAtOnce() {
        return left ? 1 : Math.min(2, count());
    }

    /** Reads what a step along k takes. @param into the first register */
    void read(Body body, Landed stage, Expr step, Register to, Expr into) {
        int atOnce = blocksAtOnce();
        MatrixCount matrices = left || atOnce == 2 ? MatrixCount.X4 : MatrixCount.X2;
        Ldmatrix form = new Ldmatrix(Ldmatrix.Shape.M8N8_B16, matrices);
        Ldmatrix turned = factor.along() ? form : form.withTransposed();
        Registers.each(body, count() / atOnce, (b, number) -> {
            Expr across = Linear.of(number.times(atOnce), blocks);
            Expr place = factor.along() ? at.xor(step.times(STEP_BYTES)).plus(across.times(factor.pitch()))
                    : at.xor(across.times(RingFactor.CHUNK / MATRIX)).plus(step.times(2 * MATRIX * factor.pitch()));
            b.issue(turned, Input.of(to, into.plus(number.times(atOnce * each()))), Input.of(stage.at(place.plus(
                    offset))));
        });
        if (factor.factor().type() == ValueType.TF32) {
            body.purpose("round to tf32").unrolled("r", registers(), (b, r) -> {
                Value word = to.at(into.plus(r));
                b.assign(word, new Value.Convert(word.bitCast(ValueType.F32), TO_TF32).bitCast(ValueType.U32));
            });
        }
    }
}

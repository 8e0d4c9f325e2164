package dev.tilewright.program;

import dev.tilewright.NotNull;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.copy.LoadMode;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A step that issues an instruction, whose options are still being chosen. Each option puts another form, checked at
 * once, and replaces the one that was added before.
 *
 * @param <F> the instruction
 */
abstract class IssuedStep<F extends PtxInstruction> {
    final ThreadSteps body;
    private final Map<String, Input> inputs;
    private final int place;
    private F form;
    private List<Expr.Var> results = List.of();

    /** Adds the step. @param inputs by the names of the form's operands; may hold more */
    IssuedStep(ThreadSteps body, F form, Map<String, Input> inputs) {
        this.body = body;
        this.form = form;
        this.inputs = inputs;
        this.place = body.addAt(operation());
    }

    final F form() {
        return form;
    }

    /** Takes another form. */
    final void revise(F other) {
        form = other;
        body.revise(place, operation());
    }

    /** Remembers what an operand gets that a form has which is still to come. */
    final void give(String operand, Input input) {
        inputs.put(operand, input);
    }

    /** Remembers the rows of a gathered or scattered copy behind that of its coordinates. */
    final void giveRows(List<Expr> rows) {
        NotNull.all("rows", rows);
        if (rows.size() != 3) {
            throw new IllegalArgumentException("three rows follow that of the coordinates, got " + rows.size());
        }
        for (int i = 0; i < 3; i++) {
            give("c" + (i + 2), Input.of(rows.get(i)));
        }
    }

    /** Takes another form, and an operand that it has in addition. */
    final void revise(F other, String operand, Input input) {
        inputs.put(operand, input);
        revise(other);
    }

    /** Names the form's only result. */
    final Expr.Var result(String name) {
        if (form.results().isEmpty()) {
            throw new IllegalArgumentException(form.opcode() + " at another block's barrier gives no token");
        }
        Expr.Var result = body.variable(name, form.results().getFirst().kind().isWide() ? IntType.S64 : IntType.S32);
        results = List.of(result);
        revise(form);
        return result;
    }

    private Operation operation() {
        List<Input> given = form.inputs().stream().map(Operand::name).map(inputs::get).toList();
        return new Operation.Issue(form, given, results);
    }

    /** {@code step of mbarrier.arrive}. */
    @Override
    public String toString() {
        return "step of " + form.opcode();
    }

    /**
     * Which elements of a tensor a copy into shared memory, or a prefetch, has; a box of a tiled map, without these.
     *
     * @param <F> the instruction
     * @param <S> the step itself
     */
    abstract static sealed class LoadModeStep<F extends PtxInstruction, S extends LoadModeStep<F, S>>
                extends IssuedStep<F> permits TensorLoadStep, TensorPrefetchStep {
        private final int rank;

        LoadModeStep(ThreadSteps body, F form, int rank, Map<String, Input> inputs) {
            super(body, form, inputs);
            this.rank = rank;
        }

        abstract S self();

        abstract F in(LoadMode mode);

        /**
         * Takes the pixels of a convolution, through an im2col map.
         *
         * @param offsets 32 bits, one for each spatial dimension, innermost first
         */
        public S im2col(List<Expr> offsets) {
            Objects.requireNonNull(offsets, "offsets");
            F im2col = in(LoadMode.IM2COL);
            if (offsets.size() != rank - 2) {
                throw new IllegalArgumentException("an im2col copy of rank " + rank + " takes " + (rank - 2)
                        + " offsets, got " + offsets.size());
            }
            for (int i = 0; i < offsets.size(); i++) {
                give("offset" + i, Input.of(offsets.get(i)));
            }
            revise(im2col);
            return self();
        }

        /**
         * Takes four rows of a matrix, through a tiled map of rank 2 with a box of one row: the row at the step's
         * coordinates, and three more from the same column on. Needs sm_100.
         *
         * @param rows the other three, 32 bits each
         */
        public S gather4(List<Expr> rows) {
            giveRows(rows);
            revise(in(LoadMode.GATHER4));
            return self();
        }

        /**
         * Takes pixels along W alone, through a wide im2col map. Needs sm_100.
         *
         * @param groups whether in the mode of 128 pixels with a halo after every 32
         * @param halo 32 bits: how many pixels more are copied
         * @param offset 32 bits: what is added to the W of the box's corners and of its start
         */
        public S im2colWide(boolean groups, Expr halo, Expr offset) {
            NotNull.all("halo, offset", halo, offset);
            give("w_halo", Input.of(halo));
            revise(in(groups ? LoadMode.IM2COL_W_128 : LoadMode.IM2COL_W), "w_offset", Input.of(offset));
            return self();
        }

        /**
         * Takes pixels along W alone, through a wide im2col map. Needs sm_100.
         *
         * @param groups whether in the mode of 128 pixels with a halo after every 32
         * @param halo how many pixels more are copied
         * @param offset what is added to the W of the box's corners and of its start
         */
        public S im2colWide(boolean groups, int halo, int offset) {
            return im2colWide(groups, Expr.of(halo), Expr.of(offset));
        }
    }
}

package dev.tilewright.ptx.warp;

import static dev.tilewright.ptx.form.EffectsBuilder.bytes;
import static dev.tilewright.ptx.form.EffectsBuilder.reads;

import dev.tilewright.NotNull;
import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Effects.Proxy;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.IllegalFormException;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;
import dev.tilewright.ptx.form.Operands;
import dev.tilewright.ptx.form.Require;

/**
 * {@code ldmatrix}: a warp loads matrices of 8 or 16 rows from shared memory into registers in the layout of mma, one
 * register for each matrix (two for m16n16). Lanes 0 to 7 give the addresses of the first matrix's rows, and so on.
 * Inputs, in order: {@code r, src}.
 *
 * @param shape rows, columns and elements of one matrix
 * @param matrices how many
 * @param transposed whether each is transposed on the way: m8n8 can be, m16n16 must be
 * @param space where they are: generic, or the block's own shared memory
 */
@About(section = "ldmatrix", role = StepRole.OTHER,
        summary = "a warp loads matrices of 8 or 16 rows from shared memory into registers in the layout of mma")
public record Ldmatrix(Shape shape, MatrixCount matrices, boolean transposed, Space space) implements WarpInstruction {
    /** A matrix. */
    public enum Shape {
        M8N8_B16("m8n8", "b16", 1),
        M16N16_B8("m16n16", "b8", 2),
        /** 6-bit elements, spread over bytes. */
        M16N16_B6("m16n16", "b8x16.b6x16_p32", 2),
        /** 4-bit elements, spread over bytes. */
        M16N16_B4("m16n16", "b8x16.b4x16_p64", 2),
        M8N16_B6("m8n16", "b8x16.b6x16_p32", 1),
        M8N16_B4("m8n16", "b8x16.b4x16_p64", 1);

        private final String shape;
        private final String type;
        private final int registers;

        Shape(String shape, String type, int registers) {
            this.shape = shape;
            this.type = type;
            this.registers = registers;
        }
    }

    public Ldmatrix {
        NotNull.all("shape, matrices, space", shape, matrices, space);
        Require.space("ldmatrix", space, Require.OWN_SHARED, Ldmatrix.class);
        if (shape.registers == 2 && (!transposed || matrices == MatrixCount.X4)) {
            throw new IllegalFormException("ldmatrix.m16n16 is .trans, of one or two matrices, got " + matrices.count()
                    + (transposed ? "" : " not transposed"), Ldmatrix.class);
        }
        if (shape.shape.equals("m8n16") && transposed) {
            throw new IllegalFormException("ldmatrix.m8n16 does not transpose", Ldmatrix.class);
        }
    }

    /** The form for the block's own shared memory, transposed if the shape requires it. */
    public Ldmatrix(Shape shape, MatrixCount matrices) {
        NotNull.all("shape, matrices", shape, matrices);
        this(shape, matrices, shape.registers == 2, Space.SHARED_CTA);
    }

    /** Transposing each matrix. */
    public Ldmatrix withTransposed() {
        return new Ldmatrix(shape, matrices, true, space);
    }

    /** This form with an address in this state space. */
    public Ldmatrix withSpace(Space space) {
        return new Ldmatrix(shape, matrices, transposed, space);
    }

    /** Registers that each thread gets: one for a matrix, of m16n16 two. */
    public int registers() {
        return matrices.count() * shape.registers;
    }

    @Override
    public Form form() {
        return FormBuilder.form("ldmatrix.sync.aligned").with("." + shape.shape).with(matrices)
                .withIf(transposed, ".trans").with(space)
                .with("." + shape.type)
                .registers(Operands.written("r", Operand.Kind.B32_REGISTERS, registers()))
                .operand(Operands.source(space, "src"))
                .needs((shape == Shape.M8N8_B16 ? Gates.AMPERE : Gates.MATRIX_BYTES).and(Gates.of(space)),
                        reads("src", Proxy.GENERIC, bytes(16)));
    }
}

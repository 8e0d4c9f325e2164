package dev.tilewright.ptx.warp;

import dev.tilewright.NotNull;
import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Effects.Proxy;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.IllegalFormException;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.EffectsBuilder;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;
import dev.tilewright.ptx.form.Operands;
import dev.tilewright.ptx.form.Require;

/**
 * {@code stmatrix}: a warp stores matrices from registers in the layout of mma to shared memory. Inputs, in order:
 * {@code dst, r}.
 *
 * @param bytes whether they are m16n8 matrices of bytes, which are always transposed; else m8n8 of 16 bits
 * @param matrices how many
 * @param transposed whether each is transposed on the way
 * @param space where they go: generic, or the block's own shared memory
 */
@About(section = "stmatrix", role = StepRole.OTHER,
        summary = "a warp stores matrices from registers in the layout of mma to shared memory")
public record Stmatrix(
        boolean bytes, MatrixCount matrices, boolean transposed, Space space)
        implements WarpInstruction {
    public Stmatrix {
        NotNull.all("matrices, space", matrices, space);
        Require.space("stmatrix", space, Require.OWN_SHARED, Stmatrix.class);
        if (bytes && !transposed) {
            throw new IllegalFormException("stmatrix.m16n8 is .trans", Stmatrix.class);
        }
    }

    /** m8n8 matrices of 16 bits, to the block's own shared memory. */
    public Stmatrix(MatrixCount matrices) {
        this(false, matrices, false, Space.SHARED_CTA);
    }

    /** m16n8 matrices of bytes, transposed. */
    public Stmatrix withBytes() {
        return new Stmatrix(true, matrices, true, space);
    }

    /** Transposing each matrix. */
    public Stmatrix withTransposed() {
        return new Stmatrix(bytes, matrices, true, space);
    }

    /** This form with an address in this state space. */
    public Stmatrix withSpace(Space space) {
        return new Stmatrix(bytes, matrices, transposed, space);
    }

    /** Registers that each thread gives: one for a matrix. */
    public int registers() {
        return matrices.count();
    }

    @Override
    public Form form() {
        return FormBuilder.form("stmatrix.sync.aligned").with(bytes ? ".m16n8" : ".m8n8").with(matrices)
                .withIf(transposed, ".trans")
                .with(space).with(bytes ? ".b8" : ".b16")
                .operand(Operands.destination(space, "dst"))
                .registers(Operands.read("r", Operand.Kind.B32_REGISTERS, registers()))
                .needs((bytes ? Gates.MATRIX_BYTES : Gates.HOPPER_FIRST).and(Gates.of(space)),
                        EffectsBuilder.writes("dst", Proxy.GENERIC, EffectsBuilder.bytes(16)));
    }
}

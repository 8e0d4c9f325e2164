package dev.tilewright.ptx.copy;

import dev.tilewright.ptx.Gate;
import dev.tilewright.ptx.IllegalFormException;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.Qualifier;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;
import dev.tilewright.ptx.form.Operands;
import dev.tilewright.ptx.form.Require;
import java.util.List;

/** How a tensor load or prefetch picks the elements of its box (PTX ISA, "Tensor copies: modes"). */
public enum LoadMode implements Qualifier {
    /** A box of the tensor. */
    TILE(""),
    /** Four rows of a tensor of rank 2; five coordinates: the column, then the rows. */
    GATHER4(".tile::gather4"),
    /**
     * Pixels in the order of a convolution, from a tensor of rank 3 to 5; one 16-bit offset for each spatial dimension.
     */
    IM2COL(".im2col"),
    /** Pixels in the order of a convolution along dimension W alone; a halo and an offset, 16 bits each. */
    IM2COL_W(".im2col::w"),
    /** Pixels along W alone, 128 of them, with the halo after every 32. */
    IM2COL_W_128(".im2col::w::128");

    private final String text;

    LoadMode(String text) {
        this.text = text;
    }

    @Override
    public String text() {
        return text;
    }

    /** Coordinates, innermost first. */
    List<Operand> coordinates(int rank) {
        return Operands.several("c", this == GATHER4 ? 5 : rank, Operand.Kind.COORDINATE);
    }

    /** Appends the im2col operands, where there are any. */
    FormBuilder info(FormBuilder form, int rank) {
        return switch (this) {
            case TILE, GATHER4 -> form;
            case IM2COL -> form.vector(Operands.several("offset", rank - 2, Operand.Kind.U16));
            case IM2COL_W, IM2COL_W_128 -> form.vector(List.of(
                    Operands.of("w_halo", Operand.Kind.U16), Operands.of("w_offset", Operand.Kind.U16)));
        };
    }

    /** What the mode needs of a load to this destination. */
    Gate gate(Destination destination) {
        return switch (this) {
            case TILE, IM2COL -> Gates.HOPPER;
            case GATHER4, IM2COL_W -> destination == Destination.SHARED_CTA ? Gates.BLACKWELL
                    : Gates.BLACKWELL_FAMILIES;
            case IM2COL_W_128 -> Gates.BLACKWELL_FAMILIES;
        };
    }

    /** Whether what the reference makes of it comes from the documents alone: it needs sm_100 or later. */
    boolean isDocumentedOnly() {
        return this != TILE && this != IM2COL;
    }

    void requireRank(int rank, Class<? extends PtxInstruction> of) {
        Require.rank(rank, of);
        if (this == GATHER4 && rank != 2) {
            throw new IllegalFormException("tile::gather4 is of tensors of rank 2, got " + rank, of);
        }
        if (this != TILE && this != GATHER4 && rank < 3) {
            throw new IllegalFormException(text.substring(1) + " is of tensors of rank 3 to 5, got " + rank, of);
        }
    }

    String suffix() {
        return text.replace("::", "_").replace('.', '_');
    }
}

package dev.tilewright.ptx.copy;

import dev.tilewright.ptx.Gate;
import dev.tilewright.ptx.IllegalFormException;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.Qualifier;
import dev.tilewright.ptx.form.Gates;
import dev.tilewright.ptx.form.Operands;
import dev.tilewright.ptx.form.Require;
import java.util.List;

/** How a tensor store or reduction places the elements of its box (PTX ISA, "Tensor copies: modes"). */
public enum StoreMode implements Qualifier {
    /** A box of the tensor. */
    TILE(""),
    /** Four rows of a tensor of rank 2; five coordinates: the column, then the rows. */
    SCATTER4(".tile::scatter4"),
    /** Pixels in the order of a convolution, to a tensor of rank 3 to 5; no offsets. */
    IM2COL_NO_OFFS(".im2col_no_offs");

    private final String text;

    StoreMode(String text) {
        this.text = text;
    }

    @Override
    public String text() {
        return text;
    }

    /** Coordinates, innermost first. */
    List<Operand> coordinates(int rank) {
        return Operands.several("c", this == SCATTER4 ? 5 : rank, Operand.Kind.COORDINATE);
    }

    /** The mode of a load that visits the same elements. */
    public LoadMode likeLoad() {
        return switch (this) {
            case TILE -> LoadMode.TILE;
            case SCATTER4 -> LoadMode.GATHER4;
            case IM2COL_NO_OFFS -> LoadMode.IM2COL;
        };
    }

    Gate gate() {
        return this == SCATTER4 ? Gates.BLACKWELL_FAMILIES : Gates.HOPPER;
    }

    void requireRank(int rank, Class<? extends PtxInstruction> of) {
        Require.rank(rank, of);
        if (this == SCATTER4 && rank != 2) {
            throw new IllegalFormException("tile::scatter4 is of tensors of rank 2, got " + rank, of);
        }
        if (this == IM2COL_NO_OFFS && rank < 3) {
            throw new IllegalFormException("im2col_no_offs is of tensors of rank 3 to 5, got " + rank, of);
        }
    }

    String suffix() {
        return text.replace("::", "_").replace('.', '_');
    }
}

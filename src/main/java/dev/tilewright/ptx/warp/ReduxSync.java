package dev.tilewright.ptx.warp;

import dev.tilewright.NotNull;
import dev.tilewright.ptx.About;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.IllegalFormException;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.Qualifier;
import dev.tilewright.ptx.Reordering;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;
import java.util.EnumSet;
import java.util.Set;

/**
 * {@code redux.sync}: reduces the members' 32-bit integers to one, which every member gets. Sums wrap. Inputs, in
 * order: {@code value, members}. Result: {@code reduced}.
 *
 * @param op the operation
 * @param type u32 or s32 for add, min and max; b32 for and, or and xor
 */
@About(section = "redux.sync", role = StepRole.OTHER, reordering = Reordering.MEMORY,
        summary = "reduces the members' integers to one that every member gets")
public record ReduxSync(Op op, DataType type) implements WarpInstruction {
    private static final Set<DataType> NUMBERS = EnumSet.of(DataType.U32, DataType.S32);

    /** How two values are combined. */
    public enum Op implements Qualifier {
        ADD, MIN, MAX, AND, OR, XOR;

        boolean isOfBits() {
            return compareTo(AND) >= 0;
        }
    }

    public ReduxSync {
        NotNull.all("op, type", op, type);
        Set<DataType> types = op.isOfBits() ? EnumSet.of(DataType.B32) : NUMBERS;
        if (!types.contains(type)) {
            throw new IllegalFormException("redux.sync" + op.text() + " takes values of " + types + ", got " + type,
                    ReduxSync.class);
        }
    }

    @Override
    public Form form() {
        return FormBuilder.form("redux.sync").with(op).with(type)
                .operand("reduced", Operand.Kind.U32_OUT)
                .operand("value", Operand.Kind.U32)
                .operand("members", Operand.Kind.U32)
                .needs(Gates.AMPERE);
    }
}

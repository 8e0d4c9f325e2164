package dev.tilewright.ptx;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * {@code tensormap.replace}: one thread sets one field of a tensor map that lies in shared memory.
 *
 * <p>Which fields there are, what they take and their widths: PTX ISA, "Data Movement and Conversion Instructions:
 * tensormap.replace". Numbers of types and modes are that page's own; those of types are not cuda.h's.
 *
 * @param field the field
 * @param immediate where the field is {@link Takes#ORDINAL}, which dimension or stride; where it is
 *     {@link Takes#IMMEDIATE}, its new value; else 0
 */
public record TensormapReplace(Field field, int immediate) implements PtxInstruction {

    /** What follows the map's address. */
    public enum Takes {
        /** The new value, in a register. */
        VALUE,
        /** The number of a dimension or stride, which is part of the instruction, and the new value, in a register. */
        ORDINAL,
        /** The new value, which is part of the instruction. */
        IMMEDIATE
    }

    /** A field of a map of tiles. */
    public enum Field {
        GLOBAL_ADDRESS(Takes.VALUE, 64, 0),
        RANK(Takes.VALUE, 32, 0),
        BOX_DIM(Takes.ORDINAL, 32, 4),
        GLOBAL_DIM(Takes.ORDINAL, 32, 4),
        GLOBAL_STRIDE(Takes.ORDINAL, 64, 3),
        ELEMENT_STRIDE(Takes.ORDINAL, 32, 4),
        ELEMTYPE(Takes.IMMEDIATE, 32, 12),
        INTERLEAVE_LAYOUT(Takes.IMMEDIATE, 32, 2),
        SWIZZLE_MODE(Takes.IMMEDIATE, 32, 3),
        FILL_MODE(Takes.IMMEDIATE, 32, 1);

        private final Takes takes;
        private final int bits;
        private final int lastImmediate;

        Field(Takes takes, int bits, int lastImmediate) {
            this.takes = takes;
            this.bits = bits;
            this.lastImmediate = lastImmediate;
        }

        /** What the instruction takes for it. */
        public Takes takes() {
            return takes;
        }

        /** The largest ordinal or value that sm_90a has. */
        public int lastImmediate() {
            return lastImmediate;
        }

        /** The name in PTX: {@code global_dim}. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public TensormapReplace {
        if (immediate < 0 || immediate > field.lastImmediate) {
            throw new IllegalArgumentException("tensormap.replace." + field + ": "
                    + switch (field.takes) {
                        case VALUE -> "what is part of the instruction (its value is not)";
                        case ORDINAL -> "the number of the dimension or stride";
                        case IMMEDIATE -> "the new value";
                    } + " must be in [0, " + field.lastImmediate + "], got " + immediate);
        }
    }

    @Override
    public String opcode() {
        return "tensormap.replace.tile." + field + ".shared::cta.b1024.b" + field.bits;
    }

    @Override
    public List<Operand> operands() {
        Operand value = Operand.of("value", field.bits == 64 ? Operand.Kind.U64 : Operand.Kind.U32);
        return Stream.concat(Stream.of(Operand.of("map", Operand.Kind.SHARED_ADDRESS)),
                field.takes == Takes.IMMEDIATE ? Stream.empty() : Stream.of(value)).toList();
    }

    @Override
    public String operandText() {
        return "[%map%], " + switch (field.takes) {
            case VALUE -> "%value%";
            case ORDINAL -> immediate + ", %value%";
            case IMMEDIATE -> Integer.toString(immediate);
        };
    }

    @Override
    public PtxVersion since() {
        return Ptx.V8_3;
    }

    @Override
    public Target minimumTarget() {
        return Target.SM_90A;
    }

    @Override
    public String summary() {
        return "one thread sets one field of a tensor map that lies in shared memory";
    }

    @Override
    public String functionName() {
        return "tensormap_replace_" + field + (field.takes == Takes.VALUE ? "" : "_" + immediate);
    }
}

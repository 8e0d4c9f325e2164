package dev.tilewright.ptx.tensormap;

import static dev.tilewright.ptx.form.EffectsBuilder.bytes;
import static dev.tilewright.ptx.form.EffectsBuilder.updates;

import dev.tilewright.NotNull;
import dev.tilewright.ptx.About;
import dev.tilewright.ptx.Effects.Proxy;
import dev.tilewright.ptx.Form;
import dev.tilewright.ptx.Gate;
import dev.tilewright.ptx.IllegalFormException;
import dev.tilewright.ptx.OneOf;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.form.FormBuilder;
import dev.tilewright.ptx.form.Gates;
import dev.tilewright.ptx.form.Operands;
import dev.tilewright.ptx.form.Ptx;
import dev.tilewright.ptx.form.Require;
import java.util.EnumSet;
import java.util.Locale;

/**
 * {@code tensormap.replace}: one thread sets one field of a tensor map in shared or global memory. Inputs, in order:
 * {@code map, [value]}.
 *
 * <p>Numbers of types and modes are the ISA's own; those of types are not cuda.h's.
 *
 * @param field the field
 * @param immediate where the field is {@link Takes#ORDINAL}, which dimension or stride; where it is
 *     {@link Takes#IMMEDIATE}, its new value; else 0
 * @param space where the map is: generic, global, or the block's own shared memory
 */
@About(section = "tensormap.replace", role = StepRole.OTHER,
        summary = "one thread sets one field of a tensor map in shared or global memory")
public record TensormapReplace(
        Field field, @OneOf({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}) int immediate, Space space)
        implements TensormapInstruction {
    /** The operands that follow the map's address. */
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
        GLOBAL_STRIDE(Takes.ORDINAL, 64, 4),
        ELEMENT_STRIDE(Takes.ORDINAL, 32, 4),
        ELEMTYPE(Takes.IMMEDIATE, 32, 15),
        INTERLEAVE_LAYOUT(Takes.IMMEDIATE, 32, 2),
        SWIZZLE_MODE(Takes.IMMEDIATE, 32, 4),
        SWIZZLE_ATOMICITY(Takes.IMMEDIATE, 32, 3),
        FILL_MODE(Takes.IMMEDIATE, 32, 1);

        private final Takes takes;
        private final int bits;
        private final int lastImmediate;

        Field(Takes takes, int bits, int lastImmediate) {
            this.takes = takes;
            this.bits = bits;
            this.lastImmediate = lastImmediate;
        }

        /** The name in PTX: {@code global_dim}. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** 128 bytes. */
    private static final int LAST_POWER_OF_TWO_SWIZZLE = 3;
    /** The last element type before the packed ones of 4 and 6 bits. */
    private static final int LAST_WHOLE_BYTE_TYPE = 12;

    public TensormapReplace {
        NotNull.all("field, space", field, space);
        Require.space("tensormap.replace", space, EnumSet.of(Space.GENERIC, Space.GLOBAL, Space.SHARED_CTA),
                TensormapReplace.class);
        if (immediate < 0 || immediate > field.lastImmediate) {
            throw new IllegalFormException("tensormap.replace." + field + ": "
                    + switch (field.takes) {
                        case VALUE -> "what is part of the instruction (its value is not)";
                        case ORDINAL -> "the number of the dimension or stride";
                        case IMMEDIATE -> "the new value";
                    } + " must be in [0, " + field.lastImmediate + "], got " + immediate, TensormapReplace.class);
        }
    }

    /** For a map in the block's own shared memory. */
    public TensormapReplace(Field field, int immediate) {
        this(field, immediate, Space.SHARED_CTA);
    }

    /** For a field whose value comes in a register, of a map in the block's own shared memory. */
    public TensormapReplace(Field field) {
        this(field, 0);
    }

    /** For a map in this space. */
    public TensormapReplace withSpace(Space space) {
        return new TensormapReplace(field, immediate, space);
    }

    @Override
    public Form form() {
        FormBuilder form = FormBuilder.form("tensormap.replace.tile").with("." + field).with(space)
                .with(".b1024.b" + field.bits)
                .operand(Operands.destination(space, "map"));
        if (field.takes != Takes.VALUE) {
            form.literal(Integer.toString(immediate));
        }
        return form.operandIf(field.takes != Takes.IMMEDIATE,
                        "value", field.bits == 64 ? Operand.Kind.U64 : Operand.Kind.U32)
                .named("tensormap_replace_" + field + (field.takes == Takes.VALUE ? "" : "_" + immediate)
                        + Ptx.suffix(space))
                .needs(fieldGate(), updates("map", Proxy.GENERIC, bytes(128)));
    }

    private Gate fieldGate() {
        return field == Field.SWIZZLE_MODE && immediate > LAST_POWER_OF_TWO_SWIZZLE ? Gates.REPLACE_96B_SWIZZLE
                : field == Field.SWIZZLE_ATOMICITY ? Gates.REPLACE_ATOMICITY
                : field == Field.ELEMTYPE && immediate > LAST_WHOLE_BYTE_TYPE ? Gates.REPLACE_PACKED_TYPE
                : Gates.REPLACE;
    }
}

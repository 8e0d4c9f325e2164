package dev.tilewright.ptx.form;

import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.Space;
import java.util.List;
import java.util.stream.IntStream;

/** Makes operands: by their kind, by the space of an address, by the type of a register. */
public final class Operands {
    private Operands() { }

    public static Operand of(String name, Operand.Kind kind) {
        return new Operand(name, kind);
    }

    /** Registers that are read. */
    public static Operand read(String name, Operand.Kind kind, int count) {
        return new Operand(name, kind, count, Operand.Access.READ);
    }

    /** Registers that are written. */
    public static Operand written(String name, Operand.Kind kind, int count) {
        return new Operand(name, kind, count, Operand.Access.WRITE);
    }

    /** Registers that are read, then written. */
    public static Operand updated(String name, Operand.Kind kind, int count) {
        return new Operand(name, kind, count, Operand.Access.UPDATE);
    }

    /** {@code prefix0}, {@code prefix1} and so on. */
    public static List<Operand> several(String prefix, int count, Operand.Kind kind) {
        return IntStream.range(0, count).mapToObj(i -> of(prefix + i, kind)).toList();
    }

    /** An address in the space that is only read from. */
    public static Operand source(Space space, String name) {
        return of(name, switch (space) {
            case GENERIC -> Operand.Kind.GENERIC_ADDRESS;
            case GLOBAL -> Operand.Kind.GLOBAL_ADDRESS;
            case SHARED, SHARED_CTA -> Operand.Kind.SHARED_ADDRESS;
            case SHARED_CLUSTER -> Operand.Kind.CLUSTER_ADDRESS;
        });
    }

    /** An address in the space that is written to. */
    public static Operand destination(Space space, String name) {
        return of(name, switch (space) {
            case GENERIC -> Operand.Kind.GENERIC_DESTINATION;
            case GLOBAL -> Operand.Kind.GLOBAL_DESTINATION;
            case SHARED, SHARED_CTA -> Operand.Kind.SHARED_ADDRESS;
            case SHARED_CLUSTER -> Operand.Kind.CLUSTER_ADDRESS;
        });
    }

    /** A register with a value of the type. */
    public static Operand input(DataType type, String name) {
        return of(name, switch (type) {
            case F32 -> Operand.Kind.F32;
            case F64 -> Operand.Kind.F64;
            default -> switch (type.bits()) {
                case 8 -> Operand.Kind.U8;
                case 16 -> Operand.Kind.U16;
                case 32 -> Operand.Kind.U32;
                default -> Operand.Kind.U64;
            };
        });
    }

    /** A result register; types of 32 and 64 bits only. */
    public static Operand output(DataType type, String name) {
        return of(name, switch (type) {
            case F32 -> Operand.Kind.F32_OUT;
            case F64 -> Operand.Kind.F64_OUT;
            default -> type.bits() == 32 ? Operand.Kind.U32_OUT : Operand.Kind.U64_OUT;
        });
    }
}

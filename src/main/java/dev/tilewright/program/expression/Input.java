package dev.tilewright.program.expression;

import dev.tilewright.NotNull;
import dev.tilewright.ptx.Operand;
import java.util.Objects;

/**
 * What a program gives to one input operand of a PTX instruction that it performs as such ({@code Operation.Issue}).
 */
public sealed interface Input {

    /** The address of a byte or of a barrier. */
    record Place(Address address) implements Input {
        public Place {
            Objects.requireNonNull(address, "address");
        }
    }

    /** A tensor map. */
    record Map(MapSource map) implements Input {
        public Map {
            Objects.requireNonNull(map, "map");
        }
    }

    /**
     * A number: for a register of 64 bits one of 64, else one of 32 bits. For a predicate, zero is false; for a float,
     * its bits; for an address, what another instruction handed out as one.
     */
    record Number(Expr value) implements Input {
        public Number {
            Objects.requireNonNull(value, "value");
        }
    }

    /**
     * Neighbouring elements of a register, as many as the operand takes; also for an operand that the instruction
     * writes.
     *
     * @param first index of the first, 32 bits, see {@link Register}
     */
    record Registers(Register register, Expr first) implements Input {
        public Registers {
            NotNull.all("register, first", register, first);
            register.requireIndex(first, 1);
        }
    }

    /** 128 bits. @param low the low 64 @param high the high 64 */
    record Wide(Expr low, Expr high) implements Input {
        public Wide {
            NotNull.all("low, high", low, high);
        }
    }

    /** An address. */
    static Input of(Address address) {
        Objects.requireNonNull(address, "address");
        return new Place(address);
    }

    /** A tensor map. */
    static Input of(MapSource map) {
        Objects.requireNonNull(map, "map");
        return new Map(map);
    }

    /** A number, or an address that is one. */
    static Input of(Expr value) {
        Objects.requireNonNull(value, "value");
        return new Number(value);
    }

    /** A number of 32 bits. */
    static Input of(int value) {
        return new Number(Expr.of(value));
    }

    /** A number of 64 bits. */
    static Input of(long value) {
        return new Number(Expr.of(value));
    }

    /** All elements of a register. */
    static Input of(Register register) {
        Objects.requireNonNull(register, "register");
        return new Registers(register, Expr.of(0));
    }

    /** Elements of a register from one on. @param first 32 bits, of constants and variables of unrolled loops */
    static Input of(Register register, Expr first) {
        return new Registers(register, first);
    }

    /** Elements of a register from one on. */
    static Input of(Register register, int first) {
        Objects.requireNonNull(register, "register");
        return new Registers(register, Expr.of(first));
    }

    /** Refuses what does not fit the operand. */
    default void requireFits(Operand operand) {
        Objects.requireNonNull(operand, "operand");
        boolean fits = switch (this) {
            case Place(Address.Global _) ->
                    isOneOf(operand, Operand.Kind.GLOBAL_ADDRESS, Operand.Kind.GLOBAL_DESTINATION,
                    Operand.Kind.GENERIC_ADDRESS, Operand.Kind.GENERIC_DESTINATION, Operand.Kind.TENSOR_MAP);
            case Place(Address.MapBytes _) -> isOneOf(operand, Operand.Kind.GENERIC_ADDRESS, Operand.Kind.TENSOR_MAP);
            case Place(Address.Remote _) -> false;
            // As a number an address is only what the instruction asks for as one.
            case Place _ -> isOneOf(operand, Operand.Kind.SHARED_ADDRESS, Operand.Kind.CLUSTER_ADDRESS,
                    Operand.Kind.GENERIC_ADDRESS, Operand.Kind.GENERIC_DESTINATION)
                    || operand.kind() == Operand.Kind.U32 && operand.name().equals("address");
            case Map _ -> isOneOf(operand, Operand.Kind.TENSOR_MAP, Operand.Kind.GENERIC_ADDRESS);
            case Number(Expr value) -> operand.kind() != Operand.Kind.U128 && !operand.kind().isRegisters()
                    && value.type() == (operand.kind().isWide() ? IntType.S64 : IntType.S32);
            case Registers(Register register, Expr first) -> fits(register, first, operand);
            case Wide(Expr low, Expr high) -> operand.kind() == Operand.Kind.U128
                    && low.type() == IntType.S64 && high.type() == IntType.S64;
        };
        if (!fits) {
            throw new IllegalArgumentException("operand '" + operand.name() + "' takes " + operand.kind().title()
                    + ", got " + title());
        }
    }

    private static boolean fits(Register register, Expr first, Operand operand) {
        boolean ofKind = operand.kind().isRegisters() && register.type() == Register.typeOf(operand);
        if (ofKind) {
            register.requireIndex(first, operand.count());
        }
        return ofKind;
    }

    private String title() {
        return switch (this) {
            case Place(Address.Global g) -> "an address in '" + g.pointer().name() + "'";
            case Place(Address.Shared s) -> "an address in '" + s.buffer().name() + "'";
            case Place(Address.Barrier b) -> "a barrier of '" + b.barriers().name() + "'";
            case Place(Address.MapBytes m) -> "an address in " + m.map().title();
            case Place(Address.Remote r) -> "an address in '" + r.buffer().name() + "' of another block";
            case Map(MapSource map) -> map.title();
            case Number(Expr value) -> "a number of type " + value.type();
            case Registers(Register register, Expr _) -> register.count() + " registers of type " + register.type();
            case Wide _ -> "two numbers";
        };
    }

    private static boolean isOneOf(Operand operand, Operand.Kind... kinds) {
        return java.util.Arrays.asList(kinds).contains(operand.kind());
    }
}

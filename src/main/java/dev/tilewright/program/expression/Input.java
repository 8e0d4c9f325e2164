package dev.tilewright.program.expression;

import dev.tilewright.NotNull;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Operand;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * An input of a PTX instruction that a program issues directly ({@code Operation.Issue}).
 */
public sealed interface Input {

    /** The operands that take it. */
    Predicate<Operand> fits();

    /** In words. */
    String title();

    /** The values that it is made of: an index expression as what it is worth, of registers the first. */
    default Stream<Value> parts() {
        return place().stream().flatMap(Address::parts);
    }

    /** The address that it is, or has within. */
    default Optional<Address> place() {
        return Optional.empty();
    }

    /** The parameter that it is. */
    default Optional<Parameter> parameter() {
        return Optional.empty();
    }

    /** The address of a byte or of a barrier. */
    record Place(Address address) implements Input {
        public Place {
            Objects.requireNonNull(address, "address");
        }

        @Override
        public Predicate<Operand> fits() {
            return address.fits();
        }

        @Override
        public String title() {
            return address.title();
        }

        @Override
        public Optional<Address> place() {
            return Optional.of(address);
        }
    }

    /** A tensor map. */
    record Map(MapSource map) implements Input {
        public Map {
            Objects.requireNonNull(map, "map");
        }

        @Override
        public Predicate<Operand> fits() {
            return operand -> operand.kind() == Operand.Kind.TENSOR_MAP
                    || operand.kind() == Operand.Kind.GENERIC_ADDRESS;
        }

        @Override
        public String title() {
            return map.title();
        }

        @Override
        public Optional<Address> place() {
            return map instanceof MapSource.InMemory m ? Optional.of(m.at()) : Optional.empty();
        }

        @Override
        public Optional<Parameter> parameter() {
            return map instanceof Parameter.TensorMap p ? Optional.of(p) : Optional.empty();
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

        @Override
        public Predicate<Operand> fits() {
            return operand -> operand.kind() != Operand.Kind.U128 && !operand.kind().isRegisters()
                    && value.type() == (operand.kind().isWide() ? IntType.S64 : IntType.S32);
        }

        @Override
        public String title() {
            return "a number of type " + value.type();
        }

        @Override
        public Stream<Value> parts() {
            return Stream.of(new Value.Index(value));
        }
    }

    /** The bits of a value of 32 or 64 bits, in a register of as many; for a float operand that is the value. */
    record Word(Value value) implements Input {
        public Word {
            Objects.requireNonNull(value, "value");
            if (value.type().bits() != Integer.SIZE && value.type().bits() != Long.SIZE) {
                throw new IllegalArgumentException("a value of 32 or 64 bits is needed, got one of type "
                        + value.type() + ": convert it, with to(I32) or to(F32)");
            }
        }

        /** The integer with these bits. */
        public Expr number() {
            return value.bitCast(value.type().bits() == Long.SIZE ? ValueType.I64 : ValueType.I32).toIndex();
        }

        @Override
        public Predicate<Operand> fits() {
            return operand -> !operand.kind().bracketed() && operand.kind() != Operand.Kind.TENSOR_MAP
                    && new Number(number()).fits().test(operand);
        }

        @Override
        public String title() {
            return "a value of type " + value.type();
        }

        @Override
        public Stream<Value> parts() {
            return Stream.of(new Value.Index(number()));
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

        @Override
        public Predicate<Operand> fits() {
            return operand -> {
                boolean ofKind = operand.kind().isRegisters() && register.type() == Register.typeOf(operand);
                if (ofKind) {
                    register.requireIndex(first, operand.count());
                }
                return ofKind;
            };
        }

        @Override
        public String title() {
            return register.count() + " registers of type " + register.type();
        }

        @Override
        public Stream<Value> parts() {
            return Stream.of(register.at(first));
        }
    }

    /**
     * 128 bits.
     *
     * @param low the low 64
     * @param high the high 64
     */
    record Wide(Expr low, Expr high) implements Input {
        public Wide {
            NotNull.all("low, high", low, high);
        }

        @Override
        public Predicate<Operand> fits() {
            return operand -> operand.kind() == Operand.Kind.U128 && low.type() == IntType.S64
                    && high.type() == IntType.S64;
        }

        @Override
        public String title() {
            return "two numbers";
        }

        @Override
        public Stream<Value> parts() {
            return Stream.of(new Value.Index(low), new Value.Index(high));
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

    /** A value of 32 or 64 bits, by its bits. */
    static Input of(Value value) {
        Objects.requireNonNull(value, "value");
        return new Word(value);
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

    /**
     * Elements of a register from one on.
     *
     * @param first 32 bits, of constants and variables of unrolled loops
     */
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
        if (!fits().test(operand)) {
            throw new IllegalArgumentException("operand '" + operand.name() + "' takes " + operand.kind().title()
                    + ", got " + title());
        }
    }
}

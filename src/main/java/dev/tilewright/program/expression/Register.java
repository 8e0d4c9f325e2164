package dev.tilewright.program.expression;

import dev.tilewright.NotNull;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Operand;
import java.util.Objects;
import java.util.function.BinaryOperator;

/**
 * A variable that changes, or an array of them, in a thread's registers. Made by {@code Body.variable} and
 * {@code Body.registers}.
 *
 * <p>Registers have no addresses: which element of an array is meant must be known when the kernel is compiled, so the
 * index is made of constants and variables of unrolled loops ({@code Body.unrolled}).
 *
 * @param type of each element
 * @param count elements, 1 to {@value #MOST}
 * @param number tells registers of one name apart, see {@link Expr.Var}
 */
public record Register(String name, ValueType type, int count, int number) {
    /** The most registers of an array: as many as a thread has registers of 32 bits. */
    public static final int MOST = 255;

    public Register {
        NotNull.all("name, type", name, type);
        Identifiers.require(name);
        if (count < 1 || count > MOST / words(type, 1)) {
            throw new IllegalArgumentException("'" + name + "' must have 1 to " + MOST / words(type, 1)
                    + " elements of type " + type + " (a thread has " + MOST + " registers of 32 bits), got " + count);
        }
    }

    // Those of a record are slow until they are compiled, and programs are looked up by their registers.

    @Override
    public boolean equals(Object other) {
        return this == other || other instanceof Register r && number == r.number && count == r.count && type == r.type
                && name.equals(r.name);
    }

    @Override
    public int hashCode() {
        return 31 * name.hashCode() + number;
    }

    /**
     * The type of the registers that an operand takes.
     *
     * @throws IllegalArgumentException if it takes something else
     */
    public static ValueType typeOf(Operand operand) {
        Objects.requireNonNull(operand, "operand");
        return switch (operand.kind()) {
            case B32_REGISTERS -> ValueType.U32;
            case S32_REGISTERS -> ValueType.I32;
            case F32_REGISTERS -> ValueType.F32;
            case F64_REGISTERS -> ValueType.F64;
            default -> throw new IllegalArgumentException("operand '" + operand.name() + "' takes no registers, but "
                    + operand.kind().title());
        };
    }

    private static int words(ValueType type, int count) {
        return count * Math.ceilDiv(type.bits(), Integer.SIZE);
    }

    /** Registers of 32 bits that it takes: two elements of 16 bits share one. */
    public int words() {
        return type.bits() == Short.SIZE ? Math.ceilDiv(count, 2) : words(type, count);
    }

    /** The value of the only element, where and when it is used. */
    public Value get() {
        if (count != 1) {
            throw new IllegalArgumentException("'" + name + "' has " + count + " elements: say which, with at(index)");
        }
        return at(0);
    }

    /**
     * The value of an element, where and when it is used.
     *
     * @param index from 0
     */
    public Value at(int index) {
        return at(Expr.of(index));
    }

    /**
     * The value of an element.
     *
     * @param index 32 bits, of constants and variables of unrolled loops
     */
    public Value at(Expr index) {
        return new Value.Element(this, index);
    }

    /** All elements, combined from the first to the last: {@code fold(Value::plus)} is their sum. */
    public Value fold(BinaryOperator<Value> combine) {
        Objects.requireNonNull(combine, "combine");
        Value all = at(0);
        for (int i = 1; i < count; i++) {
            all = combine.apply(all, at(i));
        }
        return all;
    }

    /** Refuses an index that is not 32 bits wide or, as far as it is constant, out of range. */
    public void requireIndex(Expr index, int elements) {
        Objects.requireNonNull(index, "index");
        if (index.type() != IntType.S32) {
            throw new IllegalArgumentException("the index of '" + name + "' must have 32 bits, got " + index.type());
        }
        index.constant().ifPresent(i -> {
            if (i < 0 || elements > count - i) {
                throw new IllegalArgumentException("'" + name + "' has the elements 0 to " + (count - 1)
                        + ", asked for " + (elements == 1 ? "" + i : i + " to " + (i + elements - 1)));
            }
        });
    }
}

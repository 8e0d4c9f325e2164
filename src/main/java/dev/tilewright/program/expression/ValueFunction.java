package dev.tilewright.program.expression;

import dev.tilewright.NotNull;
import dev.tilewright.program.value.ValueType;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * A function from values to a value, which generated code has once and calls wherever a program does.
 *
 * @param name of the function in generated code, unique among those of a kernel
 * @param purpose one line for people
 * @param parameters its parameters, registers of one element each, which the steps and the result read
 * @param lets registers that keep what is computed on the way, each with its value, in order
 * @param result what it is worth
 */
public record ValueFunction(String name, String purpose, List<Register> parameters, List<Let> lets, Value result) {

    /** A value on the way. */
    public record Let(Register register, Value value) {
        public Let {
            NotNull.all("register, value", register, value);
            if (register.type() != value.type() || register.count() != 1) {
                throw new IllegalArgumentException("'" + register.name() + "' cannot keep a value of type "
                        + value.type());
            }
        }
    }

    public ValueFunction {
        NotNull.all("name, purpose, parameters, lets, result", name, purpose, parameters, lets, result);
        Identifiers.require(name);
        Identifiers.requireOneLine("a function's purpose", purpose);
        parameters = List.copyOf(parameters);
        lets = List.copyOf(lets);
    }

    /** Collects what a function keeps on the way. */
    public static final class Lets {
        private final List<Let> lets = new ArrayList<>();
        private int number;

        private Lets() { }

        /** Names a value. */
        public Value let(String name, Value value) {
            NotNull.all("name, value", name, value);
            Register register = new Register(name, value.type(), 1, ++number);
            lets.add(new Let(register, value));
            return register.get();
        }

        /** {@code 2 names}. */
        @Override
        public String toString() {
            return lets.size() + " names in a function";
        }
    }

    /** The body of a function of one argument. */
    @FunctionalInterface
    public interface Body1 {
        /**
         * The result.
         *
         * @param lets keeps values that are used more than once
         * @param x the argument
         */
        Value apply(Lets lets, Value x);
    }

    /** The body of a function of two arguments. */
    @FunctionalInterface
    public interface Body2 {
        /**
         * The result.
         *
         * @param lets keeps values that are used more than once
         * @param x the first argument
         * @param y the second
         */
        Value apply(Lets lets, Value x, Value y);
    }

    /** A function of one argument. */
    public static ValueFunction of(String name, String purpose, ValueType x, Body1 body) {
        NotNull.all("name, purpose, x, body", name, purpose, x, body);
        return of(name, purpose, List.of(new Register("x", x, 1, 0)), lets -> registers ->
                body.apply(lets, registers.getFirst().get()));
    }

    /** A function of two arguments. */
    public static ValueFunction of(String name, String purpose, ValueType x, ValueType y, Body2 body) {
        NotNull.all("name, purpose, x, y, body", name, purpose, x, y, body);
        return of(name, purpose, List.of(new Register("x", x, 1, 0), new Register("y", y, 1, 0)), lets -> registers ->
                body.apply(lets, registers.getFirst().get(), registers.getLast().get()));
    }

    private static ValueFunction of(String name, String purpose, List<Register> parameters,
            Function<Lets, Function<List<Register>, Value>> body) {
        Lets lets = new Lets();
        Value result = body.apply(lets).apply(parameters);
        return new ValueFunction(name, purpose, parameters, lets.lets, result);
    }

    /** The result's type. */
    public ValueType type() {
        return result.type();
    }

    /** The function's value at these arguments. */
    public Value of(Value... arguments) {
        NotNull.all("arguments", (Object) arguments);
        return new Value.Call(this, List.of(arguments));
    }

    void requireArguments(List<Value> arguments) {
        if (arguments.size() != parameters.size()) {
            throw new IllegalArgumentException("function '" + name + "' takes " + parameters.size() + " arguments, got "
                    + arguments.size());
        }
        for (int i = 0; i < arguments.size(); i++) {
            if (arguments.get(i).type() != parameters.get(i).type()) {
                throw new IllegalArgumentException("argument " + i + " of function '" + name + "' must have type "
                        + parameters.get(i).type() + ", got " + arguments.get(i).type());
            }
        }
    }
}

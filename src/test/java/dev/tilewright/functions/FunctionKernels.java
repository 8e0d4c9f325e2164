package dev.tilewright.functions;

import dev.tilewright.program.Body;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.expression.ValueFunction;
import dev.tilewright.program.value.ValueType;
import java.util.List;
import java.util.function.BinaryOperator;
import java.util.function.UnaryOperator;

/** Kernels that do a function to an array, one element a thread. */
public final class FunctionKernels {
    /** Threads of a block. */
    public static final int THREADS = 128;
    /** Arguments of a thread of {@link #digests}. */
    public static final int TURNS = 128;
    private static final Parameter.Pointer X = new Parameter.Pointer("x", false);
    private static final Parameter.Pointer Y = new Parameter.Pointer("y", false);
    private static final Parameter.Pointer RESULT = new Parameter.Pointer("result", true);

    private FunctionKernels() {
    }

    /** {@code result = f(x)}: the buffers x and result. */
    public static TileProgram of(String name, ValueType type, UnaryOperator<Value> function) {
        return new TileProgram(name + "_kernel", name + " of an array", THREADS, List.of(X, RESULT),
                new SharedLayout(List.of()), Body.steps(body -> {
                    Expr at = at(type);
                    Value x = body.load("x", type, new Address.Global(X, at));
                    body.store(new Address.Global(RESULT, at), function.apply(x));
                }));
    }

    /** {@code result = f(x, y)}: the buffers x, y and result. */
    public static TileProgram of(String name, ValueType type, BinaryOperator<Value> function) {
        return new TileProgram(name + "_kernel", name + " of two arrays", THREADS, List.of(X, Y, RESULT),
                new SharedLayout(List.of()), Body.steps(body -> {
                    Expr at = at(type);
                    Value x = body.load("x", type, new Address.Global(X, at));
                    Value y = body.load("y", type, new Address.Global(Y, at));
                    body.store(new Address.Global(RESULT, at), function.apply(x, y));
                }));
    }

    private static Expr at(ValueType type) {
        return Builtin.BLOCK.times(THREADS).plus(Builtin.THREAD).times(type.bytes());
    }

    /**
     * Each thread does the function to {@value #TURNS} arguments made of its number, and stores the sum of the results'
     * bits, each sum before times 31: words as wide as the type. {@link Arguments} makes the same arguments.
     */
    public static TileProgram digests(ValueFunction function) {
        ValueType type = function.type();
        ValueType bits = type == ValueType.F32 ? ValueType.U32 : ValueType.U64;
        return new TileProgram(function.name() + "_digests", "sums of results' bits", THREADS, List.of(RESULT),
                new SharedLayout(List.of()), Body.steps(body -> {
                    Expr thread = body.let("thread", Builtin.BLOCK.times(THREADS).plus(Builtin.THREAD));
                    Register sum = body.variable("sum", Value.of(bits, 0));
                    body.loop("turn", TURNS, (turn, i) -> {
                        Value index = turn.let("index", thread.times(TURNS).plus(i).toValue().to(bits));
                        Value x = turn.let("x", Arguments.first(index));
                        Value result = function.parameters().size() == 1 ? function.of(x)
                                : function.of(x, Arguments.second(index));
                        turn.assign(sum, sum.get().times(31).plus(result.bitCast(bits)));
                    });
                    body.store(new Address.Global(RESULT, thread.times(type.bytes())), sum.get());
                }));
    }

    /** Every function of every type, a kernel each. */
    public static List<TileProgram> all() {
        return FunctionCases.trees().stream().map(f -> f.parameters().size() == 1
                ? of(f.name(), f.type(), (Value x) -> f.of(x))
                : of(f.name(), f.type(), (Value x, Value y) -> f.of(x, y))).toList();
    }
}

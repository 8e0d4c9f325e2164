package dev.tilewright.program;

import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.expression.Token;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.expression.ValueFunction;
import dev.tilewright.program.value.ApproximateOp;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.memory.Atom;
import dev.tilewright.ptx.memory.St;
import java.util.ArrayList;
import java.util.List;

/** Small kernels that compute, for tests of what values, registers and loops mean. */
public final class ComputingKernels {
    public static final Parameter.Pointer X = new Parameter.Pointer("x", false);
    public static final Parameter.Pointer Y = new Parameter.Pointer("y", true);
    public static final Parameter.Scalar A = new Parameter.Scalar("a", dev.tilewright.layout.ElementType.F32);

    private ComputingKernels() {
    }

    /** {@code y = a x + y} over f32, four elements a thread by one access. */
    public static TileProgram axpy() {
        return new TileProgram("axpy", "y = a x + y", 32, List.of(X, Y, A), new SharedLayout(List.of()),
                Body.steps(b -> {
            Expr at = Builtin.BLOCK.times(32).plus(Builtin.THREAD).times(16);
            Register x = b.registers("x", ValueType.F32, 4);
            Register y = b.registers("y", ValueType.F32, 4);
            b.load(x, new Address.Global(X, at));
            b.load(y, new Address.Global(Y, at));
            b.unrolled("i", 4, (u, i) -> u.assign(y.at(i), x.at(i).fma(new Value.Scalar(A), y.at(i))));
            b.store(new Address.Global(Y, at), y.at(0), y.at(1), y.at(2), y.at(3));
        }));
    }

    /** Each thread halves a number until it is below one, and stores how often: a loop whose end is data. */
    public static TileProgram halvings() {
        return new TileProgram("halvings", "how often x can be halved", 32, List.of(X, Y), new SharedLayout(List.of()),
                Body.steps(b -> {
                    Expr at = Builtin.THREAD.times(4);
                    Register v = b.registers("v", ValueType.F32, 1);
                    b.load(v, new Address.Global(X, at));
                    Register count = b.variable("count", 0);
                    b.repeatWhile(Expr.of(0).isEqualTo(0), turn -> {
                        turn.when(v.get().lessThan(1).toIndex(), Body::breakLoop);
                        turn.assign(v, v.get().times(0.5));
                        turn.assign(count, count.get().plus(1));
                    });
                    // A loop over a bound that changes: it is computed once.
                    Register sum = b.variable("sum", Value.f32(0));
                    b.loop("i", count.get().toIndex(), (turn, i) -> {
                        turn.assign(sum, sum.get().plus(i.toValue().to(ValueType.F32)));
                        turn.assign(count, count.get().plus(1));
                    });
                    b.store(new Address.Global(Y, at), sum.get());
                }));
    }

    private static final ValueFunction SQUARED = ValueFunction.of("squared_plus", "x squared plus y", ValueType.F32,
            ValueType.F32, (lets, x, y) -> {
                Value square = lets.let("square", x.times(x));
                return square.plus(y);
            });

    /** A function that is called twice, once within its own argument. */
    public static TileProgram functions() {
        return new TileProgram("functions", "x^4 + 2x^2 + 2", 32, List.of(X, Y), new SharedLayout(List.of()),
                Body.steps(b -> {
                    Expr at = Builtin.THREAD.times(4);
                    Value x = b.load("x", ValueType.F32, new Address.Global(X, at));
                    b.store(new Address.Global(Y, at), SQUARED.of(SQUARED.of(x, Value.f32(1)), Value.f32(1)));
                }));
    }

    /** The hardware's approximation of a power of two, which only it knows to the bit. */
    public static TileProgram approximation() {
        return new TileProgram("approximation", "2 to the x, nearly", 32, List.of(X, Y), new SharedLayout(List.of()),
                Body.steps(b -> {
                    Expr at = Builtin.THREAD.times(4);
                    Value x = b.load("x", ValueType.F32, new Address.Global(X, at));
                    b.store(new Address.Global(Y, at), x.approximate(ApproximateOp.EX2));
                }));
    }

    /** Stores a register that only half of the threads have assigned. @param initial whether it begins with a value */
    public static TileProgram halfAssigned(boolean initial) {
        return new TileProgram("half_assigned", "stores a register", 32, List.of(X, Y), new SharedLayout(List.of()),
                Body.steps(b -> {
                    Register r = initial ? b.registers("r", 2, Value.f32(1)) : b.registers("r", ValueType.F32, 2);
                    b.when(Builtin.THREAD.lessThan(16), low -> low.assign(r.at(1), Value.f32(2)));
                    b.store(new Address.Global(Y, Builtin.THREAD.times(4)), r.at(1));
                }));
    }

    /**
     * Each block adds its number to a sum, one after the other, under a lock in the second word; it meets in the lock.
     */
    public static TileProgram lock() {
        Address.Global lock = new Address.Global(Y, 4);
        return new TileProgram("lock", "a sum under a lock", 32, List.of(X, Y), new SharedLayout(List.of()),
                Body.steps(b -> {
                    b.when(Builtin.THREAD.isEqualTo(0), one -> {
                        one.repeatWhile(Expr.of(0).isEqualTo(0), turn -> {
                            Expr old = turn.issue("old", Atom.acquire(Scope.GPU, Space.GLOBAL, AtomicOp.CAS,
                                    DataType.B32), Input.of(lock), Input.of(0), Input.of(1));
                            turn.when(old.isEqualTo(0), Body::breakLoop);
                        });
                    });
                    b.syncThreads();
                    b.when(Builtin.THREAD.isEqualTo(31), last -> {
                        Value sum = last.load("sum", ValueType.U32, new Address.Global(Y, 0));
                        last.store(new Address.Global(Y, 0),
                                sum.plus(Builtin.BLOCK.plus(1).toValue().to(ValueType.U32)));
                    });
                    b.syncThreads();
                    b.when(Builtin.THREAD.isEqualTo(0), one ->
                            one.issue(St.release(Scope.GPU, Space.GLOBAL, DataType.B32), Input.of(lock), Input.of(0)));
                }));
    }

    /** Two blocks read each other's shared memory, four words by one access. */
    public static TileProgram neighbours() {
        SharedRegion.Buffer words = new SharedRegion.Buffer("words", 512, 16);
        Expr at = Builtin.THREAD.times(16);
        return new TileProgram("neighbours", "what the other block has", 32, 2, List.of(X, Y),
                new SharedLayout(List.of(words)), Body.steps(b -> {
                    Register x = b.registers("x", ValueType.U32, 4);
                    b.load(x, new Address.Global(X, Builtin.BLOCK.times(512).plus(at)));
                    b.store(words.at(at), x.at(0), x.at(1), x.at(2), x.at(3));
                    b.clusterSync();
                    Register other = b.registers("other", ValueType.U32, 4);
                    b.load(other, words.at(Expr.of(496).minus(at))
                            .in(Expr.of(1).minus(Builtin.CLUSTER_RANK)));
                    b.clusterSync();
                    b.store(new Address.Global(Y, Builtin.BLOCK.times(512).plus(at)), other.at(0), other.at(1),
                            other.at(2), other.at(3));
                }));
    }

    /** A token that is carried from turn to turn: each turn waits for the phase that the one before arrived in. */
    public static TileProgram carriedToken() {
        SharedRegion.Barriers ready = new SharedRegion.Barriers("ready", 1);
        return new TileProgram("carried_token", "waits one turn later", 32, List.of(X, Y),
                new SharedLayout(List.of(ready)), Body.steps(b -> {
                    b.when(Builtin.THREAD.isEqualTo(0), one -> one.barrierInit(ready.at(0), 32));
                    b.syncThreads();
                    Register token = b.variable("token", Value.i64(0));
                    Register count = b.variable("count", 0);
                    b.assign(token, b.arrive(ready.at(0)).token("first").value());
                    b.loop("turn", 5, (each, turn) -> {
                        each.waitToken(ready.at(0), new Token(token.get().toIndex()));
                        each.assign(count, count.get().plus(1));
                        each.assign(token, each.arrive(ready.at(0)).token("next").value());
                    });
                    b.waitToken(ready.at(0), new Token(token.get().toIndex()));
                    b.store(new Address.Global(Y, Builtin.THREAD.times(4)), count.get());
                }));
    }

    /** Values of a type, as many as one access moves, from memory to registers and back, the other way round. */
    public static TileProgram moved(ValueType type, int count) {
        int bytes = type.bytes() * count;
        return new TileProgram("moved", count + " of type " + type, 32, List.of(X, Y), new SharedLayout(List.of()),
                Body.steps(b -> {
                    Expr at = Builtin.THREAD.times(bytes);
                    Register r = b.registers("r", type, count + 1);
                    b.load(r, 1, count, new Address.Global(X, at));
                    b.assign(r.at(0), r.at(count));
                    List<Value> backwards = new ArrayList<>();
                    for (int i = 0; i < count; i++) {
                        backwards.add(i == 0 ? r.at(0) : r.at(count - i));
                    }
                    b.store(new Address.Global(Y, at), backwards);
                }));
    }
}

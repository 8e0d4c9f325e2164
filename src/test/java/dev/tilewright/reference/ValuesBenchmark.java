package dev.tilewright.reference;

import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.function.Functions;
import dev.tilewright.program.value.ValueType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Arithmetic on values by one thread of this machine. An operation is one of f32, with what it takes to get there:
 * loops, indices, loads from shared memory. Operations per microsecond are millions a second.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(value = 1, jvmArgsAppend = {"-Xms512m", "-Xmx512m", "-XX:ActiveProcessorCount=2"})
public class ValuesBenchmark {
    static final int THREADS = 64;
    static final int DEPTH = 64;
    static final int SIDE = 8;
    static final int TURNS = 256;
    static final int DEGREE = 8;
    private static final Parameter.Pointer OUT = new Parameter.Pointer("out", true);
    private static final SharedRegion.Buffer TILE = new SharedRegion.Buffer("tile", 2 * SIDE * DEPTH * 4, 16);

    private final MemorySegment result = Arena.ofAuto().allocate(THREADS * 4L, 64);
    private final Launch product = launch(ValuesBenchmark::multiply);
    private final Launch polynomial = launch(b -> repeat(b, x -> {
        Value sum = Value.f32(0.5f);
        for (int i = 0; i < DEGREE; i++) {
            sum = sum.fma(x, Value.f32(1f / (i + 3)));
        }
        return sum;
    }));
    private final Launch mixed = launch(b -> repeat(b, x -> x.times(0.75).plus(0.5).max(0.25).minus(x.times(x))));
    private final Launch exponential = launch(b -> repeat(b, x -> Functions.exp(x.negate())));

    private interface Step {
        Value of(Value x);
    }

    private static Launch launch(Consumer<Body> code) {
        TileProgram program = new TileProgram("values", "computes", THREADS, List.of(OUT),
                new SharedLayout(List.of(TILE)),
                Body.steps(code));
        return new Launch(program, 1, List.of(new Argument.Buffer(0)));
    }

    /** An outer product of two columns in shared memory is added to 64 registers, again and again. */
    private static void multiply(Body b) {
        b.loop("i", 2 * SIDE * DEPTH / THREADS, (fill, i) -> {
            Expr at = Builtin.THREAD.plus(i.times(THREADS));
            fill.store(new Address.Shared(TILE, at.times(4)), at.toValue().to(ValueType.F32).times(1e-3));
        });
        b.syncThreads();
        Register sums = b.registers("sums", SIDE * SIDE, Value.f32(0));
        b.loop("k", DEPTH, (turn, k) -> {
            Register x = turn.registers("x", ValueType.F32, SIDE);
            Register y = turn.registers("y", ValueType.F32, SIDE);
            for (int half = 0; half < SIDE; half += 4) {
                turn.load(x, half, 4, new Address.Shared(TILE, k.times(2 * SIDE).plus(half).times(4)));
                turn.load(y, half, 4, new Address.Shared(TILE, k.times(2 * SIDE).plus(half + SIDE).times(4)));
            }
            turn.unrolled("i", SIDE, (row, i) -> row.unrolled("j", SIDE, (one, j) -> {
                Expr at = i.times(SIDE).plus(j);
                one.assign(sums.at(at), x.at(i).fma(y.at(j), sums.at(at)));
            }));
        });
        Value sum = sums.at(0);
        for (int i = 1; i < SIDE * SIDE; i++) {
            sum = sum.plus(sums.at(i));
        }
        b.store(new Address.Global(OUT, Builtin.THREAD.times(4)), sum);
    }

    private static void repeat(Body b, Step step) {
        Register x = b.variable("x", Builtin.THREAD.toValue().to(ValueType.F32).times(0.01));
        b.loop("turn", TURNS, (turn, _) -> turn.assign(x, step.of(x.get())));
        b.store(new Address.Global(OUT, Builtin.THREAD.times(4)), x.get());
    }

    /** Multiply-adds into registers. */
    @Benchmark
    @OperationsPerInvocation(THREADS * DEPTH * SIDE * SIDE)
    public void outerProducts() {
        run(product);
    }

    /** A chain of multiply-adds with constants. */
    @Benchmark
    @OperationsPerInvocation(THREADS * TURNS * DEGREE)
    public void polynomial() {
        run(polynomial);
    }

    /** Two products, a sum, a maximum, a difference. */
    @Benchmark
    @OperationsPerInvocation(THREADS * TURNS * 5)
    public void mixed() {
        run(mixed);
    }

    /** Exponentials: one operation each. */
    @Benchmark
    @OperationsPerInvocation(THREADS * TURNS)
    public void exponentials() {
        run(exponential);
    }

    private void run(Launch launch) {
        Reference.run(launch, List.of(result), ReferenceOptions.DEFAULT.sequential());
    }
}

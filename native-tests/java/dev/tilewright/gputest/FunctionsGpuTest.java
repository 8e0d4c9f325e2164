package dev.tilewright.gputest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tilewright.Thorough;
import dev.tilewright.functions.Arguments;
import dev.tilewright.functions.CompiledFunction;
import dev.tilewright.functions.FunctionCases;
import dev.tilewright.functions.FunctionKernels;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.expression.ValueFunction;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.verify.CaseDevice;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every function of values on 2^27 arguments ({@code -Dtilewright.tests.functions=27}), bit for bit: each thread of the
 * GPU adds the bits of 128 results up, and the function's tree as bytecode does the same. Of threads that differ, every
 * argument is tried, and what differs is printed. Each function is a test of its own, for tests run on all processors.
 */
@Order(3)
@OnEveryStage
record FunctionsGpuTest(Stage stage) {
    private static final int TURNS = FunctionKernels.TURNS;
    private static final int SHOWN = 6;

    /** Results' bits of an argument by its number; a NaN's are those of the NaN that arithmetic makes. */
    private interface Bits {
        long of(long index);
    }

    private static Bits bits(ValueFunction f) {
        if (f.type() == ValueType.F32) {
            if (f.parameters().size() == 1) {
                CompiledFunction.OfFloat g = CompiledFunction.compile(f, CompiledFunction.OfFloat.class);
                return i -> bits(g.apply(Arguments.firstFloat((int) i)));
            }
            CompiledFunction.OfFloats g = CompiledFunction.compile(f, CompiledFunction.OfFloats.class);
            return i -> bits(g.apply(Arguments.firstFloat((int) i), Arguments.secondFloat((int) i)));
        }
        if (f.parameters().size() == 1) {
            CompiledFunction.OfDouble g = CompiledFunction.compile(f, CompiledFunction.OfDouble.class);
            return i -> bits(g.apply(Arguments.firstDouble(i)));
        }
        CompiledFunction.OfDoubles g = CompiledFunction.compile(f, CompiledFunction.OfDoubles.class);
        return i -> bits(g.apply(Arguments.firstDouble(i), Arguments.secondDouble(i)));
    }

    private static long bits(float result) {
        return Float.isNaN(result) ? 0x7FFF_FFFFL : Float.floatToRawIntBits(result) & 0xFFFF_FFFFL;
    }

    private static long bits(double result) {
        return Double.isNaN(result) ? Long.MAX_VALUE : Double.doubleToRawLongBits(result);
    }

    static List<String> names() {
        return FunctionCases.trees().stream().map(ValueFunction::name).toList();
    }

    @ParameterizedTest
    @MethodSource("names")
    void theSameBits(String name) {
        assumeTrue(stage.takes(name.hashCode(), 3), "an ordinary run takes one in three");
        CaseDevice device = stage.device(Target.SM_80);
        int power = stage == Stage.GPU ? Integer.getInteger("tilewright.tests.functions", 27) : Thorough.of(14, 15);
        ValueFunction f = FunctionCases.trees().stream().filter(t -> t.name().equals(name)).findFirst().orElseThrow();
        Optional<String> difference = difference(device, f, 1 << power);
        if (stage == Stage.GPU) {
            System.err.println(name + " of 2^" + power + " arguments compared on " + device.name());
        }
        assertEquals(Optional.empty(), difference);
    }

    private static Optional<String> difference(CaseDevice device, ValueFunction f, int arguments) {
        int threads = arguments / TURNS;
        boolean isFloat = f.type() == ValueType.F32;
        Bits bits = bits(f);
        long[] expected = new long[threads];
        for (int t = 0; t < threads; t++) {
            long sum = 0;
            for (int i = 0; i < TURNS; i++) {
                sum = sum * 31 + bits.of((long) t * TURNS + i);
            }
            expected[t] = isFloat ? sum & 0xFFFF_FFFFL : sum;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment sums = run(device, FunctionKernels.digests(f), threads, f.type().bytes(), arena);
            int[] wrong = IntStream.range(0, threads).filter(t -> word(sums, t, isFloat) != expected[t]).toArray();
            IntStream.of(wrong).limit(SHOWN).forEach(t -> show(device, f, bits, t, arena));
            return wrong.length == 0 ? Optional.empty()
                    : Optional.of(f.name() + ": " + wrong.length + " of " + threads + " sums differ");
        }
    }

    private static long word(MemorySegment words, int index, boolean isFloat) {
        return isFloat ? words.getAtIndex(ValueLayout.JAVA_INT, index) & 0xFFFF_FFFFL
                : words.getAtIndex(ValueLayout.JAVA_LONG, index);
    }

    private static MemorySegment run(CaseDevice device, TileProgram program, int threads, int bytes, Arena arena,
            MemorySegment... inputs) {
        MemorySegment result = arena.allocate((long) threads * bytes, 64);
        List<MemorySegment> memory = new ArrayList<>();
        for (MemorySegment input : inputs) {
            memory.add(input.asReadOnly());
        }
        memory.add(result);
        List<Argument> arguments = IntStream.range(0, memory.size()).<Argument>mapToObj(Argument.Buffer::new).toList();
        device.run(new Launch(program, threads / FunctionKernels.THREADS, arguments), memory);
        return result;
    }

    /** Prints the first of a thread's arguments whose results differ. */
    private static void show(CaseDevice device, ValueFunction f, Bits bits, int thread, Arena arena) {
        boolean isFloat = f.type() == ValueType.F32;
        MemorySegment x = arena.allocate((long) TURNS * f.type().bytes(), 64);
        MemorySegment y = arena.allocate((long) TURNS * f.type().bytes(), 64);
        for (int i = 0; i < TURNS; i++) {
            long index = (long) thread * TURNS + i;
            if (isFloat) {
                x.setAtIndex(ValueLayout.JAVA_FLOAT, i, Arguments.firstFloat((int) index));
                y.setAtIndex(ValueLayout.JAVA_FLOAT, i, Arguments.secondFloat((int) index));
            } else {
                x.setAtIndex(ValueLayout.JAVA_DOUBLE, i, Arguments.firstDouble(index));
                y.setAtIndex(ValueLayout.JAVA_DOUBLE, i, Arguments.secondDouble(index));
            }
        }
        MemorySegment results = f.parameters().size() == 1
                ? run(device, FunctionKernels.of(f.name(), f.type(), (Value a) -> f.of(a)), TURNS,
                        f.type().bytes(), arena, x)
                : run(device, FunctionKernels.of(f.name(), f.type(), (Value a, Value b) -> f.of(a, b)), TURNS,
                        f.type().bytes(), arena, x, y);
        for (int i = 0; i < TURNS; i++) {
            long expected = bits.of((long) thread * TURNS + i);
            if (word(results, i, isFloat) != expected) {
                System.err.printf("    x %x y %x gpu %x cpu %x%n", word(x, i, isFloat), word(y, i, isFloat),
                        word(results, i, isFloat), expected);
                return;
            }
        }
    }
}

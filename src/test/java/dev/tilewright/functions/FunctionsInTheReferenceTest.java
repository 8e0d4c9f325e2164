package dev.tilewright.functions;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.program.Argument;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.reference.Reference;
import dev.tilewright.reference.ReferenceOptions;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BinaryOperator;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Kernels that call functions, in the reference, to the bit as their trees in bytecode: NaNs of every kind too. */
class FunctionsInTheReferenceTest {
    private static final int BLOCKS = 32;
    private static final int COUNT = BLOCKS * FunctionKernels.THREADS;
    private static final List<FunctionCases.OfFloat> F32 = FunctionCases.F32;
    private static final List<FunctionCases.OfDouble> F64 = FunctionCases.F64;
    private static final int[] SPECIAL = {0, 1, 0x7FFFFF, 0x800000, 0x3F800000, 0x7F7FFFFF, 0x7F800000, 0x7F800001,
        0x7FC00000, 0x7FFFFFFF};

    private static int[] floats(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        return IntStream.range(0, COUNT).map(i -> switch (i % 4) {
            case 0 -> random.nextInt();
            case 1 -> Float.floatToRawIntBits((float) ((random.nextDouble() - 0.5) * 250));
            case 2 -> Float.floatToRawIntBits((float) ((random.nextDouble() - 0.5) * 12));
            default -> SPECIAL[random.nextInt(SPECIAL.length)] | (random.nextBoolean() ? 1 << 31 : 0);
        }).toArray();
    }

    private static long[] doubles(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        return LongStream.range(0, COUNT).map(i -> switch ((int) i % 4) {
            case 0 -> random.nextLong();
            case 1 -> Double.doubleToRawLongBits((random.nextDouble() - 0.5) * 1600);
            case 2 -> Double.doubleToRawLongBits((random.nextDouble() - 0.5) * 12);
            default -> Double.doubleToRawLongBits(Float.intBitsToFloat(SPECIAL[random.nextInt(SPECIAL.length)]))
                    | (random.nextBoolean() ? 1L << 63 : 0);
        }).toArray();
    }

    private static MemorySegment run(TileProgram program, MemorySegment... inputs) {
        MemorySegment result = MemorySegment.ofArray(new long[(int) inputs[0].byteSize() / Long.BYTES]);
        List<Argument> arguments = IntStream.rangeClosed(0, inputs.length).<Argument>mapToObj(Argument.Buffer::new)
                .toList();
        List<MemorySegment> buffers = Stream.concat(Arrays.stream(inputs), Stream.of(result)).toList();
        Reference.run(new Launch(program, BLOCKS, arguments), buffers, ReferenceOptions.DEFAULT);
        return result;
    }

    /** The bits; of a NaN the one that arithmetic makes. */
    private static int bits(float result) {
        return Float.isNaN(result) ? 0x7FFF_FFFF : Float.floatToRawIntBits(result);
    }

    private static long bits(double result) {
        return Double.isNaN(result) ? Long.MAX_VALUE : Double.doubleToRawLongBits(result);
    }

    @ParameterizedTest
    @FieldSource("F32")
    void functionsOfAFloat(FunctionCases.OfFloat c) {
        int[] x = floats(c.name().hashCode());
        MemorySegment result = run(FunctionKernels.of(c.name().toLowerCase(), ValueType.F32, c.function()),
                MemorySegment.ofArray(x));
        CompiledFunction.OfFloat f = CompiledFunction.compile(c.tree(), CompiledFunction.OfFloat.class);
        for (int i = 0; i < COUNT; i++) {
            float argument = Float.intBitsToFloat(x[i]);
            assertEquals(bits(f.apply(argument)), result.getAtIndex(ValueLayout.JAVA_INT, i),
                    () -> c + " of " + argument);
        }
    }

    @ParameterizedTest
    @FieldSource("F64")
    void functionsOfADouble(FunctionCases.OfDouble c) {
        long[] x = doubles(c.name().hashCode());
        MemorySegment result = run(FunctionKernels.of(c.name(), ValueType.F64, c.function()), MemorySegment.ofArray(x));
        CompiledFunction.OfDouble f = CompiledFunction.compile(c.tree(), CompiledFunction.OfDouble.class);
        for (int i = 0; i < COUNT; i++) {
            long argument = x[i];
            assertEquals(bits(f.apply(Double.longBitsToDouble(argument))), result.getAtIndex(ValueLayout.JAVA_LONG, i),
                    () -> c + " of " + Double.longBitsToDouble(argument));
        }
    }

    @Test
    void powers() {
        int[] x = floats(1);
        int[] y = floats(2);
        MemorySegment result = run(FunctionKernels.of("pow", ValueType.F32, (BinaryOperator<Value>) Value::pow),
                MemorySegment.ofArray(x), MemorySegment.ofArray(y));
        CompiledFunction.OfFloats f = CompiledFunction.compile(FunctionCases.pow(ValueType.F32),
                CompiledFunction.OfFloats.class);
        for (int i = 0; i < COUNT; i++) {
            float a = Float.intBitsToFloat(x[i]);
            float b = Float.intBitsToFloat(y[i]);
            assertEquals(bits(f.apply(a, b)), result.getAtIndex(ValueLayout.JAVA_INT, i), () -> a + " to the " + b);
        }
    }

    @Test
    void powersOfDoubles() {
        long[] x = doubles(1);
        long[] y = doubles(2);
        MemorySegment result = run(FunctionKernels.of("pow", ValueType.F64, (BinaryOperator<Value>) Value::pow),
                MemorySegment.ofArray(x), MemorySegment.ofArray(y));
        CompiledFunction.OfDoubles f = CompiledFunction.compile(FunctionCases.pow(ValueType.F64),
                CompiledFunction.OfDoubles.class);
        for (int i = 0; i < COUNT; i++) {
            double a = Double.longBitsToDouble(x[i]);
            double b = Double.longBitsToDouble(y[i]);
            assertEquals(bits(f.apply(a, b)), result.getAtIndex(ValueLayout.JAVA_LONG, i), () -> a + " to the " + b);
        }
    }
}

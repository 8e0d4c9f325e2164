package dev.tilewright.tile.kernel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.tilewright.layout.FloatBits;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Scalars;
import dev.tilewright.program.array.ArrayShape;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.reference.Reference;
import dev.tilewright.tile.CpuLaunch;
import dev.tilewright.tile.MatrixArithmetic;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.TileNode;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.DoubleStream;

/**
 * A launch of a kernel on numbers, by the executor and as programs for sm_80, where that is not a product of floats,
 * and sm_90a on the reference: all leave the same bytes.
 */
final class KernelRun {
    private final TileKernel kernel;
    private final Target least;
    private final Map<String, byte[]> arrays = new LinkedHashMap<>();
    private final Map<String, ArrayShape> shapes = new HashMap<>();
    private final Map<String, Number> scalars = new LinkedHashMap<>();

    KernelRun(TileKernel kernel) {
        this(kernel, Target.SM_80);
    }

    /** @param least the least capable target that has what it needs */
    KernelRun(TileKernel kernel, Target least) {
        this.kernel = kernel;
        this.least = least;
    }

    /** Numbers, rounded to the tensor's type. */
    KernelRun set(String name, double[] numbers, long... shape) {
        ValueType type = tensor(name).type();
        long[] words = new long[numbers.length];
        for (int i = 0; i < words.length; i++) {
            words[i] = ((Value.Const) Value.of(type, numbers[i])).word();
        }
        return set(name, words, shape);
    }

    KernelRun set(String name, long[] words, long... shape) {
        int each = tensor(name).type().bytes();
        byte[] bytes = new byte[words.length * each];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (words[i / each] >> Byte.SIZE * (i % each));
        }
        return put(name, bytes, shape);
    }

    /** An array that the kernel writes all of. */
    KernelRun out(String name, long... shape) {
        byte[] bytes = new byte[(int) Arrays.stream(shape).reduce(tensor(name).type().bytes(), (a, b) -> a * b)];
        Arrays.fill(bytes, (byte) 0xAB);
        return put(name, bytes, shape);
    }

    private KernelRun put(String name, byte[] bytes, long... shape) {
        arrays.put(name, bytes);
        shapes.put(name, ArrayShape.dense(Arrays.stream(shape).boxed().toList()));
        return this;
    }

    KernelRun scalar(String name, Number number) {
        scalars.put(name, number);
        return this;
    }

    private Tensor tensor(String name) {
        return kernel.tensors().stream().filter(t -> t.name().equals(name)).findFirst().orElseThrow();
    }

    /** By the executor alone. */
    KernelRun runOnCpu() {
        CpuLaunch launch = kernel.onCpu();
        arrays.forEach((name, bytes) -> launch.set(name, MemorySegment.ofArray(bytes), shapes.get(name)));
        scalars.forEach(launch::scalar);
        launch.run();
        return this;
    }

    KernelRun run() {
        Map<String, byte[]> before = new HashMap<>();
        arrays.forEach((name, bytes) -> before.put(name, bytes.clone()));
        runOnCpu();
        boolean multiplies = kernel.grid().body().tiles().anyMatch(tile -> tile.node() instanceof TileNode.Product);
        for (Target target : List.of(Target.SM_80, Target.SM_90A)) {
            if (multiplies && kernel.arithmetic(target) == MatrixArithmetic.AMPERE || !target.supports(least)) {
                continue;
            }
            Map<String, byte[]> left = onReference(target, before);
            arrays.forEach((name, bytes) -> assertArrayEquals(bytes, left.get(name), kernel.name() + " for " + target
                    + ": '" + name + "'"));
        }
        return this;
    }

    private Map<String, byte[]> onReference(Target target, Map<String, byte[]> before) {
        Scalars numbers = Scalars.NONE;
        for (Map.Entry<String, Number> scalar : scalars.entrySet()) {
            numbers = numbers.and(scalar.getKey(), scalar.getValue());
        }
        Launch launch = kernel.launch(shapes, numbers, target, 2);
        List<MemorySegment> memory = new ArrayList<>();
        Map<String, byte[]> left = new HashMap<>();
        for (Tensor tensor : kernel.tensors()) {
            MemorySegment segment = Arena.ofAuto().allocate(Math.max(1, before.get(tensor.name())
                    .length), 256);
            memory.add(segment.asSlice(0, before.get(tensor.name()).length).copyFrom(MemorySegment.ofArray(
                    before.get(tensor.name()))));
        }
        Reference.run(launch, memory);
        for (int i = 0; i < memory.size(); i++) {
            left.put(kernel.tensors().get(i).name(), memory.get(i).toArray(ValueLayout.JAVA_BYTE));
        }
        return left;
    }

    /** What an array holds, bit by bit: of signed integers with their signs. */
    long[] words(String name) {
        ValueType type = tensor(name).type();
        byte[] bytes = arrays.get(name);
        long[] words = new long[bytes.length / type.bytes()];
        for (int i = 0; i < bytes.length; i++) {
            words[i / type.bytes()] |= (bytes[i] & 0xFFL) << Byte.SIZE * (i % type.bytes());
        }
        return Arrays.stream(words).map(type::word).toArray();
    }

    /** What an array holds, as numbers. */
    double[] numbers(String name) {
        ValueType type = tensor(name).type();
        return Arrays.stream(words(name)).mapToDouble(word -> number(type, word)).toArray();
    }

    static double number(ValueType type, long word) {
        return switch (type) {
            case F16 -> FloatBits.f16(word);
            case BF16 -> FloatBits.bf16(word);
            case F32 -> FloatBits.f32(word);
            case F64 -> Double.longBitsToDouble(word);
            case E4M3 -> e4m3(word);
            default -> word;
        };
    }

    /** Four bits of exponent, three of fraction, a NaN with all set. */
    private static double e4m3(long word) {
        int exponent = (int) (word >> 3 & 15);
        int fraction = (int) (word & 7);
        double size = (word & 127) == 127 ? Double.NaN : exponent == 0 ? Math.scalb(fraction, -9)
                : Math.scalb(8 + fraction, exponent - 10);
        return (word & 128) == 0 ? size : -size;
    }

    /** A number as a type has it. */
    static double rounded(ValueType type, double number) {
        return number(type, ((Value.Const) Value.of(type, number)).word());
    }

    /** Numbers as the normal distribution has them, as a type has them. */
    static double[] normal(ValueType type, int count, long seed) {
        Random random = new Random(seed);
        return DoubleStream.generate(random::nextGaussian).limit(count).map(x -> rounded(type, x))
                .toArray();
    }
}

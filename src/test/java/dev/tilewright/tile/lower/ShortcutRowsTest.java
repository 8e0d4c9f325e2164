package dev.tilewright.tile.lower;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Thorough;
import dev.tilewright.builder.Schedule;
import dev.tilewright.layout.FloatBits;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Scalars;
import dev.tilewright.program.array.ArrayShape;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.reference.Reference;
import dev.tilewright.tile.CpuLaunch;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.kernel.ElementKernels;
import dev.tilewright.tile.kernel.RowKernels;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Softmax, its logarithm, powers of e and SiLU, whose programs take shortcuts where numbers are ordinary: rows drawn at
 * random of numbers on both sides of where a shortcut ends, infinities, NaNs, subnormals and the greatest numbers.
 * Programs leave the executor's bytes, which takes no shortcut, and what a formula in f64 gives. {@code
 * -Dtilewright.shortcuts=N} draws so many, {@code -Dtilewright.shortcuts.from} says the first.
 */
class ShortcutRowsTest {
    private static final List<ValueType> TYPES = List.of(ValueType.BF16, ValueType.F16, ValueType.F32);
    /** Where powers of e, SiLU and their shortcuts change: in shortcuts, to subnormals, to zero. */
    private static final float[] EDGES = {68, 86, 87.33654f, 88.72284f, 103.97208f, 41.5f, 0};
    private static final float[] ODD = {Float.NEGATIVE_INFINITY, Float.POSITIVE_INFINITY, Float.NaN, -0.0f, 0,
        Float.MIN_VALUE, -Float.MIN_NORMAL / 2, Float.MAX_VALUE, -Float.MAX_VALUE, 65504, -65504, 0x1p-24f};

    private enum Kind { SOFTMAX, LOG_SOFTMAX, SWIGLU, POWERS }

    @Test
    void programsLeaveTheExecutorsBytesAndWhatAFormulaGives() {
        long from = Long.getLong("tilewright.shortcuts.from", 0);
        int count = Integer.getInteger("tilewright.shortcuts", Thorough.of(16, 400));
        for (long seed = from; seed < from + count; seed++) {
            try {
                new Drawn(seed).judge();
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
    }

    private static final class Drawn {
        private final RandomGenerator random;
        private final Kind kind;
        private final ValueType type;
        private final int rows;
        private final int columns;

        Drawn(long seed) {
            random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
            kind = Kind.values()[random.nextInt(Kind.values().length)];
            type = TYPES.get(random.nextInt(TYPES.size()));
            rows = 1 + random.nextInt(4);
            columns = random.nextInt(3) == 0 ? 8 << random.nextInt(8) : 1 + random.nextInt(700);
        }

        void judge() {
            TileKernel kernel = (switch (kind) {
                case SOFTMAX -> RowKernels.softmax(type);
                case LOG_SOFTMAX -> RowKernels.logSoftmax(type);
                case SWIGLU -> ElementKernels.swiGlu(type);
                case POWERS -> ElementKernels.map("powers", type, 2, x -> x.to(ValueType.F32).exp().to(type));
            }).with(random.nextBoolean() ? Schedule.DEFAULT : Schedule.parse("threads=" + (32 << random.nextInt(3))));
            Map<String, ArrayShape> shapes = new LinkedHashMap<>();
            List<MemorySegment> memory = new ArrayList<>();
            List<MemorySegment> executed = new ArrayList<>();
            CpuLaunch cpu = kernel.onCpu();
            List<float[]> numbers = new ArrayList<>();
            kernel.tensors().forEach(tensor -> {
                shapes.put(tensor.name(), ArrayShape.dense(rows, columns));
                numbers.add(numbers());
                memory.add(stored(numbers.getLast()));
                executed.add(stored(numbers.getLast()));
                cpu.set(tensor.name(), executed.getLast(), rows, columns);
            });
            cpu.run();
            Launch launch = kernel.launch(shapes, Scalars.NONE, random.nextBoolean() ? Target.SM_90A : Target.SM_80, 4);
            Reference.run(launch, memory);
            MemorySegment results = memory.getLast();
            assertEquals(-1, executed.getLast().mismatch(results), () -> this + " by threads");
            for (int row = 0; row < rows; row++) {
                float[] first = java.util.Arrays.copyOfRange(numbers.getFirst(), row * columns, (row + 1) * columns);
                double[] wanted = kind == Kind.SWIGLU ? gated(first, java.util.Arrays.copyOfRange(numbers.get(1), row
                        * columns, (row + 1) * columns)) : ofRow(first);
                for (int i = 0; i < columns; i++) {
                    float by = kind == Kind.SWIGLU ? Math.abs(numbers.get(1)[row * columns + i]) : 1;
                    if (Float.isFinite(by) || !(Math.abs(first[i]) > EDGES[0])) {
                        requireNear(wanted[i], loaded(results, row * columns + i), first[i], by);
                    }
                }
            }
        }

        /** Of rows each of which is of one kind of numbers, most of them, with some odd ones. */
        private float[] numbers() {
            float[] numbers = new float[rows * columns];
            float scale = 0;
            float edge = 0;
            boolean odd = false;
            for (int i = 0; i < numbers.length; i++) {
                if (i % columns == 0) {
                    scale = Math.scalb(1f, random.nextInt(9) - 2);
                    edge = random.nextInt(3) == 0 ? EDGES[random.nextInt(EDGES.length)] : 0;
                    odd = random.nextInt(3) == 0;
                }
                float number = (float) random.nextGaussian() * scale;
                if (edge != 0 && random.nextInt(3) == 0) {
                    number = (random.nextBoolean() ? edge : -edge) + (random.nextInt(9) - 4) * Math.ulp(edge);
                }
                number = odd && random.nextInt(Math.max(2, columns / 3)) == 0 ? ODD[random.nextInt(ODD.length)]
                        : number;
                numbers[i] = rounded(number);
            }
            if (random.nextInt(8) == 0) {
                java.util.Arrays.fill(numbers, 0, columns, random.nextBoolean() ? Float.NEGATIVE_INFINITY : -0.0f);
            }
            return numbers;
        }

        private static float ofBf16(short bits) {
            return Float.intBitsToFloat(bits << Short.SIZE);
        }

        private float rounded(float number) {
            return switch (type) {
                case BF16 -> ofBf16((short) FloatBits.toBf16(number));
                case F16 -> Float.float16ToFloat(Float.floatToFloat16(number));
                default -> number;
            };
        }

        private MemorySegment stored(float[] numbers) {
            MemorySegment to = java.lang.foreign.Arena.ofAuto().allocate((long) numbers.length * type.bytes(), 256);
            for (int i = 0; i < numbers.length; i++) {
                switch (type) {
                    case BF16 -> to.setAtIndex(ValueLayout.JAVA_SHORT, i, (short) FloatBits.toBf16(numbers[i]));
                    case F16 -> to.setAtIndex(ValueLayout.JAVA_SHORT, i, Float.floatToFloat16(numbers[i]));
                    default -> to.setAtIndex(ValueLayout.JAVA_FLOAT, i, numbers[i]);
                }
            }
            return to;
        }

        private float loaded(MemorySegment from, int i) {
            return switch (type) {
                case BF16 -> ofBf16(from.getAtIndex(ValueLayout.JAVA_SHORT, i));
                case F16 -> Float.float16ToFloat(from.getAtIndex(ValueLayout.JAVA_SHORT, i));
                default -> from.getAtIndex(ValueLayout.JAVA_FLOAT, i);
            };
        }

        /** The greatest number is taken away in f32, as the kernels say; all else is exact but for f64. */
        private double[] ofRow(float[] row) {
            float greatest = Float.NaN;
            for (float x : row) {
                greatest = Float.isNaN(greatest) || x > greatest ? x : greatest;
            }
            double sum = 0;
            for (float x : row) {
                sum += Math.exp(x - greatest);
            }
            if (kind == Kind.POWERS) {
                return IntStream.range(0, row.length).mapToDouble(i -> Math.exp(row[i])).toArray();
            }
            double[] wanted = new double[row.length];
            for (int i = 0; i < row.length; i++) {
                float less = row[i] - greatest;
                wanted[i] = kind == Kind.SOFTMAX ? Math.exp(less) / sum : less - Math.log(sum);
            }
            return wanted;
        }

        private static double[] gated(float[] gate, float[] up) {
            double[] wanted = new double[gate.length];
            for (int i = 0; i < gate.length; i++) {
                double x = gate[i];
                wanted[i] = (float) (x == Double.NEGATIVE_INFINITY ? -0.0 : x / (1 + Math.exp(-x))) * (double) up[i];
            }
            return wanted;
        }

        /** @param by what the function's value, which may be less than the least normal number, is multiplied by */
        private void requireNear(double wanted, float got, float x, float by) {
            double last = switch (type) {
                case BF16 -> 0x1p-8;
                case F16 -> 0x1p-11;
                default -> 0x1p-20;
            };
            double least = switch (type) {
                case F16 -> 0x1p-24;
                case BF16 -> 0x1p-133;
                default -> 0x1p-147;
            };
            double room = Math.abs(wanted) * last + least + by * 0x1p-147 + (kind == Kind.LOG_SOFTMAX ? 0x1p-20 : 0);
            boolean near = Double.isNaN(wanted) ? Float.isNaN(got) : got == wanted || got == rounded((float) wanted)
                    || Math.abs(got - wanted) <= room;
            assertTrue(near, () -> this + ": " + kind + " of " + x + " is " + wanted + ", got " + got);
        }

        @Override
        public String toString() {
            return kind + " of " + rows + " x " + columns + " " + type;
        }
    }
}

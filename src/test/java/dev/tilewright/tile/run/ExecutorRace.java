package dev.tilewright.tile.run;

import dev.tilewright.layout.FloatBits;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.CpuLaunch;
import dev.tilewright.tile.kernel.Attention;
import dev.tilewright.tile.kernel.Gemm;
import dev.tilewright.tile.kernel.RowKernels;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.DoubleSupplier;
import java.util.stream.IntStream;

/**
 * The executor of tile kernels on one core, turn by turn beside plain Java loops, which share no code with it: a line
 * for each subject, with medians of the turns and of their ratios, and how far results differ at most, since loops add
 * in another order. Times are the thread's CPU time, which other work on the machine hardly lengthens. Arguments: how
 * many turns, and beginnings of titles to take. Exit code 1 where results differ by more than a hundredth.
 */
final class ExecutorRace {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final int WARM_UPS = 8;
    private static final int SIDE = 2048;
    private static final int HEADS = 8;
    private static final int QUERIES = 512;
    private static final int WIDTH = 128;
    private static final float EPSILON = 1e-5f;
    private static final double MOST_DIFFERENT = 0.01;

    private final SplittableRandom random = new SplittableRandom(1);
    private final int turns;
    private final List<String> titles;
    private boolean passed = true;

    private ExecutorRace(int turns, List<String> titles) {
        this.turns = turns;
        this.titles = titles;
    }

    public static void main(String[] arguments) {
        System.out.printf("Java %s, one core; medians of %s turns, by CPU time%n", Runtime.version(), arguments[0]);
        ExecutorRace race = new ExecutorRace(Integer.parseInt(arguments[0]), Arrays.asList(arguments).subList(1,
                arguments.length));
        for (int side : new int[] {512, 1024}) {
            race.f32Product(side);
            race.bf16Product(side);
        }
        race.softmax();
        race.layerNorm();
        race.attention();
        System.exit(race.passed ? 0 : 1);
    }

    /**
     * Takes the turns of a subject.
     *
     * @param work of so many units in a nanosecond
     * @param difference of its results from the loop's, at most
     */
    private void run(String title, double work, String unit, CpuLaunch ours, Runnable loop,
            DoubleSupplier difference) {
        if (!titles.isEmpty() && titles.stream().noneMatch(title::startsWith)) {
            return;
        }
        CpuLaunch one = ours.cores(1);
        List<Runnable> sides = List.of(one::run, loop);
        double[][] nanos = new double[sides.size()][turns];
        for (int turn = -WARM_UPS; turn < turns; turn++) {
            for (int i = 0; i < sides.size(); i++) {
                int side = Math.floorMod(i + turn, sides.size());
                long start = THREADS.getCurrentThreadCpuTime();
                sides.get(side).run();
                if (turn >= 0) {
                    nanos[side][turn] = THREADS.getCurrentThreadCpuTime() - start;
                }
            }
        }
        double most = difference.getAsDouble();
        passed &= most < MOST_DIFFERENT;
        System.out.printf(Locale.ROOT, "%s: %.2f %s, by loops %.2f; %.3f of the loops' speed; results differ by %.1e%n",
                title, work / median(nanos[0]), unit, work / median(nanos[1]), ratio(nanos[1], nanos[0]), most);
    }

    private static double ratio(double[] of, double[] to) {
        return median(IntStream.range(0, of.length).mapToDouble(i -> of[i] / to[i]).toArray());
    }

    private static double median(double[] numbers) {
        double[] sorted = numbers.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    private void f32Product(int side) {
        float[] a = floats(side * side), b = floats(side * side);
        float[] c = new float[side * side], d = new float[side * side];
        run("product of f32 " + side + "^3", 2.0 * side * side * side, "GFLOP/s", Gemm.of(ValueType.F32).kernel()
                .onCpu().set("a", a, side, side).set("b", b, side, side).set("c", c, side, side), () -> {
                    Arrays.fill(d, 0);
                    for (int i = 0; i < side; i++) {
                        for (int k = 0; k < side; k++) {
                            float x = a[i * side + k];
                            for (int j = 0; j < side; j++) {
                                d[i * side + j] += x * b[k * side + j];
                            }
                        }
                    }
                }, () -> difference(c, d));
    }

    private void bf16Product(int side) {
        short[] a = shorts(side * side), b = shorts(side * side);
        short[] c = new short[side * side], d = new short[side * side];
        float[] sums = new float[side];
        run("product of bf16 " + side + "^3", 2.0 * side * side * side, "GFLOP/s", Gemm.of(ValueType.BF16)
                .kernel().onCpu().set("a", a, side, side).set("b", b, side, side).set("c", c, side, side), () -> {
                    for (int i = 0; i < side; i++) {
                        Arrays.fill(sums, 0);
                        for (int k = 0; k < side; k++) {
                            float x = Float.intBitsToFloat(a[i * side + k] << 16);
                            for (int j = 0; j < side; j++) {
                                sums[j] += x * Float.intBitsToFloat(b[k * side + j] << 16);
                            }
                        }
                        for (int j = 0; j < side; j++) {
                            d[i * side + j] = rounded(sums[j]);
                        }
                    }
                }, () -> difference(c, d));
    }

    private void softmax() {
        float[] x = floats(SIDE * SIDE), y = new float[SIDE * SIDE], z = new float[SIDE * SIDE];
        run("softmax of f32 " + SIDE + " x " + SIDE, 8.0 * SIDE * SIDE, "GB/s", RowKernels.softmax(ValueType.F32)
                .onCpu().set("x", x, SIDE, SIDE).set("y", y, SIDE, SIDE), () -> {
                    for (int at = 0; at < x.length; at += SIDE) {
                        softmax(x, z, at, SIDE);
                    }
                }, () -> difference(y, z));
    }

    private static void softmax(float[] x, float[] y, int at, int count) {
        float most = Float.NEGATIVE_INFINITY;
        for (int i = at; i < at + count; i++) {
            most = Math.max(most, x[i]);
        }
        float sum = 0;
        for (int i = at; i < at + count; i++) {
            y[i] = (float) Math.exp(x[i] - most);
            sum += y[i];
        }
        for (int i = at; i < at + count; i++) {
            y[i] /= sum;
        }
    }

    private void layerNorm() {
        float[] x = floats(SIDE * SIDE), y = new float[SIDE * SIDE], z = new float[SIDE * SIDE];
        float[] weight = floats(SIDE), bias = floats(SIDE);
        run("layer norm of f32 " + SIDE + " x " + SIDE, 8.0 * SIDE * SIDE, "GB/s", RowKernels.layerNorm(
                ValueType.F32).onCpu().set("x", x, SIDE, SIDE).set("weight", weight, SIDE).set("bias", bias, SIDE)
                .set("y", y, SIDE, SIDE).scalar("epsilon", EPSILON), () -> {
                    for (int at = 0; at < x.length; at += SIDE) {
                        float sum = 0;
                        for (int i = 0; i < SIDE; i++) {
                            sum += x[at + i];
                        }
                        float mean = sum / SIDE;
                        float squares = 0;
                        for (int i = 0; i < SIDE; i++) {
                            squares += (x[at + i] - mean) * (x[at + i] - mean);
                        }
                        float scale = (float) (1 / Math.sqrt(squares / SIDE + EPSILON));
                        for (int i = 0; i < SIDE; i++) {
                            z[at + i] = (x[at + i] - mean) * scale * weight[i] + bias[i];
                        }
                    }
                }, () -> difference(y, z));
    }

    private void attention() {
        int head = QUERIES * WIDTH;
        short[] q = shorts(HEADS * head), k = shorts(HEADS * head), v = shorts(HEADS * head);
        short[] out = new short[HEADS * head], plain = new short[HEADS * head];
        float[] scores = new float[QUERIES], weights = new float[QUERIES], sums = new float[WIDTH];
        float scale = (float) (1 / Math.sqrt(WIDTH));
        run("attention of bf16 " + HEADS + " x " + QUERIES + " x " + WIDTH, 4.0 * HEADS * QUERIES * head, "GFLOP/s",
                Attention.of(ValueType.BF16).kernel().onCpu().set("q", q, 1, HEADS, QUERIES, WIDTH)
                        .set("k", k, 1, HEADS, QUERIES, WIDTH).set("v", v, 1, HEADS, QUERIES, WIDTH)
                        .set("out", out, 1, HEADS, QUERIES, WIDTH), () -> {
                    for (int row = 0; row < HEADS * QUERIES; row++) {
                        int at = row * WIDTH;
                        int keys = row / QUERIES * head;
                        for (int key = 0; key < QUERIES; key++) {
                            float sum = 0;
                            for (int i = 0; i < WIDTH; i++) {
                                sum += Float.intBitsToFloat(q[at + i] << 16)
                                        * Float.intBitsToFloat(k[keys + key * WIDTH + i] << 16);
                            }
                            scores[key] = sum * scale;
                        }
                        softmax(scores, weights, 0, QUERIES);
                        Arrays.fill(sums, 0);
                        for (int key = 0; key < QUERIES; key++) {
                            for (int i = 0; i < WIDTH; i++) {
                                sums[i] += weights[key] * Float.intBitsToFloat(v[keys + key * WIDTH + i] << 16);
                            }
                        }
                        for (int i = 0; i < WIDTH; i++) {
                            plain[at + i] = rounded(sums[i]);
                        }
                    }
                }, () -> difference(out, plain));
    }

    private static short rounded(float value) {
        int bits = Float.floatToRawIntBits(value);
        return (short) (bits + 0x7fff + (bits >>> 16 & 1) >>> 16);
    }

    private float[] floats(int count) {
        float[] floats = new float[count];
        for (int i = 0; i < count; i++) {
            floats[i] = (float) random.nextGaussian();
        }
        return floats;
    }

    private short[] shorts(int count) {
        short[] shorts = new short[count];
        for (int i = 0; i < count; i++) {
            shorts[i] = (short) FloatBits.toBf16((float) random.nextGaussian());
        }
        return shorts;
    }

    private static double difference(float[] a, float[] b) {
        return IntStream.range(0, a.length).mapToDouble(i -> apart(a[i], b[i])).max().orElseThrow();
    }

    private static double difference(short[] a, short[] b) {
        return IntStream.range(0, a.length).mapToDouble(i -> apart(Float.intBitsToFloat(a[i] << 16),
                Float.intBitsToFloat(b[i] << 16))).max().orElseThrow();
    }

    /** Relative to numbers of 1 and more; where one is a NaN, all. */
    private static double apart(double a, double b) {
        double difference = Math.abs(a - b) / Math.max(1, Math.abs(b));
        return Double.isNaN(difference) ? Double.POSITIVE_INFINITY : difference;
    }
}

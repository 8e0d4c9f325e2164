package dev.tilewright.tile.kernel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.OrdinaryShare;
import dev.tilewright.Thorough;
import dev.tilewright.builder.Schedule;
import dev.tilewright.gpu.ArrayKernel;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.layout.FloatBits;
import dev.tilewright.program.array.ArrayLaunch;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.TileKernel;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Attention beside a plain computation in double, in other company, in parts, and with numbers that are none. */
class AttentionTest {

    /** A kernel and the extents of a launch of it. */
    private record Trial(Attention attention, int batch, int heads, int queries, int keys) {
        int width() {
            return attention.width();
        }

        int queryHeads() {
            return heads * attention.group();
        }

        short[] numbers(int rows, long seed) {
            Random random = new Random(seed);
            short[] bits = new short[batch * rows * width()];
            for (int i = 0; i < bits.length; i++) {
                bits[i] = bits(attention.type(), (float) random.nextGaussian());
            }
            return bits;
        }

        short[] run(ArrayLaunch<?> launch, short[] q, short[] k, short[] v) {
            short[] out = new short[q.length];
            long[] shape = attention.group() == 1 ? new long[] {batch, heads, queries, width()}
                    : new long[] {batch, heads, attention.group(), queries, width()};
            launch.set("q", q, shape).set("k", k, batch, heads, keys, width()).set("v", v, batch, heads, keys, width())
                    .set("out", out, shape).run();
            return out;
        }

        boolean sees(int query, int key) {
            int place = query + keys - queries;
            boolean near = attention.window() == 0 || Math.abs(place - key) < attention.window();
            return near && (!attention.isCausal() || key <= place);
        }
    }

    private static short bits(ValueType type, float number) {
        return (short) (type == ValueType.BF16 ? FloatBits.toBf16(number) : FloatBits.toF16(number));
    }

    private static double number(ValueType type, short bits) {
        return type == ValueType.BF16 ? Float.intBitsToFloat(bits << 16) : Float.float16ToFloat(bits);
    }

    static Stream<Trial> trials() {
        Attention usual = Attention.of(ValueType.BF16);
        return Stream.of(new Trial(usual, 1, 1, 130, 130), new Trial(usual.causal(), 1, 1, 200, 200),
                new Trial(usual.causal().withHeadWidth(64), 2, 2, 70, 300),
                new Trial(usual.withHeadWidth(96).causal().withWindow(50), 1, 1, 33, 450),
                new Trial(Attention.of(ValueType.F16).withHeadWidth(256).withWindow(7), 1, 1, 140, 140),
                new Trial(usual.withHeadWidth(64).withGroupsOf(3).causal(), 1, 2, 5, 129),
                new Trial(usual.causal().withScale(0.5), 1, 1, 100, 40), new Trial(usual, 1, 2, 1, 1));
    }

    @ParameterizedTest
    @OrdinaryShare(2)
    @MethodSource("trials")
    void isWhatSoftmaxOfScoresTimesValuesIs(Trial trial) {
        ValueType type = trial.attention.type();
        short[] q = trial.numbers(trial.queryHeads() * trial.queries, 1);
        short[] k = trial.numbers(trial.heads * trial.keys, 2);
        short[] v = trial.numbers(trial.heads * trial.keys, 3);
        short[] out = trial.run(trial.attention.kernel().onCpu(), q, k, v);
        // Weights are rounded, and what they give.
        double ulp = type == ValueType.BF16 ? 0x1p-7 : 0x1p-10;
        for (int head = 0; head < trial.batch * trial.queryHeads(); head++) {
            for (int i = 0; i < trial.queries; i++) {
                double[] expected = row(trial, q, k, v, head, i);
                for (int d = 0; d < trial.width(); d++) {
                    double is = number(type, out[(head * trial.queries + i) * trial.width() + d]);
                    assertEquals(expected[d], is, ulp * (1 + Math.abs(expected[d])), trial + " " + head + " " + i);
                }
            }
        }
    }

    private static double[] row(Trial trial, short[] q, short[] k, short[] v, int head, int query) {
        ValueType type = trial.attention.type();
        int width = trial.width();
        int first = head / trial.attention.group() * trial.keys;
        double[] out = new double[width];
        double all = 0;
        for (int j = 0; j < trial.keys; j++) {
            if (!trial.sees(query, j)) {
                continue;
            }
            double score = 0;
            for (int d = 0; d < width; d++) {
                score += number(type, q[(head * trial.queries + query) * width + d])
                        * number(type, k[(first + j) * width + d]);
            }
            double weight = Math.exp(score * trial.attention.scale());
            all += weight;
            for (int d = 0; d < width; d++) {
                out[d] += weight * number(type, v[(first + j) * width + d]);
            }
        }
        double sum = all;
        return Arrays.stream(out).map(x -> sum == 0 ? 0 : x / sum).toArray();
    }

    @Test
    void aTileHasOneQueryOrMore() {
        Attention attention = Attention.of(ValueType.BF16).withHeadWidth(64).causal();
        Trial trial = new Trial(attention, 1, 1, 3, 40);
        short[] q = trial.numbers(3, 1), k = trial.numbers(40, 2), v = trial.numbers(40, 3);
        short[] out = trial.run(attention.kernel().onCpu(), q, k, v);
        for (int rows : new int[] {1, 2}) {
            assertArrayEquals(out, trial.run(attention.withRows(rows).kernel().onCpu(), q, k, v), "tiles of " + rows);
            try (Gpu gpu = Gpu.emulated(); ArrayKernel kernel = gpu.load(attention.withRows(rows).kernel())) {
                assertArrayEquals(out, trial.run(kernel.launch(), q, k, v), "tiles of " + rows);
            }
        }
    }

    @Test
    void aRowsBitsAreTheSameInPartsInTilesOfOtherExtentsAndBesideOthers() {
        Attention attention = Attention.of(ValueType.BF16).withHeadWidth(64).causal();
        Trial all = new Trial(attention, 2, 1, 300, 300);
        short[] q = all.numbers(300, 1), k = all.numbers(300, 2), v = all.numbers(300, 3);
        short[] out = all.run(attention.kernel().onCpu(), q, k, v);
        assertArrayEquals(out, all.run(attention.withRows(32).kernel().onCpu(), q, k, v));
        for (int[] part : new int[][] {{0, 100}, {100, 101}, {101, 300}}) {
            Trial some = new Trial(attention, 1, 1, part[1] - part[0], part[1]);
            short[] rows = some.run(attention.kernel().onCpu(), rows(q, 300 + part[0], part[1] - part[0]),
                    rows(k, 300, part[1]), rows(v, 300, part[1]));
            assertArrayEquals(rows(out, 300 + part[0], part[1] - part[0]), rows, Arrays.toString(part));
        }
    }

    private static short[] rows(short[] all, int first, int count) {
        return Arrays.copyOfRange(all, first * 64, (first + count) * 64);
    }

    @Test
    void programsLeaveTheExecutorsBytes() {
        Attention attention = Attention.of(ValueType.BF16).withHeadWidth(64).causal().withWindow(70);
        Trial trial = new Trial(attention, 1, 1, 140, 150);
        short[] q = trial.numbers(140, 1), k = trial.numbers(150, 2), v = trial.numbers(150, 3);
        // A NaN in a query, an infinite score, a score of zeros.
        q[5] = (short) 0x7fc1;
        q[64 * 3] = (short) 0x7f80;
        Arrays.fill(q, 64 * 9, 64 * 10, (short) 0);
        TileKernel kernel = attention.kernel();
        short[] out = trial.run(kernel.onCpu(), q, k, v);
        assertTrue(Double.isNaN(number(ValueType.BF16, out[7])));
        assertTrue(Double.isNaN(number(ValueType.BF16, out[64 * 3])));
        for (TileKernel one : List.of(kernel, kernel.with(Schedule.parse("threads=512")),
                kernel.with(Schedule.parse("groups=1, 2 blocks")), kernel.with(Schedule.parse("stages=2, 1 blocks")))) {
            try (Gpu gpu = Gpu.emulated(); ArrayKernel loaded = gpu.load(one)) {
                assertArrayEquals(out, trial.run(loaded.launch(), q, k, v), one.schedule()::toString);
            }
        }
    }

    /** Of the other widths and forms, one program each. */
    static Stream<Trial> programs() {
        Attention usual = Attention.of(ValueType.BF16);
        return Stream.of(new Trial(usual, 1, 1, 64, 256), new Trial(usual.causal(), 1, 1, 200, 129),
                new Trial(Attention.of(ValueType.F16).withHeadWidth(96).withWindow(60), 1, 1, 65, 200),
                new Trial(usual.withHeadWidth(256), 1, 1, 70, 140),
                new Trial(usual.withHeadWidth(64).withGroupsOf(2).causal(), 1, 1, 70, 130));
    }

    @ParameterizedTest
    @OrdinaryShare(2)
    @MethodSource("programs")
    void tensorCoresLeaveTheExecutorsBytes(Trial trial) {
        short[] q = trial.numbers(trial.queryHeads() * trial.queries, 1);
        short[] k = trial.numbers(trial.heads * trial.keys, 2);
        short[] v = trial.numbers(trial.heads * trial.keys, 3);
        TileKernel kernel = trial.attention.kernel();
        assertTrue(kernel.explain(Target.SM_90A).contains("2 groups of 4 warps compute a tile each"), kernel::listing);
        try (Gpu gpu = Gpu.emulated(); ArrayKernel loaded = gpu.load(kernel)) {
            assertArrayEquals(trial.run(kernel.onCpu(), q, k, v), trial.run(loaded.launch(), q, k, v));
        }
    }

    /** Masks, widths, groups, lengths and schedules at random. */
    @Test
    void drawnLaunchesLeaveTheExecutorsBytes() {
        Random random = new Random(28);
        for (int i = 0; i < Thorough.of(6, 100); i++) {
            Attention some = Attention.of(random.nextBoolean() ? ValueType.BF16 : ValueType.F16)
                    .withHeadWidth(List.of(64, 96, 128, 256).get(random.nextInt(4)))
                    .withGroupsOf(1 + random.nextInt(3));
            some = random.nextBoolean() ? some.causal() : some;
            Attention attention = random.nextBoolean() ? some.withWindow(1 + random.nextInt(150)) : some;
            Trial trial = new Trial(attention, 1, 1, 1 + random.nextInt(150), 1 + random.nextInt(300));
            short[] q = trial.numbers(trial.queryHeads() * trial.queries, i);
            short[] k = trial.numbers(trial.keys, i + 1), v = trial.numbers(trial.keys, i + 2);
            Schedule schedule = Schedule.parse(List.of("groups=2", "groups=1, 2 blocks", "stages=2, 1 blocks")
                    .get(random.nextInt(3)));
            TileKernel kernel = attention.kernel();
            try (Gpu gpu = Gpu.emulated(); ArrayKernel loaded = gpu.load(kernel.with(schedule))) {
                assertArrayEquals(trial.run(kernel.onCpu(), q, k, v), trial.run(loaded.launch(), q, k, v),
                        () -> trial + " " + schedule);
            }
        }
    }

    @Test
    void everyHeadsProgramFitsAmpereAndHopper() {
        for (int width : new int[] {64, 96, 128, 256}) {
            for (Target target : new Target[] {Target.SM_80, Target.SM_90A}) {
                Attention.of(ValueType.F16).withHeadWidth(width).causal().kernel().lowered(target, Map.of());
            }
        }
    }

    @Test
    void whatCannotBeIsRefused() {
        Attention usual = Attention.of(ValueType.BF16);
        refused("a head of attention is one of [64, 96, 128, 256] wide, got 80", () -> usual.withHeadWidth(80));
        refused("attention has elements of bf16 or f16, got f32", () -> Attention.of(ValueType.F32));
        refused("scores are multiplied by a finite number above 0, got 0.0", () -> usual.withScale(0));
        refused("scores are multiplied by a finite number above 0, got NaN", () -> usual.withScale(Double.NaN));
        refused("a window has 1 place or more, got 0", () -> usual.withWindow(0));
        refused("at least 1 query head has keys and values, got 0", () -> usual.withGroupsOf(0));
        refused("a block has 16 keys or more, a power of two, got 48", () -> usual.withKeyBlock(48));
        short[] some = new short[2 * 3 * 64];
        TileKernel kernel = usual.withHeadWidth(64).withGroupsOf(2).kernel();
        String message = assertThrows(IllegalArgumentException.class, () -> kernel.onCpu()
                .set("q", some, 1, 1, 2, 3, 64)
                .set("k", some, 1, 1, 6, 64).set("v", some, 1, 1, 3, 64).set("out", some, 1, 1, 2, 3, 64).run())
                .getMessage();
        assertTrue(message.contains("'k'") && message.contains("'v'") && message.contains("'keys'"), message);
        message = assertThrows(IllegalArgumentException.class, () -> kernel.onCpu().set("q", some, 1, 1, 3, 2, 64)
                .set("k", some, 1, 1, 3, 64).set("v", some, 1, 1, 3, 64).set("out", some, 1, 1, 3, 2, 64).run())
                .getMessage();
        assertTrue(message.contains("'q'") && message.contains("2"), message);
    }

    private static void refused(String message, Runnable made) {
        assertEquals(message, assertThrows(IllegalArgumentException.class, made::run).getMessage());
    }
}

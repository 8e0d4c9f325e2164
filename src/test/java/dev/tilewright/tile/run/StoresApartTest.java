package dev.tilewright.tile.run;

import static dev.tilewright.program.value.ValueType.F32;
import static dev.tilewright.program.value.ValueType.I32;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Lines;
import dev.tilewright.gpu.ArrayKernel;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.program.array.ArrayLaunch;
import dev.tilewright.program.array.ArrayShape;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.Update;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Bytes that would depend on which tile comes last are refused, on the CPU and on GPUs, and no others. */
class StoresApartTest {
    private static final String ORDER = ", and their order, which is not said, would decide its bytes: store at the "
            + "tile's own place, update with integers, or scatter";

    /** Something for each way of launching. */
    private static void both(TileKernel kernel, Consumer<Supplier<ArrayLaunch<?>>> what) {
        what.accept(kernel::onCpu);
        try (Gpu gpu = Gpu.emulated(); ArrayKernel loaded = gpu.load(kernel)) {
            what.accept(loaded::launch);
        }
    }

    private static ArrayShape strided(long rows, List<Long> strides) {
        return new ArrayShape(List.of(rows, 4L), strides);
    }

    private static String refusal(ArrayLaunch<?> launch) {
        return Lines.without(assertThrows(IllegalArgumentException.class, launch::run).getMessage());
    }

    private static final TileKernel COPY = TileKernel.of("copied", k -> {
        Dim m = k.dim("m"), n = k.dim("n");
        Tensor x = k.in("x", F32, m, n), y = k.out("y", F32, m, n);
        k.forEachTile(y, 2, 4, at -> y.store(at, x.tile(at)));
    });

    @Test
    void elementsOfAnOutputThatShareMemoryAreRefused() {
        both(COPY, launches -> {
            float[] x = new float[32], y = new float[64];
            BiConsumer<String, List<Long>> wrong = (message, strides) -> assertEquals("kernel 'copied' writes tensor "
                    + "'y' of 8 x 4 with strides " + strides + ", whose elements share places in memory, so that the "
                    + "order in which they are stored, which is not said, would decide bytes: the stride of dimension "
                    + message, refusal(launches.get().set("x", x, 8, 4).set("y", MemorySegment.ofArray(y), strided(8,
                            strides))));
            wrong.accept("0 must be at least 1, got 0", List.of(0L, 1L));
            wrong.accept("0 must be at least 4, got 3", List.of(3L, 1L));
            wrong.accept("1 must be at least 8, got 7", List.of(1L, 7L));
            for (int i = 0; i < 32; i++) {
                x[i] = i;
            }
            launches.get().set("x", x, 8, 4).set("y", MemorySegment.ofArray(y), strided(8, List.of(5L, 1L))).run();
            assertEquals(31, y[7 * 5 + 3]);
            launches.get().set("x", MemorySegment.ofArray(x), strided(8, List.of(0L, 1L))).set("y", y, 8, 4).run();
            assertArrayEquals(new float[] {0, 1, 2, 3, 0, 1, 2, 3}, Arrays.copyOf(y, 8), "what is read may overlap");
            launches.get().set("x", x, 1, 4).set("y", MemorySegment.ofArray(y), strided(1, List.of(0L, 1L))).run();
        });
    }

    @Test
    void integersThatAreUpdatedAlikeMayShareMemory() {
        both(TileKernel.of("summed", k -> {
            Dim m = k.dim("m"), n = k.dim("n");
            Tensor x = k.in("x", I32, m, n), y = k.inOut("y", I32, m, n);
            k.forEachTile(y, 2, 4, at -> y.update(Update.ADD, x.tile(at), at.row(), at.column()));
        }), launches -> {
            int[] y = {1, 0, 0, 0};
            launches.get().set("x", IntStream.range(0, 32).toArray(), 8, 4).set("y", MemorySegment.ofArray(y), strided(
                    8, List.of(0L, 1L))).run();
            assertArrayEquals(new int[] {113, 120, 128, 136}, y);
        });
    }

    /** Under a condition a launch shows whether several tiles meet it. */
    @Test
    void differentUpdatesOfOnePlaceAreRefused() {
        both(TileKernel.of("mixed", k -> {
            Dim n = k.dim("n");
            Tensor x = k.in("x", I32, n), y = k.inOut("y", I32, Dim.of(4));
            k.forEachTile(x, 4, at -> k.when(at.get(0).start().lessThan(Expr.of(100L)), () -> {
                y.update(Update.ADD, x.tile(at), Span.of(0, 4));
                y.update(Update.MAX, x.tile(at), Span.of(0, 4));
            }));
        }), launches -> {
            launches.get().set("x", new int[4], 4).set("y", new int[4], 4).run();
            assertEquals("kernel 'mixed': tiles (n 0) and (n 1) both store into 'y' at [0]" + ORDER.replace(
                    "update with integers", "update by one operation alone, where there are ADD and MAX"),
                    refusal(launches.get().set("x", new int[5], 5).set("y", new int[4], 4)));
        });
    }

    /** Each row is turned by so many places, of which there is no sum: places are looked at one by one. */
    @Test
    void placesThatAreNoSumAreLookedAtOneByOne() {
        both(TileKernel.of("turned", k -> {
            Dim m = k.dim("m"), n = k.dim("n");
            Tensor x = k.in("x", F32, m), y = k.out("y", F32, n);
            k.forEachTile(x, 1, at -> y.store(x.tile(at), Span.at(at.get(0).start().times(Expr.of(3L)).modulo(
                    n.value()))));
        }), launches -> {
            float[] x = {1, 2, 3, 4, 5}, y = new float[5];
            launches.get().set("x", x, 5).set("y", y, 5).run();
            assertArrayEquals(new float[] {1, 3, 5, 2, 4}, y);
            assertEquals("kernel 'turned': tiles (m 0) and (m 2) both store into 'y' at [0]" + ORDER,
                    refusal(launches.get().set("x", x, 5).set("y", new float[6], 6)));
            launches.get().set("x", x, 5).set("y", y, 5).run();
        });
    }

    @Test
    void aConditionThatOneTileMeetsIsAllowed() {
        for (int tiles : new int[] {1, 2}) {
            both(TileKernel.of("first", k -> {
                Dim n = k.dim("n");
                Tensor x = k.in("x", F32, n), y = k.out("y", F32, Dim.of(4));
                k.forEachTile(x, 4, at -> k.when(at.get(0).start().lessThan(Expr.of(4L * tiles)), () -> y.store(
                        x.tile(at), Span.of(0, 4))));
            }), launches -> {
                float[] y = new float[4];
                ArrayLaunch<?> launch = launches.get().set("x", new float[] {1, 2, 3, 4, 5, 6}, 6).set("y", y, 4);
                if (tiles == 1) {
                    launch.run();
                    assertArrayEquals(new float[] {1, 2, 3, 4}, y);
                } else {
                    assertEquals("kernel 'first': tiles (n 0) and (n 1) both store into 'y' at [0]" + ORDER,
                            refusal(launch));
                }
            });
        }
    }

    /** A store of a drawn kernel, along one dimension: factors of the grid's two numbers and of a loop's turn. */
    private record Drawn(int constant, int first, int second, int turn, int length, int step) {
        static Drawn of(Random random) {
            int[] factors = {0, 1, 2, 3, 4, 8, 12, -3, -4};
            return new Drawn(random.nextInt(5) - 2, factors[random.nextInt(factors.length)],
                    factors[random.nextInt(factors.length)], factors[random.nextInt(factors.length)],
                    1 + random.nextInt(4), 1 + random.nextInt(3));
        }

        Span span(Expr i, Expr j, Expr t) {
            Expr start = Expr.of((long) constant).plus(i.times(Expr.of((long) first))).plus(j.times(Expr.of(
                    (long) second))).plus(t.times(Expr.of((long) turn)));
            return new Span(start, Dim.of(length), step, false);
        }
    }

    /** Drawn stores into a vector: the launch is refused just where two tiles name one place. */
    @Test
    void drawnStoresAreRefusedJustWhereTilesMeet() {
        Random random = new Random(27);
        int[] count = new int[2];
        for (int draw = 0; draw < 400; draw++) {
            int a = 1 + random.nextInt(3), b = 1 + random.nextInt(3), turns = 1 + random.nextInt(2);
            int places = 4 + random.nextInt(30);
            List<Drawn> stores = random.nextInt(3) == 0 ? List.of(Drawn.of(random), Drawn.of(random))
                    : List.of(Drawn.of(random));
            TileKernel kernel = TileKernel.of("drawn", k -> {
                Dim m = k.dim("m"), n = k.dim("n"), depth = k.dim("depth");
                Tensor x = k.in("x", F32, m, n, depth), y = k.out("y", F32, k.dim("places"));
                k.forEachTile(x, 1, 1, at -> k.loop(k.steps(depth, 1), t -> stores.forEach(s -> y.store(k.full(F32, 1,
                        s.length), s.span(at.row().start(), at.column().start(), t.start())))));
            });
            Map<Integer, Integer> of = new HashMap<>();
            boolean meet = false;
            for (int tile = 0; tile < a * b; tile++) {
                for (Drawn s : stores) {
                    for (int t = 0; t < turns; t++) {
                        for (int e = 0; e < s.length; e++) {
                            int place = s.constant + tile / b * s.first + tile % b * s.second + t * s.turn + e * s.step;
                            Integer other = place < 0 || place >= places ? null : of.putIfAbsent(place, tile);
                            meet |= other != null && other != tile;
                        }
                    }
                }
            }
            count[meet ? 1 : 0]++;
            ArrayLaunch<?> launch = kernel.onCpu().set("x", new float[a * b * turns], a, b, turns).set("y",
                    new float[places], places);
            if (meet) {
                assertTrue(refusal(launch).contains("both store into 'y' at ["), stores::toString);
            } else {
                launch.run();
            }
        }
        assertTrue(count[0] > 100 && count[1] > 100, () -> Arrays.toString(count));
    }
}

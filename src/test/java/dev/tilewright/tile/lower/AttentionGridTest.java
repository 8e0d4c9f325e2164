package dev.tilewright.tile.lower;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.BadRequestException;
import dev.tilewright.builder.Schedule;
import dev.tilewright.gpu.ArrayKernel;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.hazard.check.HazardCheck;
import dev.tilewright.layout.FloatBits;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Scalars;
import dev.tilewright.program.array.ArrayLaunch;
import dev.tilewright.program.array.ArrayShape;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.reference.Reference;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Steps;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.TileScope;
import dev.tilewright.tile.kernel.Attention;
import dev.tilewright.tile.kernel.PagedAttention;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Two groups of four warps share keys and values where tiles beside each other have the same ones, and only there. */
class AttentionGridTest {
    private static final int WIDTH = 64;
    private static final int HEADS = 3;
    private static final int QUERIES = 100;
    private static final int KEYS = 150;

    @Test
    void groupsShareTheKeysOfOneHead() {
        TileKernel kernel = kernel((heads, queries) -> List.of(heads, queries));
        assertTrue(kernel.explain(Target.SM_90A).contains("2 groups of 4 warps compute a tile each"), kernel::listing);
        requireExecutorsBytes(kernel);
    }

    /** Tiles beside each other are of two heads. */
    @Test
    void headsMayBeInnermost() {
        TileKernel kernel = kernel((heads, queries) -> List.of(queries, heads));
        assertTrue(kernel.explain(Target.SM_90A).contains("1 group of 4 warps compute a tile each"), kernel::listing);
        requireExecutorsBytes(kernel);
        Map<String, ArrayShape> shapes = Map.of("q", ArrayShape.dense(HEADS, QUERIES, WIDTH), "k",
                ArrayShape.dense(HEADS, KEYS, WIDTH), "v", ArrayShape.dense(HEADS, KEYS, WIDTH), "out",
                ArrayShape.dense(HEADS, QUERIES, WIDTH));
        TileKernel two = kernel.with(Schedule.parse("groups=2"));
        String message = assertThrows(BadRequestException.class, () -> two.launch(shapes, Scalars.NONE, Target.SM_90A,
                1)).getMessage();
        assertTrue(message.contains("multiply other keys or values"), message);
    }

    /** Blocks of keys that begin at no multiple of their length. */
    @Test
    void keysMayBeginAnywhere() {
        requireExecutorsBytes(kernel((heads, queries) -> List.of(heads, queries), Expr.of(8L)));
    }

    /** Both read the last pages, whose rows behind a member's length one clears before either multiplies. */
    @Test
    void groupsClearRowsBehindALengthTogether() {
        int page = 16, slots = 12, pages = 20, queries = 40;
        int[] lengths = {150, 30, 0};
        TileKernel kernel = PagedAttention.of(Attention.of(ValueType.BF16).withHeadWidth(WIDTH).withRows(64), page)
                .kernel().with(Schedule.parse("groups=2"));
        short[] q = numbers(lengths.length * queries * 3, 1), k = numbers(pages * page, 2);
        short[] v = numbers(pages * page, 3), wanted = new short[q.length], got = new short[q.length];
        int[] table = new Random(4).ints(lengths.length * slots, 0, pages).toArray();
        kernel.onCpu().set("q", q, lengths.length, 1, 1, 3 * queries, WIDTH).set("k", k, pages, 1, page, WIDTH)
                .set("v", v, pages, 1, page, WIDTH).set("table", table, lengths.length, slots)
                .set("lengths", lengths, lengths.length)
                .set("out", wanted, lengths.length, 1, 1, 3 * queries, WIDTH).run();
        Launch launch = kernel.launch(Map.of("q", ArrayShape.dense(lengths.length, 1, 1, 3 * queries, WIDTH), "k",
                ArrayShape.dense(pages, 1, page, WIDTH), "v", ArrayShape.dense(pages, 1, page, WIDTH), "table",
                ArrayShape.dense(lengths.length, slots), "lengths", ArrayShape.dense(lengths.length), "out",
                ArrayShape.dense(lengths.length, 1, 1, 3 * queries, WIDTH)), Scalars.NONE, Target.SM_90A, 2);
        List<MemorySegment> memory = List.of(MemorySegment.ofArray(q), MemorySegment.ofArray(k),
                MemorySegment.ofArray(v), MemorySegment.ofArray(table), MemorySegment.ofArray(lengths),
                MemorySegment.ofArray(got));
        Reference.run(launch, memory);
        assertArrayEquals(wanted, got);
        HazardReport report = HazardCheck.check(launch, memory);
        assertEquals(List.of(), report.findings(), report::toString);
    }

    @Test
    void aLaunchMayBeOneTile() {
        TileKernel kernel = TileKernel.of("one", k -> {
            Tensor q = k.in("q", ValueType.BF16, Dim.of(64), Dim.of(WIDTH));
            Dim keys = k.dim("keys");
            Tensor key = k.in("k", ValueType.BF16, keys, Dim.of(WIDTH)), v = k.in("v", ValueType.BF16, keys,
                    Dim.of(WIDTH));
            Tensor out = k.out("out", ValueType.BF16, Dim.of(64), Dim.of(WIDTH));
            k.forEachTile(List.of(), _ -> out.store(turns(k, q.tile(), keys, span -> key.tile(span, all()),
                    span -> v.tile(span, all()))));
        });
        short[] q = numbers(64, 1), k = numbers(KEYS, 2), v = numbers(KEYS, 3), wanted = new short[q.length];
        short[] got = new short[q.length];
        kernel.onCpu().set("q", q, 64, WIDTH).set("k", k, KEYS, WIDTH).set("v", v, KEYS, WIDTH).set("out", wanted, 64,
                WIDTH).run();
        try (Gpu gpu = Gpu.emulated(); ArrayKernel loaded = gpu.load(kernel)) {
            loaded.launch().set("q", q, 64, WIDTH).set("k", k, KEYS, WIDTH).set("v", v, KEYS, WIDTH).set("out", got,
                    64, WIDTH).run();
        }
        assertArrayEquals(wanted, got);
    }

    private static void requireExecutorsBytes(TileKernel kernel) {
        try (Gpu gpu = Gpu.emulated(); ArrayKernel loaded = gpu.load(kernel)) {
            assertArrayEquals(run(kernel.onCpu()), run(loaded.launch()));
        }
    }

    private static short[] run(ArrayLaunch<?> launch) {
        short[] out = new short[HEADS * QUERIES * WIDTH];
        launch.set("q", numbers(HEADS * QUERIES, 1), HEADS, QUERIES, WIDTH).set("k", numbers(HEADS * KEYS, 2), HEADS,
                KEYS, WIDTH).set("v", numbers(HEADS * KEYS, 3), HEADS, KEYS, WIDTH).set("out", out, HEADS, QUERIES,
                WIDTH).run();
        return out;
    }

    private static short[] numbers(int rows, long seed) {
        Random random = new Random(seed);
        short[] bits = new short[rows * WIDTH];
        for (int i = 0; i < bits.length; i++) {
            bits[i] = (short) FloatBits.toBf16((float) random.nextGaussian());
        }
        return bits;
    }

    private static TileKernel kernel(BiFunction<Steps, Steps, List<Steps>> order) {
        return kernel(order, Expr.of(0L));
    }

    /** @param order of the grid's steps: of heads and of queries @param first key */
    private static TileKernel kernel(BiFunction<Steps, Steps, List<Steps>> order, Expr first) {
        return TileKernel.of("scores", k -> {
            Dim heads = k.dim("heads"), queries = k.dim("queries"), keys = k.dim("keys");
            Tensor q = k.in("q", ValueType.BF16, heads, queries, Dim.of(WIDTH));
            Tensor key = k.in("k", ValueType.BF16, heads, keys, Dim.of(WIDTH));
            Tensor v = k.in("v", ValueType.BF16, heads, keys, Dim.of(WIDTH));
            Tensor out = k.out("out", ValueType.BF16, heads, queries, Dim.of(WIDTH));
            List<Steps> steps = order.apply(k.steps(heads, 1), k.steps(queries, 64));
            k.forEachTile(steps, at -> {
                int inner = steps.getFirst().length() == 1 ? 1 : 0;
                Span head = at.get(1 - inner), rows = at.get(inner);
                out.store(turns(k, q.tile(head, rows), keys, span -> key.tile(head, span.plus(first)),
                        span -> v.tile(head, span.plus(first))), head, rows);
            });
        });
    }

    private static Span all() {
        return Span.all(Dim.of(WIDTH));
    }

    private static Tile turns(TileScope k, Tile query, Dim keys, Function<Span, Tile> key,
            Function<Span, Tile> value) {
        return k.fold(k.zeros(ValueType.F32, 64, WIDTH), k.steps(keys, 64), (sum, span) -> sum.mma(
                k.zeros(ValueType.F32, 64, 64).mma(query, key.apply(span).transposed()).times(0.125)
                        .to(ValueType.BF16), value.apply(span))).to(ValueType.BF16);
    }
}

package dev.tilewright.tile.kernel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.OrdinaryShare;
import dev.tilewright.gpu.ArrayKernel;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.layout.FloatBits;
import dev.tilewright.program.array.ArrayLaunch;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.TileKernel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Attention to a cache in pages beside attention to keys in a row: the same bits for each member of a batch. */
class PagedAttentionTest {
    private static final int WIDTH = 64;
    private static final int GROUP = 4;
    private static final int PAGE = 16;
    private static final int HEADS = 2;
    private static final int SLOTS = 20;
    private static final int PAGES = 40;
    private static final int[] LENGTHS = {300, 17, 130};

    private final int[] table = table();
    private final short[] k = numbers(PAGES * HEADS * PAGE * WIDTH, 2);
    private final short[] v = numbers(PAGES * HEADS * PAGE * WIDTH, 3);

    private static short[] numbers(int count, long seed) {
        Random random = new Random(seed);
        short[] bits = new short[count];
        for (int i = 0; i < count; i++) {
            bits[i] = (short) FloatBits.toBf16((float) random.nextGaussian());
        }
        return bits;
    }

    /** Pages in any order; slots that no key needs name pages that are not there. */
    private static int[] table() {
        List<Integer> free = new ArrayList<>(IntStream.range(0, PAGES).boxed().toList());
        Collections.shuffle(free, new Random(1));
        int[] table = new int[LENGTHS.length * SLOTS];
        int taken = 0;
        for (int i = 0; i < table.length; i++) {
            table[i] = i % SLOTS < Math.ceilDiv(LENGTHS[i / SLOTS], PAGE) ? free.get(taken++) : PAGES + i;
        }
        return table;
    }

    private short[] run(ArrayLaunch<?> launch, short[] q, int queries, short[] values) {
        short[] out = new short[q.length];
        launch.set("q", q, LENGTHS.length, HEADS, GROUP, queries, WIDTH).set("k", k, PAGES, HEADS, PAGE, WIDTH)
                .set("v", values, PAGES, HEADS, PAGE, WIDTH).set("table", table, LENGTHS.length, SLOTS)
                .set("lengths", LENGTHS, LENGTHS.length).set("out", out, LENGTHS.length, HEADS, GROUP, queries, WIDTH)
                .run();
        return out;
    }

    /** A member's keys or values in a row. */
    private short[] row(short[] cache, int member) {
        int length = LENGTHS[member];
        short[] row = new short[HEADS * length * WIDTH];
        for (int head = 0; head < HEADS; head++) {
            for (int j = 0; j < length; j++) {
                int page = table[member * SLOTS + j / PAGE];
                System.arraycopy(cache, ((page * HEADS + head) * PAGE + j % PAGE) * WIDTH, row,
                        (head * length + j) * WIDTH, WIDTH);
            }
        }
        return row;
    }

    @ParameterizedTest
    @OrdinaryShare(2)
    @ValueSource(ints = {1, 3})
    void membersHaveTheBitsThatTheyHaveAloneAndInARow(int queries) {
        Attention attention = Attention.of(ValueType.BF16).withHeadWidth(WIDTH).withGroupsOf(GROUP);
        TileKernel paged = PagedAttention.of(attention.withRows(queries == 1 ? 1 : 2), PAGE).kernel();
        TileKernel plain = attention.causal().kernel();
        int each = HEADS * GROUP * queries * WIDTH;
        short[] q = numbers(LENGTHS.length * each, 1);
        short[] out = run(paged.onCpu(), q, queries, v);
        for (int member = 0; member < LENGTHS.length; member++) {
            short[] alone = new short[each];
            plain.onCpu().set("q", Arrays.copyOfRange(q, member * each, (member + 1) * each), 1, HEADS, GROUP,
                    queries, WIDTH).set("k", row(k, member), 1, HEADS, LENGTHS[member], WIDTH)
                    .set("v", row(v, member), 1, HEADS, LENGTHS[member], WIDTH)
                    .set("out", alone, 1, HEADS, GROUP, queries, WIDTH).run();
            assertArrayEquals(alone, Arrays.copyOfRange(out, member * each, (member + 1) * each));
        }
        for (TileKernel one : List.of(paged, onTensorCores(attention))) {
            try (Gpu gpu = Gpu.emulated(); ArrayKernel loaded = gpu.load(one)) {
                assertArrayEquals(out, run(loaded.launch(), q, queries, v));
            }
        }
    }

    /** By tiles of 64 rows, whose pages the copy engine brings. */
    private static TileKernel onTensorCores(Attention attention) {
        TileKernel kernel = PagedAttention.of(attention.withRows(64 / GROUP), PAGE).kernel();
        assertTrue(kernel.explain(Target.SM_90A).contains("1 group of 4 warps compute"), kernel::listing);
        return kernel;
    }

    @Test
    void aGroupOfOneHeadMayHaveTilesOfOneQuery() {
        Attention attention = Attention.of(ValueType.BF16).withHeadWidth(WIDTH);
        short[] q = numbers(WIDTH, 1), one = new short[WIDTH], many = new short[WIDTH];
        for (short[] out : List.of(one, many)) {
            PagedAttention.of(attention.withRows(out == one ? 1 : 64), PAGE).kernel().onCpu()
                    .set("q", q, 1, 1, 1, 1, WIDTH).set("k", k, PAGES * HEADS, 1, PAGE, WIDTH)
                    .set("v", v, PAGES * HEADS, 1, PAGE, WIDTH).set("table", new int[] {3, 1}, 1, 2)
                    .set("lengths", new int[] {20}, 1).set("out", out, 1, 1, 1, 1, WIDTH).run();
        }
        assertArrayEquals(many, one);
    }

    @Test
    void tensorCoresLeaveTheExecutorsBytesOfWindowsAndOtherBlocks() {
        Attention attention = Attention.of(ValueType.BF16).withHeadWidth(WIDTH).withGroupsOf(GROUP);
        short[] q = numbers(LENGTHS.length * HEADS * GROUP * 2 * WIDTH, 4);
        for (Attention one : List.of(attention.withWindow(70), attention.withKeyBlock(64))) {
            TileKernel kernel = onTensorCores(one);
            try (Gpu gpu = Gpu.emulated(); ArrayKernel loaded = gpu.load(kernel)) {
                assertArrayEquals(run(kernel.onCpu(), q, 2, v), run(loaded.launch(), q, 2, v));
            }
        }
    }

    @Test
    void whatLiesBehindAMembersLengthIsNotLookedAt() {
        Attention attention = Attention.of(ValueType.BF16).withHeadWidth(WIDTH).withGroupsOf(GROUP);
        TileKernel kernel = PagedAttention.of(attention.withRows(1), PAGE).kernel();
        short[] q = numbers(LENGTHS.length * HEADS * GROUP * WIDTH, 1);
        short[] expected = run(kernel.onCpu(), q, 1, v);
        // The last row of member 1's second page, of which one row is in use.
        int page = table[SLOTS + 1];
        for (short[] cache : List.of(k, v)) {
            Arrays.fill(cache, (page * HEADS * PAGE + PAGE - 1) * WIDTH, (page * HEADS + 1) * PAGE * WIDTH,
                    (short) 0x7fc0);
        }
        assertArrayEquals(expected, run(kernel.onCpu(), q, 1, v));
        for (TileKernel one : List.of(kernel, onTensorCores(attention))) {
            try (Gpu gpu = Gpu.emulated(); ArrayKernel loaded = gpu.load(one)) {
                assertArrayEquals(expected, run(loaded.launch(), q, 1, v));
            }
        }
    }

    @ParameterizedTest
    @OrdinaryShare(3)
    @CsvSource({"64, 1", "64, 8", "96, 1", "96, 8", "128, 1", "128, 8", "256, 1", "256, 8"})
    void everyHeadsProgramFitsAmpereAndHopper(int width, int rows) {
        TileKernel kernel = PagedAttention.of(Attention.of(ValueType.F16).withHeadWidth(width).withGroupsOf(8)
                .withRows(rows), 16).kernel();
        kernel.lowered(Target.SM_80, Map.of());
        kernel.lowered(Target.SM_90A, Map.of());
    }

    @Test
    void tablesThatDoNotFitAreRefused() {
        refused("a page has a power of two of keys, of which a block of 128 has one or more, got 24",
                () -> PagedAttention.of(Attention.of(ValueType.BF16), 24));
        refused("a page has a power of two of keys, of which a block of 128 has one or more, got 256",
                () -> PagedAttention.of(Attention.of(ValueType.BF16), 256));
        refused("a table of 2 rows of 3 pages has 6 numbers, got 5",
                () -> PagedAttention.requirePages(new int[5], 3, new int[2], 16, 9));
        refused("member 1 has 49 keys, and its 3 pages of 16 have room for 48",
                () -> PagedAttention.requirePages(new int[6], 3, new int[] {1, 49}, 16, 9));
        refused("page 1 of member 0 is number 9, and there are pages 0 to 8",
                () -> PagedAttention.requirePages(new int[] {3, 9, -1}, 3, new int[] {17}, 16, 9));
        PagedAttention.requirePages(new int[] {3, 9, -1}, 3, new int[] {16}, 16, 9);
        refused("page 0 of member 0 is number 0, and there are none",
                () -> PagedAttention.requirePages(new int[] {0}, 1, new int[] {1}, 16, 0));
        refused("a row of a table has 0 slots or more, a page 1 key or more, and there are 0 pages or more, got -1, 0 "
                + "and 9", () -> PagedAttention.requirePages(new int[0], -1, new int[0], 0, 9));
        PagedAttention.requirePages(new int[0], 0, new int[] {0}, 16, 0);
    }

    private static void refused(String message, Runnable made) {
        assertEquals(message, assertThrows(IllegalArgumentException.class, made::run).getMessage());
    }
}

package dev.tilewright.reference;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tilewright.layout.ElementType;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.MapSource;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.Target;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import dev.tilewright.reference.fault.ReferenceException;
import dev.tilewright.tensormap.Im2colTensorMap;
import dev.tilewright.tensormap.Im2colWideTensorMap;
import dev.tilewright.tensormap.TensorMap;
import dev.tilewright.tensormap.TiledTensorMap;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Copies that need sm_100, which run by their documents: each against what the documents say, element by element. */
class DocumentedCopiesTest {
    private static final Parameter.Pointer SOURCE = new Parameter.Pointer("source", true);
    private static final Parameter.Pointer RESULT = new Parameter.Pointer("result", true);
    private static final SharedRegion.Barriers FULL = new SharedRegion.Barriers("full", 1);
    private static final Address.Barrier LANDED = FULL.at(0);
    private static final SharedRegion.Buffer BOX = new SharedRegion.Buffer("box", 1024, 1024);
    private static final int THREADS = 32;
    private static final int COLUMNS = 16;
    private static final int ROWS = 9;
    private static final TiledTensorMap ROW =
            TiledTensorMap.denseInnermostFirst(TensorDataType.INT32, List.of((long) COLUMNS, (long) ROWS),
            List.of(8, 1), Swizzle.NONE);

    @Test
    void fourRowsAreGatheredEachByItself() {
        int[] rows = {7, 2, 12, 0};
        int[] box = load(ROW, 4 * 8, (body, map) -> body.tensorLoad(BOX.at(0), map, Expr.list(4, rows[0]), LANDED)
                .gather4(Expr.list(rows[1], rows[2], rows[3])));
        for (int i = 0; i < box.length; i++) {
            int row = rows[i / 8];
            assertEquals(row < ROWS ? row * COLUMNS + 4 + i % 8 : 0, box[i], "element " + i);
        }
    }

    @Test
    void fourRowsAreScattered() {
        int[] rows = {7, 2, 12, 0};
        int[] tensor =
                store(ROW, (body, map) -> body.tensorStore(map, Expr.list(4, rows[0]), BOX.at(0))
                .scatter4(Expr.list(rows[1], rows[2], rows[3])));
        int[] expected = new int[COLUMNS * ROWS];
        java.util.Arrays.fill(expected, -1);
        for (int i = 0; i < 32; i++) {
            if (rows[i / 8] < ROWS) {
                expected[rows[i / 8] * COLUMNS + 4 + i % 8] = i;
            }
        }
        assertArrayEquals(expected, java.util.Arrays.copyOf(tensor, expected.length));
    }

    @Test
    void gatheringTakesAMapOfOneRow() {
        TiledTensorMap two = TiledTensorMap.denseInnermostFirst(TensorDataType.INT32,
                List.of((long) COLUMNS, (long) ROWS), List.of(8, 2), Swizzle.NONE);
        ReferenceException e = assertThrows(ReferenceException.class,
                () -> load(two, 4 * 8, (body, map) -> body.tensorLoad(
                BOX.at(0), map, Expr.list(0, 0), LANDED)
                .gather4(Expr.list(1, 2, 3))));
        assertEquals(true, e.getMessage().contains("a box of one row"), e.getMessage());
    }

    /** Rows of 64 bytes, as long as the swizzle's span. */
    @Test
    void pixelsOfAWideMapFollowWAndHaveAHalo() {
        int channels = 16;
        int width = 5;
        int halo = 2;
        Im2colWideTensorMap wide = Im2colWideTensorMap.innermostFirst(TensorDataType.INT32).shape(channels, width, 2)
                .channels(channels).pixels(4).swizzle(Swizzle.B64).build(Target.SM_100);
        int[] box = load(wide, (4 + halo) * channels, (body, map) -> body.tensorLoad(BOX.at(0), map,
                Expr.list(0, 2, 0), LANDED).im2colWide(false, halo, 1));
        // From W 2 + 1 on: 3, 4, 5, which is padding; then the next image from 0 + 1 on.
        int[] w = {3, 4, 5, 1, 2, 3};
        int[] n = {0, 0, 0, 1, 1, 1};
        for (int pixel = 0; pixel < 4 + halo; pixel++) {
            for (int c = 0; c < channels; c++) {
                int address = pixel * channels * 4 + c * 4;
                int turned = (address ^ (address >> 7 & 3) << 4) / 4;
                int expected = w[pixel] < width ? (n[pixel] * width + w[pixel]) * channels + c : 0;
                assertEquals(expected, box[turned], "pixel " + pixel + ", channel " + c);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0xFFFF, 0, 1, 0x8000, 0x0FF0, 0xA5A5, 0x7FFF})
    void aByteMaskSaysWhichOfEvery16BytesAreWritten(int mask) {
        int[] tensor =
                store(ROW, (body, map) -> body.bulkStore(new Address.Global(SOURCE, 32), BOX.at(0), 64).byteMask(mask));
        byte[] got = bytes(tensor);
        byte[] stored = bytes(java.util.stream.IntStream.range(0, 16).toArray());
        for (int i = 0; i < 160; i++) {
            boolean written = i >= 32 && i < 96 && (mask >> i % 16 & 1) != 0;
            assertEquals(written ? stored[i - 32] : -1, got[i], "byte " + i);
        }
    }

    /** A map of pixels that the kernel has put into memory itself. */
    @Test
    void anIm2colMapMayLieInMemory() {
        Im2colTensorMap map = Im2colTensorMap.innermostFirst(TensorDataType.INT32).shape(4, 6, 2).channels(4).pixels(8)
                .build(Target.SM_90);
        Parameter.TensorMap template = new Parameter.TensorMap("template_map", 3);
        Parameter.Pointer maps = new Parameter.Pointer("maps", true);
        Address.Global place = new Address.Global(maps, 0);
        TileProgram program = new TileProgram("im2col_in_memory", "loads pixels through a map in memory", 1,
                List.of(template, maps, RESULT), new SharedLayout(List.of(BOX, FULL)), Body.steps(body -> {
                    body.loop("at", 0, 128, 16, (each, at) -> each.store(
                            new Address.Global(maps, at.toS64()), each.load("chunk", ElementType.U32, 4,
                                    new Address.MapBytes(template, at))));
                    body.releaseMaps();
                    body.acquireMap(place);
                    body.barrierInit(LANDED, 1);
                    body.barrierInitFence();
                    body.arriveExpectTx(LANDED, 128);
                    body.tensorLoad(BOX.at(0), new MapSource.InMemory(place, 3),
                            Expr.list(0, 1, 0), LANDED).im2col(Expr.list(0));
                    body.waitParity(LANDED, 0);
                    body.loop("shown", 0, 128, 16, (each, at) -> each.store(
                            new Address.Global(RESULT, at.toS64()),
                            each.load("pixel", ElementType.U32, 4, BOX.at(at))));
                }));
        int[] tensor = java.util.stream.IntStream.range(0, 48).toArray();
        int[] result = new int[32];
        Reference.run(
                new Launch(program, 1, List.of(new Argument.Tensor(map, 0), new Argument.Buffer(1),
                new Argument.Buffer(2))), List.of(MemorySegment.ofArray(tensor), MemorySegment.ofArray(new long[16]),
                MemorySegment.ofArray(result)));
        // From W 1 of the first image on to its end, and into the second.
        assertArrayEquals(java.util.stream.IntStream.range(4, 36).toArray(), result);
    }

    private interface Copy {
        void start(Body body, Parameter.TensorMap map);
    }

    /** Loads into the box from a tensor of the numbers 0, 1, 2 and on. @param elements how many the box holds */
    private static int[] load(TensorMap tensor, int elements, Copy copy) {
        Parameter.TensorMap map = new Parameter.TensorMap("map", tensor.rank());
        int bytes = 4 * elements;
        return run(tensor, map, false, body -> {
            body.when(Builtin.THREAD.isEqualTo(0), one -> {
                one.barrierInit(LANDED, 1);
                one.barrierInitFence();
                one.arriveExpectTx(LANDED, bytes);
                copy.start(one, map);
                one.waitParity(LANDED, 0);
            });
            body.syncThreads();
            body.loop("at", Builtin.THREAD.times(16), bytes, 16 * THREADS, (each, at) -> each.store(
                    new Address.Global(RESULT, at.toS64()), each.load("data", ElementType.U32, 4, BOX.at(at))));
        }, elements);
    }

    /** Stores from the box, which holds the numbers 0 to 31, to a tensor of -1. */
    private static int[] store(TensorMap tensor, Copy copy) {
        Parameter.TensorMap map = new Parameter.TensorMap("map", tensor.rank());
        return run(tensor, map, true, body -> {
            body.store(BOX.at(Builtin.THREAD.times(4)), body.load("number", ElementType.I32, 1,
                    new Address.Global(RESULT, Builtin.THREAD.times(4).toS64())));
            body.proxyFence(FenceProxyAsync.Memory.SHARED);
            body.syncThreads();
            body.when(Builtin.THREAD.isEqualTo(0), one -> {
                copy.start(one, map);
                one.bulkCommit();
                one.bulkWait(0);
            });
        }, 32);
    }

    private static int[] run(TensorMap tensor, Parameter.TensorMap map, boolean stores, Consumer<Body> code,
            int elements) {
        TileProgram program = new TileProgram("documented", "copies", THREADS, List.of(map, SOURCE, RESULT),
                new SharedLayout(List.of(BOX, FULL)), Body.steps(code));
        int[] memory = java.util.stream.IntStream.range(0, 512).map(i -> stores ? -1 : i).toArray();
        int[] result = java.util.stream.IntStream.range(0, elements).toArray();
        Reference.run(
                new Launch(program, 1, List.of(new Argument.Tensor(tensor, 0), new Argument.Buffer(0),
                new Argument.Buffer(1))), List.of(MemorySegment.ofArray(memory), MemorySegment.ofArray(result)));
        return stores ? memory : result;
    }

    private static byte[] bytes(int[] words) {
        return MemorySegment.ofArray(words).toArray(ValueLayout.JAVA_BYTE);
    }
}

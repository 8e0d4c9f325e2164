package dev.tilewright.reference;

import static dev.tilewright.reference.TestData.assertComplaint;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.program.Body;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.reference.compile.Binding;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import dev.tilewright.tensormap.Interleave;
import dev.tilewright.tensormap.L2Promotion;
import dev.tilewright.tensormap.OobFill;
import dev.tilewright.tensormap.TiledTensorMap;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A copy of a matrix, box by box, through one swizzled stage: written by hand, then broken in every way. */
class TensorProgramTest {
    private static final int BOX_COLUMNS = 8;
    private static final int BOX_ROWS = 4;
    private static final Parameter.TensorMap FROM = new Parameter.TensorMap("from", 2);
    private static final Parameter.TensorMap TO = new Parameter.TensorMap("to", 2);
    private static final Parameter.Int BOXES_ACROSS = new Parameter.Int("across", IntType.S32);
    private static final Parameter.Int BOXES = new Parameter.Int("boxes", IntType.S32);
    private static final SharedRegion.Buffer STAGE = new SharedRegion.Buffer("stage", 2048, 1024);
    private static final SharedRegion.Barriers FULL = new SharedRegion.Barriers("full", 1);
    private static final Expr FIRST = Expr.of(0);

    private static TileProgram copy() {
        return new TileProgram("box_copy", "copies boxes", 4, List.of(FROM, TO, BOXES_ACROSS, BOXES),
                new SharedLayout(List.of(STAGE, FULL)), Body.steps(body -> body.purpose("one thread")
                        .when(Builtin.THREAD.isEqualTo(0), one -> {
                    one.purpose("init").barrierInit(FULL.at(FIRST), 1);
                    one.purpose("show it").barrierInitFence();
                    one.purpose("boxes").loop("box", Builtin.BLOCK, BOXES.value(), Builtin.GRID, (each, box) -> {
                        Expr column = each.purpose("column")
                                .let("column", box.modulo(BOXES_ACROSS.value()).times(BOX_COLUMNS));
                        Expr row = each.purpose("row").let("row", box.dividedBy(BOXES_ACROSS.value()).times(BOX_ROWS));
                        each.purpose("announce").arriveExpectTx(FULL.at(FIRST), 4 * BOX_COLUMNS * BOX_ROWS);
                        each.purpose("load")
                                .tensorLoad(STAGE.at(128), FROM, List.of(column, row), FULL.at(FIRST));
                        each.purpose("wait").waitParity(FULL.at(FIRST), box.dividedBy(Builtin.GRID).modulo(2));
                        each.purpose("store").tensorStore(TO, List.of(column, row), STAGE.at(128));
                        each.purpose("commit").bulkCommit();
                        each.purpose("until it is read").bulkWaitRead(0);
                    });
                })));
    }

    private static TiledTensorMap map(long columns, long rows, Swizzle swizzle) {
        return new TiledTensorMap(TensorDataType.INT32, List.of(columns, rows), List.of(Math.ceilDiv(columns, 4L) * 16),
                List.of(BOX_COLUMNS, BOX_ROWS), List.of(1, 1), Interleave.NONE, swizzle, L2Promotion.NONE,
                OobFill.ZERO);
    }

    private static byte[] run(TileProgram program, TiledTensorMap from, TiledTensorMap to, byte[] source, int grid) {
        byte[] result = new byte[source.length];
        int across = (int) Math.ceilDiv(from.dims().get(0), (long) BOX_COLUMNS);
        int down = (int) Math.ceilDiv(from.dims().get(1), (long) BOX_ROWS);
        Execution.run(program, grid, Map.of(FROM, new Binding.BoundTensorMap(from, MemorySegment.ofArray(source)),
                TO, new Binding.BoundTensorMap(to, MemorySegment.ofArray(result)),
                BOXES_ACROSS, new Binding.Integer(across), BOXES, new Binding.Integer((long) across * down)),
                ReferenceOptions.DEFAULT, null);
        return result;
    }

    private static byte[] run(TileProgram program, Swizzle swizzle, int columns, int rows, int grid) {
        TiledTensorMap map = map(columns, rows, swizzle);
        return run(program, map, map, TestData.bytes((int) (map.strides().getFirst() * rows), 1), grid);
    }

    /**
     * The matrix with what lies between its rows: zeros, since a load fills and a store writes whole 16-byte chunks.
     */
    private static byte[] expected(int columns, int rows) {
        int stride = Math.ceilDiv(columns, 4) * 16;
        byte[] bytes = TestData.bytes(stride * rows, 1);
        for (int row = 0; row < rows; row++) {
            Arrays.fill(bytes, row * stride + 4 * columns, (row + 1) * stride, (byte) 0);
        }
        return bytes;
    }

    @Property(tries = 70)
    void theMatrixIsCopied(@ForAll Swizzle swizzle, @ForAll @IntRange(min = 1, max = 40) int columns,
            @ForAll @IntRange(min = 1, max = 20) int rows, @ForAll @IntRange(min = 1, max = 3) int grid) {
        assertArrayEquals(expected(columns, rows), run(copy(), swizzle, columns, rows, grid));
    }

    @ParameterizedTest
    @ValueSource(strings = {"store", "commit", "until it is read"})
    void everyStepMatters(String purpose) {
        byte[] result = run(Mutation.without(copy(), purpose), Swizzle.B32, 32, 16, 1);
        assertFalse(Arrays.equals(expected(32, 16), result), "the mistake went unnoticed");
    }

    @Test
    void swizzlesMustAgree() {
        TiledTensorMap from = map(32, 16, Swizzle.B32);
        TiledTensorMap to = map(32, 16, Swizzle.NONE);
        byte[] result = run(copy(), from, to, TestData.bytes(32 * 16 * 4, 1), 1);
        assertFalse(Arrays.equals(expected(32, 16), result), "the mistake went unnoticed");
    }

    @ParameterizedTest
    @CsvSource({"112", "144"})
    void theWholeBoxIsCounted(int announced) {
        assertComplaint(Kind.WOULD_HANG, "kernel 'box_copy', block 0, thread 0, step 'wait': the kernel would wait "
                + "forever: "
                + "barrier full[0] stays in phase 0 (parity 0) with 0 of 1 arrival pending, " + announced
                + " bytes expected and 128 bytes that came, and thread 0 waits for it; threads 1-3 have exited",
                () -> run(Mutation.replace(copy(), "announce", b -> b.arriveExpectTx(FULL.at(FIRST),
                        announced)), Swizzle.NONE, 5, 3, 1));
    }

    @Test
    void theFirstCoordinateIsAligned() {
        assertComplaint(Kind.MISALIGNED, "kernel 'box_copy', block 0, thread 0, step 'load': tensor map 'from': "
                + "coordinate 0 is 2, "
                + "8 bytes into the row, which must be a multiple of 16: the hardware faults with ILLEGAL_INSTRUCTION",
                () -> run(load(STAGE.at(FIRST), 2), Swizzle.NONE, 8, 4, 1));
    }

    @Test
    void theSharedAddressIsAligned() {
        assertComplaint(Kind.MISALIGNED, "kernel 'box_copy', block 0, thread 0, step 'load': byte 64 of shared buffer "
                + "'stage' is "
                + "at shared address 64, which must be a multiple of 128",
                () -> run(load(STAGE.at(64), 0), Swizzle.NONE, 8, 4, 1));
    }

    @Test
    void theBoxFitsInItsBufferWithTheGapsOfTheSwizzle() {
        assertComplaint(Kind.OUT_OF_BOUNDS, "kernel 'box_copy', block 0, thread 0, step 'load': bytes 1664 to 2175 are "
                + "outside "
                + "shared buffer 'stage' of 2048 bytes", () -> run(load(STAGE.at(1664), 0), Swizzle.B128, 8, 4,
                1));
    }

    /** A map may describe more than there is: what counts is what boxes touch. */
    @Test
    void memoryThatIsTooSmallIsReportedWhereABoxTouchesIt() {
        TiledTensorMap map = map(8, 4, Swizzle.NONE);
        assertComplaint(Kind.OUT_OF_BOUNDS, "kernel 'box_copy', block 0, thread 0, step 'load': tensor map 'from': the "
                + "box at "
                + "coordinates [0, 0] reads its row at [0, 3]: bytes 96 to 127 of 'from', which has 120 bytes", () ->
                        run(copy(), map, map, new byte[120], 1));
    }

    @Test
    void slicesOfAnInterleavedTensorAreCopied() {
        Parameter.TensorMap from = new Parameter.TensorMap("from", 3);
        Parameter.TensorMap to = new Parameter.TensorMap("to", 3);
        TiledTensorMap map = new TiledTensorMap(TensorDataType.INT32, List.of(4L, 4L, 4L), List.of(64L, 256L),
                List.of(4, 4, 4), List.of(1, 1, 1), Interleave.B16, Swizzle.NONE, L2Promotion.NONE, OobFill.ZERO);
        List<Expr> secondPlane = Expr.list(FIRST, 1, FIRST);
        TileProgram program = new TileProgram("slice_copy", "interleaved", 1, List.of(from, to),
                new SharedLayout(List.of(STAGE, FULL)), Body.steps(body -> {
                    body.purpose("init").barrierInit(FULL.at(FIRST), 1);
                    body.purpose("announce").arriveExpectTx(FULL.at(FIRST), 256);
                    body.purpose("load").tensorLoad(STAGE.at(FIRST), from, secondPlane, FULL.at(FIRST));
                    body.purpose("wait").waitParity(FULL.at(FIRST), FIRST);
                    body.purpose("store").tensorStore(to, secondPlane, STAGE.at(FIRST));
                }));
        byte[] source = TestData.bytes(1024, 1);
        byte[] result = new byte[1024];
        Execution.run(program, 1, Map.of(from, new Binding.BoundTensorMap(map, MemorySegment.ofArray(source)),
                to, new Binding.BoundTensorMap(map, MemorySegment.ofArray(result))), ReferenceOptions.DEFAULT, null);
        byte[] expected = new byte[1024];
        for (int image = 0; image < 4; image++) {
            System.arraycopy(source, image * 256 + 64, expected, image * 256 + 64, 64);
        }
        assertArrayEquals(expected, result);
    }

    private static TileProgram load(Address.Shared to, int column) {
        return Mutation.replace(copy(), "load", b -> b.tensorLoad(to, FROM, Expr.list(column, FIRST), FULL.at(FIRST)));
    }
}

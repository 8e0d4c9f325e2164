package dev.tilewright.program;

import dev.tilewright.layout.ElementType;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Fragment;
import dev.tilewright.program.expression.MapSource;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.tensormap.Interleave;
import dev.tilewright.tensormap.L2Promotion;
import dev.tilewright.tensormap.OobFill;
import dev.tilewright.tensormap.TiledTensorMap;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A copy of a ragged batch, as production kernels make it: rows of all sequences lie behind one another, and one map
 * cuts every box at the end of its sequence. The map's extents are far larger than any memory; its addresses wrap at
 * 2^64, or its global address lies far below the memory.
 *
 * <p>Of a row dimension with 2^30 elements, coordinate 2^30 - n is n rows before the end. Another dimension with the
 * same stride goes on to the sequence's end, and a third takes back 2^30 rows.
 */
public final class RaggedKernels {
    public static final int SEQUENCES = 8;
    public static final int ROW_BYTES = 128;
    private static final int BOX_ROWS = 8;
    private static final int BILLION = 1 << 30;
    private static final Parameter.TensorMap FROM = new Parameter.TensorMap("from", 4);
    private static final Parameter.TensorMap TO = new Parameter.TensorMap("to", 4);

    private RaggedKernels() {
    }

    /** How 2^30 rows are taken back. */
    public enum Way {
        /** Coordinate 2^30 of a dimension with stride 2^34 less a row: 2^64 less 2^30 rows. */
        WRAPS_AROUND((1L << 34) - ROW_BYTES, BILLION, 0),
        /** The global address is that much lower, and another 2^40 bytes, which coordinate 64 makes good. */
        STARTS_BELOW(1L << 34, 64, -(1L << 40) - (long) BILLION * ROW_BYTES);

        private final long stride;
        private final int coordinate;
        private final long offset;

        Way(long stride, int coordinate, long offset) {
            this.stride = stride;
            this.coordinate = coordinate;
            this.offset = offset;
        }
    }

    /** Rows of a sequence: 1 to 8, each length once. */
    public static int rows(int sequence) {
        return sequence * 3 % SEQUENCES + 1;
    }

    /** The first row of a sequence; of the one behind the last, how many rows there are. */
    public static int start(int sequence) {
        return IntStream.range(0, sequence).map(RaggedKernels::rows).sum();
    }

    public static int bytes() {
        return start(SEQUENCES) * ROW_BYTES;
    }

    private static TiledTensorMap map(Way way) {
        return new TiledTensorMap(TensorDataType.FLOAT32, List.of(32L, (long) BILLION, 0x7FFF_0000L, 0x7FFF_0000L),
                List.of((long) ROW_BYTES, (long) ROW_BYTES, way.stride), List.of(32, BOX_ROWS, 1, 1),
                        List.of(1, 1, 1, 1), Interleave.NONE,
                Swizzle.NONE, L2Promotion.NONE, OobFill.ZERO);
    }

    /**
     * Copies each sequence from buffer 0 to the place of another of the same length in buffer 1, one block each.
     *
     * @param blocks as many as there are sequences in a correct kernel; one more copies the first sequence again
     * @param late how many rows too far behind its place each sequence is looked for: 0 in a correct kernel
     */
    public static Launch launch(Way way, int blocks, int late) {
        TileProgram program = program("ragged_copy", way, List.of(FROM, TO), List.of(), late, FROM, (_, _) -> { });
        return Launch.of(program, blocks, java.util.Map.of(FROM, new Argument.Tensor(map(way), 0, way.offset),
                TO, new Argument.Tensor(map(way), 1, way.offset)));
    }

    /**
     * A correct copy, each block by a copy of the map that it has published in buffer 2, 128 bytes for each
     * block.
     */
    public static Launch throughMapsInMemory(Way way) {
        Parameter.Pointer maps = new Parameter.Pointer("maps", true);
        SharedRegion.Buffer made = new SharedRegion.Buffer("made", MapKernels.MAP_BYTES, MapKernels.MAP_BYTES);
        Address.Global published = new Address.Global(maps, Builtin.BLOCK.times(MapKernels.MAP_BYTES).toS64());
        TileProgram program = program("ragged_in_memory", way, List.of(FROM, TO, maps), List.of(made), 0,
                new MapSource.InMemory(published, 4), (body, one) -> {
                    if (one) {
                        body.purpose("acquire").acquireMap(published);
                        return;
                    }
                    body.purpose("eight threads copy the map").when(Builtin.THREAD.lessThan(8), b -> {
                        Fragment data = b.purpose("read 16 bytes").load("chunk", ElementType.U32, 4,
                                new Address.MapBytes(FROM, Builtin.THREAD.times(16)));
                        b.purpose("write 16 bytes").store(made.at(Builtin.THREAD.times(16)), data);
                    });
                    body.purpose("the copy is whole").syncThreads();
                    body.purpose("publish").publishMap(published, made.at(0));
                });
        return Launch.of(program, SEQUENCES, java.util.Map.of(FROM, new Argument.Tensor(map(way), 0, way.offset),
                TO, new Argument.Tensor(map(way), 1, way.offset), maps, new Argument.Buffer(2)));
    }

    /** What comes before the load, of all threads and of the one that loads. */
    private interface Preparation {
        void add(Body body, boolean one);
    }

    private static TileProgram program(String name, Way way, List<Parameter> parameters, List<SharedRegion> regions,
            int late, MapSource from,
            Preparation preparation) {
        SharedRegion.Buffer box = new SharedRegion.Buffer("box", BOX_ROWS * ROW_BYTES, 128);
        SharedRegion.Barriers full = new SharedRegion.Barriers("full", 1);
        List<SharedRegion> all = new ArrayList<>(List.of(box, full));
        all.addAll(regions);
        return new TileProgram(name, "copies sequences of several lengths", 32, parameters, new SharedLayout(all),
                Body.steps(body -> {
            preparation.add(body, false);
            body.purpose("one thread copies").when(Builtin.THREAD.isEqualTo(0), one -> {
                preparation.add(one, true);
                copy(one, place(one, way, late), from, box, full.at(0));
            });
        }));
    }

    /** Where the block's sequence is: its box's coordinates. */
    private static List<Expr> place(Body one, Way way, int late) {
        Expr rows = one.purpose("of this sequence").let("rows", Builtin.BLOCK.times(3).modulo(SEQUENCES).plus(1));
        Expr end = Expr.of(start(1));
        for (int s = 1; s < SEQUENCES; s++) {
            end = Builtin.BLOCK.isEqualTo(s).choose(start(s + 1), end);
        }
        Expr last = one.purpose("where it ends").let("last", end);
        return Expr.list(0, Expr.of(BILLION).minus(rows), last.plus(late), way.coordinate);
    }

    private static void copy(Body one, List<Expr> at, MapSource from, SharedRegion.Buffer box, Address.Barrier landed) {
        one.purpose("one arrival").barrierInit(landed, 1);
        one.purpose("known to the copy engine").barrierInitFence();
        one.purpose("announce").arriveExpectTx(landed, BOX_ROWS * ROW_BYTES);
        one.purpose("load").tensorLoad(box.at(0), from, at, landed);
        one.purpose("landed").waitParity(landed, 0);
        one.purpose("store").tensorStore(TO, at, box.at(0));
        one.purpose("one group").bulkCommit();
        one.purpose("stored").bulkWait(0);
    }
}

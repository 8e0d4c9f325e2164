package dev.tilewright.bench.kernel;

import dev.tilewright.builder.pipeline.Filling;
import dev.tilewright.builder.pipeline.GroupPipeline;
import dev.tilewright.builder.pipeline.GroupRing;
import dev.tilewright.builder.pipeline.StageBuffer;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import java.util.List;
import java.util.Map;

/**
 * An f32 matrix product for Ampere and later, by hand: C = A B, all row by row, A m × k and B k × n. Each block
 * computes 128 × 256 elements of C, each of its 256 threads 16 × 8 of them, in registers, by one fused multiply-add
 * after another from k = 0 on. A ring of four stages of 16 along k is filled ahead by {@code cp.async}, which turns A
 * over on its way: its columns lie in shared memory as rows.
 *
 * <p>With each k a thread loads what it needs for the next one, also where that is in the next stage, and starts one
 * copy: all of a stage's copies at once would keep its warp from multiplying meanwhile.
 */
public final class F32Product {
    private static final int TILE_M = 128;
    private static final int TILE_N = 256;
    private static final int TILE_K = 16;
    private static final int STAGES = 4;
    private static final int THREADS = 256;
    private static final int BYTES = 4;
    /** Elements that one access moves. */
    private static final int VECTOR = 4;
    /** Rows and columns of a warp. */
    private static final int WARP = 64;
    private static final int WARPS_ACROSS = TILE_N / WARP;
    private static final int LANE_ROWS = 4;
    private static final int LANE_COLUMNS = 8;
    /** Of a thread. Its rows are in fours that are 16 apart, its columns in fours that are 32 apart. */
    private static final int ROWS = WARP / LANE_ROWS;
    private static final int COLUMNS = WARP / LANE_COLUMNS;

    /** Columns of A that neighbouring threads copy, element by element, and rows that all threads copy at once. */
    private static final int A_ACROSS = 8;
    private static final int A_DOWN = THREADS / A_ACROSS;
    private static final int A_COPIES = TILE_M * TILE_K / THREADS;
    /** Threads that copy a row of B, four elements each, and rows that all threads copy at once. */
    private static final int B_ACROSS = TILE_N / VECTOR;
    private static final int B_DOWN = THREADS / B_ACROSS;
    private static final int B_COPIES = TILE_K / B_DOWN;
    /** Bytes of a column of A in a stage: 16 more than it has, so that what a warp copies lies in different banks. */
    private static final int A_PITCH = TILE_M * BYTES + 16;
    private static final int B_PITCH = TILE_N * BYTES;
    /** Tiles that lie below each other and are taken by neighbouring blocks, which then share what L2 holds. */
    private static final int BAND = 16;

    private static final StageBuffer A_STAGES = StageBuffer.of("a_tiles", TILE_K * A_PITCH);
    private static final StageBuffer B_STAGES = StageBuffer.of("b_tiles", TILE_K * B_PITCH);
    private static final GroupRing RING = GroupRing.stages(STAGES).buffer(A_STAGES).buffer(B_STAGES).build();

    private static final Parameter.Pointer A = new Parameter.Pointer("a", false);
    private static final Parameter.Pointer B = new Parameter.Pointer("b", false);
    private static final Parameter.Pointer C = new Parameter.Pointer("c", true);
    private static final Parameter.Int M = new Parameter.Int("m", IntType.S32);
    private static final Parameter.Int N = new Parameter.Int("n", IntType.S32);
    private static final Parameter.Int K = new Parameter.Int("k", IntType.S32);

    private F32Product() {
    }

    /** The kernel. Needs sm_80. */
    public static TileProgram program() {
        return new TileProgram("f32_product", "C = A B of f32 numbers", THREADS, List.of(A, B, C, M, N, K),
                new SharedLayout(RING.regions()), Body.steps(F32Product::write));
    }

    /**
     * A launch of the kernel on buffers 0 (A), 1 (B) and 2 (C).
     *
     * @param m a multiple of 128
     * @param n a multiple of 256
     * @param k a multiple of 16 and not 0
     */
    public static Launch launch(int m, int n, int k) {
        if (m % TILE_M != 0 || n % TILE_N != 0 || k % TILE_K != 0 || k == 0) {
            throw new IllegalArgumentException("this product takes m that is a multiple of " + TILE_M + ", n of "
                    + TILE_N
                    + " and k of " + TILE_K + " and not 0, got " + m + " x " + n + " x " + k + ": pad with zeros");
        }
        return Launch.of(program(), m / TILE_M * (n / TILE_N),
                Map.of(A, new Argument.Buffer(0), B, new Argument.Buffer(1), C, new Argument.Buffer(2), M,
                new Argument.Int(m), N, new Argument.Int(n), K, new Argument.Int(k)));
    }

    private static void write(Body body) {
        Expr perBand = body.purpose("tiles of a band").let("per_band", N.value().dividedBy(TILE_N).times(BAND));
        Expr first = body.purpose("the band's first row of tiles")
                .let("first", Builtin.BLOCK.dividedBy(perBand).times(BAND));
        Expr height = body.purpose("how many the band has").let("height", M.value().dividedBy(TILE_M).minus(first)
                .min(BAND));
        Expr row = body.purpose("the tile's first row")
                .let("row", first.plus(Builtin.BLOCK.modulo(perBand).modulo(height)).times(TILE_M));
        Expr column = body.purpose("the tile's first column")
                .let("column", Builtin.BLOCK.modulo(perBand).dividedBy(height).times(TILE_N));
        // Two lanes next to each other have the same columns, so that shared memory serves them at once.
        Expr lane = Builtin.THREAD.modulo(32);
        Expr warp = Builtin.THREAD.dividedBy(32);
        Expr laneRow = lane.dividedBy(2 * LANE_COLUMNS).times(2).plus(lane.modulo(2));
        Expr laneColumn = lane.dividedBy(2).modulo(LANE_COLUMNS);
        Expr myRow = body.purpose("the thread's first row within it")
                .let("my_row", warp.dividedBy(WARPS_ACROSS).times(WARP).plus(laneRow.times(VECTOR)));
        Expr myColumn = body.purpose("the thread's first column within it")
                .let("my_column", warp.modulo(WARPS_ACROSS).times(WARP).plus(laneColumn.times(VECTOR)));
        Copies copies = new Copies(
                body.purpose("the first byte of A that the thread copies").let("a_from", offset(
                        row.plus(Builtin.THREAD.dividedBy(A_ACROSS)), K.value(), Builtin.THREAD.modulo(A_ACROSS))),
                body.purpose("the first of B").let("b_from", offset(Builtin.THREAD.dividedBy(B_ACROSS), N.value(),
                        column.plus(Builtin.THREAD.modulo(B_ACROSS).times(VECTOR)))));
        Sums sums = new Sums(myRow, myColumn,
                body.purpose("the thread's rows of A at two k").registers("a_values", ValueType.F32, 2 * ROWS),
                body.purpose("its columns of B at two k").registers("b_values", ValueType.F32, 2 * COLUMNS),
                body.purpose("16 rows of 8 columns").registers("sums", ROWS * COLUMNS, Value.f32(0)));
        multiply(body, copies, sums);
        sums.store(body, row, column);
    }

    private static void multiply(Body body, Copies copies, Sums sums) {
        GroupPipeline pipe = RING.open(body);
        Expr turns = body.purpose("stages along k").let("turns", K.value().dividedBy(TILE_K));
        Expr last = turns.minus(1);
        body.purpose("fill the first stages").loop("turn", STAGES - 1, (each, turn) -> {
            Filling stage = pipe.acquire(each, turn);
            each.unrolled("i", A_COPIES + B_COPIES, (u, i) -> copies.start(u, i, turn.min(last), stage));
            pipe.commit(each, stage);
        });
        pipe.await(body, 0);
        sums.load(body, Expr.of(0), Expr.of(0));
        body.purpose("one stage a turn").loop("turn", turns, (each, turn) -> {
            Expr now = each.purpose("the stage that has landed").let("now", turn.modulo(STAGES));
            Expr ahead = turn.plus(STAGES - 1);
            Expr source = each.purpose("what is copied, at the end the last again").let("source", ahead.min(last));
            Filling free = pipe.acquire(each, ahead);
            each.unrolled("at", TILE_K - 1, (u, at) -> {
                sums.load(u, now, at.plus(1));
                copies.start(u, at, source, free);
                sums.add(u, at);
            });
            pipe.commit(each, free);
            pipe.await(each, turn.plus(1));
            sums.load(each, turn.plus(1).modulo(STAGES), Expr.of(0));
            sums.add(each, Expr.of(TILE_K - 1));
        });
        body.purpose("no copy is under way at the end").cpAsyncWait(0);
    }

    private static Expr offset(Expr row, Expr columns, Expr column) {
        return row.toS64().times(columns.toS64()).plus(column.toS64()).times(Expr.of((long) BYTES));
    }

    /**
     * What a thread copies of each stage. @param aFrom its first element of A in the first stage, in bytes @param bFrom
     * of B
     */
    private record Copies(Expr aFrom, Expr bFrom) {

        /** Starts the copy of this number, where there are as many: A's first, then B's. */
        void start(Body body, Expr number, Expr turn, Filling stage) {
            body.when(number.lessThan(A_COPIES), b -> a(b, number, turn, stage));
            body.when(number.atLeast(A_COPIES).and(number.lessThan(A_COPIES + B_COPIES)),
                    b -> b(b, number.minus(A_COPIES), turn, stage));
        }

        private void a(Body body, Expr number, Expr turn, Filling stage) {
            int parts = TILE_K / A_ACROSS;
            Expr down = number.dividedBy(parts).times(A_DOWN);
            Expr right = number.modulo(parts).times(A_ACROSS);
            Expr to = right.plus(Builtin.THREAD.modulo(A_ACROSS)).times(A_PITCH)
                    .plus(down.plus(Builtin.THREAD.dividedBy(A_ACROSS)).times(BYTES));
            body.purpose("one element of A").cpAsync(stage.at(A_STAGES, to),
                    new Address.Global(A, aFrom.plus(offset(down, K.value(), turn.times(TILE_K).plus(right)))), BYTES);
        }

        private void b(Body body, Expr number, Expr turn, Filling stage) {
            Expr down = number.times(B_DOWN);
            Expr to = down.plus(Builtin.THREAD.dividedBy(B_ACROSS)).times(B_PITCH)
                    .plus(Builtin.THREAD.modulo(B_ACROSS).times(VECTOR * BYTES));
            body.purpose("four of B").cpAsync(stage.at(B_STAGES, to),
                    new Address.Global(B, bFrom.plus(offset(turn.times(TILE_K).plus(down), N.value(), Expr.of(0)))),
                    VECTOR * BYTES);
        }
    }

    /**
     * What a thread computes. @param row its first one within the tile @param column likewise @param a of A at two k,
     * of which one is multiplied while the other is loaded @param b of B @param sums row by row
     */
    private record Sums(Expr row, Expr column, Register a, Register b, Register sums) {

        /** Loads what is multiplied at one k of a stage. */
        void load(Body body, Expr stage, Expr at) {
            Expr half = at.modulo(2);
            body.unrolled("i", ROWS / VECTOR, (u, i) -> u.load(a, half.times(ROWS).plus(i.times(VECTOR)), VECTOR,
                    RING.at(A_STAGES, stage, at.times(A_PITCH)
                    .plus(row.plus(i.times(LANE_ROWS * VECTOR)).times(BYTES)))));
            body.unrolled("j", COLUMNS / VECTOR, (u, j) -> u.load(b, half.times(COLUMNS).plus(j.times(VECTOR)), VECTOR,
                    RING.at(B_STAGES, stage,
                            at.times(B_PITCH).plus(column.plus(j.times(LANE_COLUMNS * VECTOR)).times(BYTES)))));
        }

        /** Adds the products at one k. */
        void add(Body body, Expr at) {
            Expr half = at.modulo(2);
            body.unrolled("i", ROWS, (u, i) -> u.unrolled("j", COLUMNS, (v, j) -> {
                Value sum = sums.at(i.times(COLUMNS).plus(j));
                v.assign(sum, a.at(half.times(ROWS).plus(i)).fma(b.at(half.times(COLUMNS).plus(j)), sum));
            }));
        }

        void store(Body body, Expr tileRow, Expr tileColumn) {
            body.unrolled("i", ROWS, (u, i) -> u.unrolled("j", COLUMNS / VECTOR, (v, j) -> {
                Expr down = i.dividedBy(VECTOR).times(LANE_ROWS * VECTOR).plus(i.modulo(VECTOR));
                Expr right = j.times(LANE_COLUMNS * VECTOR);
                Expr first = i.times(COLUMNS).plus(j.times(VECTOR));
                v.purpose("four columns of a row").store(
                        new Address.Global(C, offset(tileRow.plus(row).plus(down), N.value(),
                                tileColumn.plus(column).plus(right))),
                        sums.at(first), sums.at(first.plus(1)), sums.at(first.plus(2)), sums.at(first.plus(3)));
            }));
        }
    }
}

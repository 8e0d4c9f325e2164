package dev.tilewright.bench.kernel;

import dev.tilewright.builder.pipeline.Filling;
import dev.tilewright.builder.pipeline.GroupRing;
import dev.tilewright.builder.pipeline.Landed;
import dev.tilewright.builder.pipeline.StageBuffer;
import dev.tilewright.program.Address;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Expr;
import dev.tilewright.program.Expr.Builtin;
import dev.tilewright.program.IntType;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Parameter;
import dev.tilewright.program.Register;
import dev.tilewright.program.SharedLayout;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.Value;
import dev.tilewright.program.value.ValueType;
import java.util.List;
import java.util.Map;

/**
 * An f32 matrix product for Ampere and later, by hand: C = A B, all row by row, A m × k and B k × n. Each block
 * computes 128 × 128 elements of C, each of its 256 threads 8 × 8 of them, in registers, by one fused multiply-add
 * after another from k = 0 on. A ring of four stages of 16 along k is filled ahead by {@code cp.async}.
 */
public final class F32Product {
    private static final int TILE = 128;
    private static final int TILE_K = 16;
    private static final int STAGES = 4;
    private static final int THREADS = 256;
    private static final int BYTES = 4;
    /** Elements that one access moves. */
    private static final int VECTOR = 4;
    /** Rows and columns of a thread. Its rows are 4 apart, its columns in fours that are 32 apart. */
    private static final int OWN = 8;
    private static final int LANE_ROWS = 4;
    private static final int LANE_COLUMNS = 8;
    /** Bytes of a row of A in a stage: 16 more than it has, so that four lanes' rows lie in different banks. */
    private static final int A_PITCH = TILE_K * BYTES + 16;
    private static final int B_PITCH = TILE * BYTES;
    /** Tiles that lie below each other and are taken by neighbouring blocks, which then share what L2 holds. */
    private static final int BAND = 16;

    private static final StageBuffer A_STAGES = StageBuffer.of("a_tiles", TILE * A_PITCH);
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
     * @param m and {@code n}: multiples of 128
     * @param k a multiple of 16
     */
    public static Launch launch(int m, int n, int k) {
        if (m % TILE != 0 || n % TILE != 0 || k % TILE_K != 0) {
            throw new IllegalArgumentException("this product takes m and n that are multiples of " + TILE + " and k of "
                    + TILE_K + ", got " + m + " x " + n + " x " + k + ": pad with zeros");
        }
        return Launch.of(program(), m / TILE * (n / TILE), Map.of(A, new Argument.Buffer(0), B, new Argument.Buffer(1),
                C, new Argument.Buffer(2), M, new Argument.Int(m), N, new Argument.Int(n), K, new Argument.Int(k)));
    }

    private static void write(Body body) {
        Expr perBand = body.purpose("tiles of a band").let("per_band", N.value().dividedBy(TILE).times(BAND));
        Expr first = body.purpose("the band's first row of tiles")
                .let("first", Builtin.BLOCK.dividedBy(perBand).times(BAND));
        Expr height = body.purpose("how many the band has").let("height", M.value().dividedBy(TILE).minus(first).min(BAND));
        Expr row = body.purpose("the tile's first row")
                .let("row", first.plus(Builtin.BLOCK.modulo(perBand).modulo(height)).times(TILE));
        Expr column = body.purpose("the tile's first column")
                .let("column", Builtin.BLOCK.modulo(perBand).dividedBy(height).times(TILE));
        Expr lane = Builtin.THREAD.modulo(32);
        Expr warp = Builtin.THREAD.dividedBy(32);
        Expr myRow = body.purpose("the thread's first row within it")
                .let("my_row", warp.dividedBy(2).times(LANE_ROWS * OWN).plus(lane.dividedBy(LANE_COLUMNS)));
        Expr myColumn = body.purpose("the thread's first column within it").let("my_column",
                warp.modulo(2).times(LANE_COLUMNS * OWN).plus(lane.modulo(LANE_COLUMNS).times(VECTOR)));
        Register sums = body.purpose("8 rows of 8 columns").registers("sums", OWN * OWN, Value.f32(0));
        RING.open(body).overlap(body, K.value().dividedBy(TILE_K),
                (b, turn, stage) -> load(b, turn, stage, row, column),
                (b, turn, stage) -> multiply(b, stage, myRow, myColumn, sums));
        store(body, row.plus(myRow), column.plus(myColumn), sums);
    }

    /** The block's threads copy 128 × 16 of A and 16 × 128 of B, 16 bytes at once. */
    private static void load(Body body, Expr turn, Filling stage, Expr row, Expr column) {
        body.unrolled("i", TILE * TILE_K / VECTOR / THREADS, (b, i) -> {
            Expr chunk = Builtin.THREAD.plus(i.times(THREADS));
            Expr down = chunk.dividedBy(TILE_K / VECTOR);
            Expr right = chunk.modulo(TILE_K / VECTOR).times(VECTOR);
            b.purpose("rows of A").cpAsync(stage.at(A_STAGES, down.times(A_PITCH).plus(right.times(BYTES))),
                    element(A, row.plus(down), K.value(), turn.times(TILE_K).plus(right)), VECTOR * BYTES);
        });
        body.unrolled("i", TILE_K * TILE / VECTOR / THREADS, (b, i) -> {
            Expr chunk = Builtin.THREAD.plus(i.times(THREADS));
            Expr down = chunk.dividedBy(TILE / VECTOR);
            Expr right = chunk.modulo(TILE / VECTOR).times(VECTOR);
            b.purpose("rows of B").cpAsync(stage.at(B_STAGES, down.times(B_PITCH).plus(right.times(BYTES))),
                    element(B, turn.times(TILE_K).plus(down), N.value(), column.plus(right)), VECTOR * BYTES);
        });
    }

    private static Address.Global element(Parameter.Pointer matrix, Expr row, Expr columns, Expr column) {
        return new Address.Global(matrix, row.toS64().times(columns.toS64()).plus(column.toS64()).times(Expr.of((long) BYTES)));
    }

    private static void multiply(Body body, Landed stage, Expr myRow, Expr myColumn, Register sums) {
        Expr aStart = body.purpose("the thread's first row of A").let("a_start", myRow.times(A_PITCH));
        Expr bStart = body.purpose("its first column of B").let("b_start", myColumn.times(BYTES));
        Register a = body.purpose("four k of the thread's rows").registers("a_values", ValueType.F32, OWN * VECTOR);
        Register b = body.purpose("its columns at one k").registers("b_values", ValueType.F32, OWN);
        body.unrolled("four", TILE_K / VECTOR, (each, four) -> {
            each.unrolled("i", OWN, (u, i) -> u.load(a, i.times(VECTOR), VECTOR,
                    stage.at(A_STAGES, aStart.plus(i.times(LANE_ROWS * A_PITCH)).plus(four.times(VECTOR * BYTES)))));
            each.unrolled("one", VECTOR, (u, one) -> {
                Expr at = four.times(VECTOR).plus(one);
                u.unrolled("j", OWN / VECTOR, (v, j) -> v.load(b, j.times(VECTOR), VECTOR, stage.at(B_STAGES,
                        bStart.plus(at.times(B_PITCH)).plus(j.times(LANE_COLUMNS * VECTOR * BYTES)))));
                u.unrolled("i", OWN, (v, i) -> v.unrolled("j", OWN, (w, j) -> {
                    Value sum = sums.at(i.times(OWN).plus(j));
                    w.assign(sum, a.at(i.times(VECTOR).plus(one)).fma(b.at(j), sum));
                }));
            });
        });
    }

    private static void store(Body body, Expr row, Expr column, Register sums) {
        body.unrolled("i", OWN, (b, i) -> b.unrolled("j", OWN / VECTOR, (u, j) -> {
            Expr first = i.times(OWN).plus(j.times(VECTOR));
            u.purpose("four columns of a row").store(element(C, row.plus(i.times(LANE_ROWS)), N.value(),
                    column.plus(j.times(LANE_COLUMNS * VECTOR))), sums.at(first), sums.at(first.plus(1)),
                    sums.at(first.plus(2)), sums.at(first.plus(3)));
        }));
    }
}

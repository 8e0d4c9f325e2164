package dev.tilewright.examples;

import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Launch;
import dev.tilewright.program.ProgramBuilder;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.mma.MmaShape;
import dev.tilewright.ptx.mma.MmaSync;
import dev.tilewright.ptx.mma.MmaTypes;
import dev.tilewright.ptx.warp.Ldmatrix;
import dev.tilewright.ptx.warp.MatrixCount;
import java.util.List;
import java.util.Map;

/**
 * A bf16 matrix product for every GPU from Ampere on, by hand and as simple as can be: C = A B with A m × k row by row,
 * B's columns in memory as rows (n × k), and C m × n row by row. A block of four warps makes 64 × 64 of C, each warp a
 * quarter of it: {@code cp.async} brings 32 of k, {@code ldmatrix} takes 16 × 16 of them into registers, {@code
 * mma.sync} multiplies.
 */
public final class WarpProduct {
    private static final int TILE = 64;
    private static final int TILE_K = 32;
    private static final int BYTES = 2;
    private static final int ROW = TILE_K * BYTES;
    private static final int CHUNK = 16;
    private static final int CHUNKS = ROW / CHUNK;
    private static final int THREADS = 128;
    /** What a warp makes, and pieces of it: an instruction makes 16 × 8. */
    private static final int QUARTER = 32;
    private static final int M_PIECES = QUARTER / 16;
    private static final int N_PIECES = QUARTER / 8;

    private static final SharedRegion.Buffer A_TILE = new SharedRegion.Buffer("a_tile", TILE * ROW, 128);
    private static final SharedRegion.Buffer B_TILE = new SharedRegion.Buffer("b_tile", TILE * ROW, 128);
    private static final Parameter.Pointer A = Parameter.Pointer.reading("a", ValueType.BF16);
    private static final Parameter.Pointer B = Parameter.Pointer.reading("b", ValueType.BF16);
    private static final Parameter.Pointer C = Parameter.Pointer.writing("c", ValueType.BF16);
    private static final Parameter.Int N = new Parameter.Int("n", IntType.S32);
    private static final Parameter.Int K = new Parameter.Int("k", IntType.S32);

    private WarpProduct() {
    }

    /** The kernel. Needs sm_80. */
    public static TileProgram program() {
        ProgramBuilder k = ProgramBuilder.of("warp_product", THREADS)
                .purpose("C = A B of bf16 numbers, by warps, with sums in f32");
        List.of(A, B, C, N, K).forEach(k::parameter);
        k.regions(List.of(A_TILE, B_TILE));
        return k.build(WarpProduct::write);
    }

    /** A launch on buffers 0 (A), 1 (B's columns) and 2 (C). @param m and {@code n} multiples of 64, {@code k} of 32 */
    public static Launch launch(int m, int n, int k) {
        if (m % TILE != 0 || n % TILE != 0 || k % TILE_K != 0) {
            throw new IllegalArgumentException("this product takes m and n that are multiples of " + TILE
                    + " and k that is one of "
                    + TILE_K + ", got " + m + ", " + n + ", " + k + ": pad with zeros");
        }
        return Launch.of(program(), m / TILE * (n / TILE), Map.of(A, new Argument.Buffer(0), B, new Argument.Buffer(1),
                C,
                new Argument.Buffer(2), N, new Argument.Int(n), K, new Argument.Int(k)));
    }

    private static void write(Body body) {
        Expr across = N.value().dividedBy(TILE);
        Expr row = body.purpose("the tile's first row").let("row", Builtin.BLOCK.dividedBy(across).times(TILE));
        Expr column = body.purpose("its first column").let("column", Builtin.BLOCK.modulo(across).times(TILE));
        Expr warp = Builtin.THREAD.dividedBy(32);
        Expr warpRow = body.purpose("the warp's first row of the tile").let("warp_row", warp.modulo(2).times(QUARTER));
        Expr warpColumn = body.purpose("its first column").let("warp_column", warp.dividedBy(2).times(QUARTER));
        Register sums = body.purpose("32 x 32 sums of the warp").registers("sums", M_PIECES * N_PIECES * 4,
                Value.f32(0));
        body.purpose("along k").loop("at", 0, K.value(), TILE_K, (each, at) -> {
            bring(each, A, row, at, A_TILE);
            bring(each, B, column, at, B_TILE);
            each.purpose("commit them as one group").cpAsyncCommit();
            each.purpose("this thread's copies have landed").cpAsyncWait(0);
            each.purpose("both tiles have landed for all threads").syncThreads();
            for (int step = 0; step < TILE_K / 16; step++) {
                multiply(each, warpRow, warpColumn, step, sums);
            }
            each.purpose("the tiles may be overwritten").syncThreads();
        });
        store(body, row.plus(warpRow), column.plus(warpColumn), sums);
    }

    /** Copies 64 rows of 64 bytes; chunks of 16 bytes change places, so that 8 rows of a matrix lie in all banks. */
    private static void bring(Body body, Parameter.Pointer from, Expr row, Expr at, SharedRegion.Buffer tile) {
        for (int i = 0; i < TILE * CHUNKS / THREADS; i++) {
            Expr chunk = Builtin.THREAD.plus(i * THREADS);
            Expr place = row.plus(chunk.dividedBy(CHUNKS)).toS64().times(K.value().toS64()).plus(at.toS64())
                    .plus(chunk.modulo(CHUNKS).times(CHUNK / BYTES).toS64());
            body.purpose("16 bytes of " + from.name()).cpAsync(
                    place(tile, chunk.dividedBy(CHUNKS), chunk.modulo(CHUNKS)), from.at(place), CHUNK);
        }
    }

    private static Address.Shared place(SharedRegion.Buffer tile, Expr row, Expr chunk) {
        return tile.at(row.times(ROW).plus(chunk.xor(row.shiftRight(1).bitAnd(CHUNKS - 1)).times(CHUNK)));
    }

    private static void multiply(Body body, Expr warpRow, Expr warpColumn, int step, Register sums) {
        Expr lane = Builtin.THREAD.modulo(32);
        Ldmatrix four = new Ldmatrix(Ldmatrix.Shape.M8N8_B16, MatrixCount.X4);
        Register[] a = new Register[M_PIECES];
        for (int i = 0; i < M_PIECES; i++) {
            a[i] = body.purpose("16 x 16 of A").registers("a_" + i, ValueType.U32, 4);
            body.purpose("upper and lower rows, then the next 8 of k").issue(four, Input.of(a[i]),
                    Input.of(place(A_TILE,
                    warpRow.plus(i * 16).plus(lane.modulo(16)), lane.dividedBy(16).plus(step * 2))));
        }
        for (int j = 0; j < N_PIECES; j += 2) {
            Register b = body.purpose("16 x 16 of B").registers("b_" + j, ValueType.U32, 4);
            body.purpose("8 columns, the next 8 of k, the next 8 columns").issue(four, Input.of(b),
                    Input.of(place(B_TILE,
                    warpColumn.plus(j * 8).plus(lane.modulo(8)).plus(lane.dividedBy(16).times(8)),
                    lane.dividedBy(8).modulo(2).plus(step * 2))));
            for (int i = 0; i < M_PIECES; i++) {
                for (int half = 0; half < 2; half++) {
                    Input piece = Input.of(sums, (i * N_PIECES + j + half) * 4);
                    body.purpose("sums += A B").issue(new MmaSync(MmaShape.M16N8K16, MmaTypes.F32_BF16_BF16), piece,
                            Input.of(a[i]), Input.of(b, half * 2), piece);
                }
            }
        }
    }

    /** Rounds the sums and stores them, two neighbours at once: PTX ISA, "Matrix Fragments for mma.m16n8k16". */
    private static void store(Body body, Expr firstRow, Expr firstColumn, Register sums) {
        Expr lane = Builtin.THREAD.modulo(32);
        for (int i = 0; i < M_PIECES; i++) {
            for (int j = 0; j < N_PIECES; j++) {
                for (int half = 0; half < 2; half++) {
                    Expr row = firstRow.plus(lane.dividedBy(4)).plus(i * 16 + half * 8);
                    Expr column = firstColumn.plus(lane.modulo(4).times(2)).plus(j * 8);
                    int first = (i * N_PIECES + j) * 4 + half * 2;
                    body.purpose("two sums, rounded").store(
                            C.at(row.toS64().times(N.value().toS64()).plus(column.toS64())),
                            sums.at(first).to(ValueType.BF16), sums.at(first + 1).to(ValueType.BF16));
                }
            }
        }
    }
}

package dev.tilewright.bench.kernel;

import dev.tilewright.builder.pipeline.Arrivals;
import dev.tilewright.builder.pipeline.BarrierPipeline;
import dev.tilewright.builder.pipeline.BarrierRing;
import dev.tilewright.builder.pipeline.Landed;
import dev.tilewright.builder.pipeline.StageBuffer;
import dev.tilewright.builder.pipeline.ThreadRange;
import dev.tilewright.layout.MatrixMajor;
import dev.tilewright.layout.MatrixTile;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.ptx.mma.MmaTypes;
import dev.tilewright.ptx.mma.WgmmaCommitGroup;
import dev.tilewright.ptx.mma.WgmmaFence;
import dev.tilewright.ptx.mma.WgmmaFloat;
import dev.tilewright.ptx.mma.WgmmaWaitGroup;
import dev.tilewright.tensormap.TiledTensorMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A bf16 matrix product for Hopper, by hand: C = A B with A m × k row by row, B's columns in memory as rows (n × k),
 * and C m × n row by row. A block takes tiles of 128 × 256 of C, one after the other. A thread of its first four warps
 * has the copy engine fill four stages of 64 columns of A and B; two groups of four warps multiply them, 64 rows each,
 * by {@code wgmma} of 64 × 256 × 16, with f32 sums in 128 registers of each thread. A group waits for a stage's
 * products before it starts the next: the tensor cores have the other group's meanwhile. At the end the sums are
 * rounded to bf16, and {@link SumStore} has the copy engine store them while the next tile is multiplied.
 */
public final class Bf16Product {
    /** Rows and columns of C in a tile, and how much of k is in a stage. */
    static final int TILE_M = 128;
    static final int TILE_N = 256;
    static final int TILE_K = 64;
    private static final int STAGES = 4;
    private static final int BYTES = 2;
    /** Of one instruction. */
    private static final int GROUP_M = 64;
    private static final int STEP_K = 16;
    /**
     * Tiles that lie below each other and are taken one after the other, so that blocks at work share what L2 holds.
     */
    private static final int BAND = 16;

    private static final ThreadRange LOADERS = ThreadRange.first(128);
    private static final ThreadRange COMPUTERS = new ThreadRange(128, 256);
    private static final int THREADS = 384;

    private static final MatrixTile A_TILE = new MatrixTile(TILE_M, TILE_K, BYTES, MatrixMajor.K, Swizzle.B128);
    private static final MatrixTile B_TILE = new MatrixTile(TILE_N, TILE_K, BYTES, MatrixMajor.K, Swizzle.B128);
    private static final StageBuffer A_STAGES = StageBuffer.of("a_tiles", A_TILE.bytes(), A_TILE.alignment());
    private static final StageBuffer B_STAGES = StageBuffer.of("b_tiles", B_TILE.bytes(), B_TILE.alignment());
    private static final BarrierRing RING = BarrierRing.stages(STAGES).buffer(A_STAGES).buffer(B_STAGES)
            .consumers(COMPUTERS, Arrivals.EACH_WARP).build();

    private static final Parameter.TensorMap A = new Parameter.TensorMap("a_map", 2);
    private static final Parameter.TensorMap B = new Parameter.TensorMap("b_map", 2);
    private static final Parameter.TensorMap C = new Parameter.TensorMap("c_map", 2);
    private static final Parameter.Int M = new Parameter.Int("m", IntType.S32);
    private static final Parameter.Int N = new Parameter.Int("n", IntType.S32);
    private static final Parameter.Int K = new Parameter.Int("k", IntType.S32);

    private Bf16Product() {
    }

    /** The kernel. Needs sm_90a. */
    public static TileProgram program() {
        List<SharedRegion> regions = new ArrayList<>(List.of(SumStore.BOXES));
        regions.addAll(RING.regions());
        return new TileProgram("bf16_product", "C = A B of bf16 numbers, with sums in f32", THREADS,
                List.of(A, B, C, M, N, K), new SharedLayout(regions), Body.steps(Bf16Product::write));
    }

    /**
     * A launch of the kernel on buffers 0 (A), 1 (B's columns) and 2 (C).
     *
     * @param m and {@code n}, {@code k}: extents, the last two multiples of 8
     * @param blocks at most this many, 1 or more: one for each multiprocessor
     */
    public static Launch launch(int m, int n, int k, int blocks) {
        if (n % 8 != 0 || k % 8 != 0) {
            throw new IllegalArgumentException("this product takes n and k that are multiples of 8, whose rows begin "
                    + "at "
                    + "multiples of 16 bytes, got " + n + " and " + k + ": pad with zeros");
        }
        if (blocks < 1) {
            throw new IllegalArgumentException("this product takes 1 block or more, got " + blocks);
        }
        Map<Parameter, Argument> values = Map.of(A, new Argument.Tensor(matrix(m, k, TILE_M, TILE_K), 0),
                B, new Argument.Tensor(matrix(n, k, TILE_N, TILE_K), 1),
                C, new Argument.Tensor(matrix(m, n, GROUP_M, SumStore.BOX_N), 2),
                M, new Argument.Int(m), N, new Argument.Int(n), K, new Argument.Int(k));
        return Launch.of(program(), evenBlocks(Math.ceilDiv(m, TILE_M) * Math.ceilDiv(n, TILE_N), blocks), values);
    }

    /** As few blocks as take no more tiles each than {@code most} would: they go in step and share what L2 holds. */
    private static int evenBlocks(int tiles, int most) {
        return Math.ceilDiv(tiles, Math.ceilDiv(tiles, most));
    }

    private static TiledTensorMap matrix(int rows, int columns, int boxRows, int boxColumns) {
        return TiledTensorMap.outermostFirst(TensorDataType.BFLOAT16).shape(rows, columns).box(boxRows, boxColumns)
                .swizzle(Swizzle.B128).build(Target.SM_90);
    }

    private static void write(Body body) {
        BarrierPipeline pipe = RING.open(body);
        Expr mTiles = body.purpose("tiles below each other").let("m_tiles", ceilDiv(M.value(), TILE_M));
        Expr nTiles = body.purpose("tiles beside each other").let("n_tiles", ceilDiv(N.value(), TILE_N));
        Expr kTiles = body.purpose("stages that a tile takes").let("k_tiles", ceilDiv(K.value(), TILE_K));
        body.purpose("loading or computing").when(LOADERS.contains(),
                loaders -> loaders.purpose("one thread starts all copies").when(LOADERS.isFirst(),
                        one -> forEachTile(one, mTiles, nTiles, (each, tile) -> load(each, pipe, tile, kTiles))),
                computers -> compute(computers, pipe, mTiles, nTiles, kTiles));
        pipe.close(body);
    }

    private static Expr ceilDiv(Expr x, int y) {
        return x.plus(y - 1).dividedBy(y);
    }

    /**
     * One of a block's tiles. @param number counts the block's tiles from 0 @param m its first row @param n first
     * column
     */
    private record Tile(Expr number, Expr m, Expr n) {
    }

    private interface TileCode {
        void write(Body body, Tile tile);
    }

    /** The tiles of a block, in bands of {@link #BAND} tiles below each other, column by column within a band. */
    private static void forEachTile(Body body, Expr mTiles, Expr nTiles, TileCode code) {
        Expr all = mTiles.times(nTiles);
        Expr mine = body.purpose("tiles that this block takes")
                .let("my_tiles", all.minus(Builtin.BLOCK).plus(Builtin.GRID).minus(1).dividedBy(Builtin.GRID));
        body.purpose("one tile after the other").loop("number", mine, (each, number) -> {
            Expr tile = each.purpose("its number of all").let("tile", Builtin.BLOCK.plus(number.times(Builtin.GRID)));
            Expr perBand = nTiles.times(BAND);
            Expr first = each.purpose("its band's first row of tiles")
                    .let("first", tile.dividedBy(perBand).times(BAND));
            Expr height = each.purpose("how many the band has").let("height", mTiles.minus(first).min(BAND));
            Expr m = each.purpose("its first row")
                    .let("row", first.plus(tile.modulo(perBand).modulo(height)).times(TILE_M));
            Expr n = each.purpose("its first column").let("column", tile.modulo(perBand).dividedBy(height)
                    .times(TILE_N));
            code.write(each, new Tile(number, m, n));
        });
    }

    private static void load(Body body, BarrierPipeline pipe, Tile tile, Expr kTiles) {
        body.purpose("along k").loop("at", kTiles, (each, at) -> {
            var stage = pipe.acquire(each, tile.number().times(kTiles).plus(at));
            each.purpose("128 rows of A")
                    .tensorLoad(stage.at(A_STAGES), A, List.of(at.times(TILE_K), tile.m()), stage.full());
            each.purpose("256 columns of B")
                    .tensorLoad(stage.at(B_STAGES), B, List.of(at.times(TILE_K), tile.n()), stage.full());
            pipe.commit(each, stage);
        });
    }

    /** The two groups of four warps, each with its 64 rows of the tile. */
    private static void compute(Body body, BarrierPipeline pipe, Expr mTiles, Expr nTiles, Expr kTiles) {
        Expr group = body.purpose("which of the two groups").let("group", COMPUTERS.number().dividedBy(128));
        Register sums = body.purpose("64 x 256 sums of the group: 128 in each thread")
                .registers("sums", ValueType.F32, GROUP_M * TILE_N / 128);
        SumStore store = new SumStore(body, C, group, sums);
        forEachTile(body, mTiles, nTiles, (each, tile) -> {
            each.purpose("along k").loop("at", kTiles, (turn, at) ->
                    multiply(turn, pipe, tile.number().times(kTiles).plus(at), at, group, sums));
            store.write(each, tile.m().plus(group.times(GROUP_M)), tile.n());
        });
        store.finish(body);
    }

    /** One stage: four instructions, each of 16 along k. */
    private static void multiply(Body body, BarrierPipeline pipe, Expr turn, Expr at, Expr group,
            Register sums) {
        Landed stage = pipe.await(body, turn);
        Expr a = body.purpose("where the group's rows of A lie").let("a", stage.at(A_STAGES).descriptor(A_TILE)
                .plus(group.times(A_TILE.startOf(GROUP_M, 0) >> 4).toS64()));
        Expr b = body.purpose("where B lies").let("b", stage.at(B_STAGES).descriptor(B_TILE));
        body.purpose("the sums are the tensor cores' from here on").issue(new WgmmaFence());
        body.unrolled("step", TILE_K / STEP_K, (each, step) -> {
            // The tile's first product replaces what the last tile left in the registers.
            Expr adds = at.plus(step).isEqualTo(0).choose(0, 1);
            each.purpose("sums += A B").issue(new WgmmaFloat(MmaTypes.F32_BF16_BF16, TILE_N), Input.of(sums),
                    Input.of(a.plus(step.times(A_TILE.startOf(0, STEP_K) >> 4).toS64())),
                    Input.of(b.plus(step.times(B_TILE.startOf(0, STEP_K) >> 4).toS64())), Input.of(adds));
        });
        body.purpose("the stage's products are one group").issue(new WgmmaCommitGroup());
        body.purpose("they are done").issue(new WgmmaWaitGroup(0));
        pipe.release(body, stage);
    }
}

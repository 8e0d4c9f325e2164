package dev.tilewright.builder;

import dev.tilewright.BadRequestException;
import dev.tilewright.builder.pipeline.StageBuffer;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Warp;
import dev.tilewright.ptx.Multiprocessor;
import java.util.List;
import java.util.Objects;

/**
 * The options of builders of kernels with a {@link BulkPipeline}: how threads wait for a tile. Defaults: 4 stages,
 * waits by parity; a warp where one thread does everything, else 256 threads.
 *
 * @param <B> the builder itself
 */
public abstract class BulkPipelineBuilder<B extends BulkPipelineBuilder<B>> extends KernelBuilder<B> {
    /** How threads wait for a tile. */
    public static final Option<BulkPipelineBuilder<?>, BarrierWait> WAIT = new Option<>("wait", "FORM",
            "how threads wait for a tile", Choices.of(BarrierWait.class),
            BulkPipelineBuilder::barrierWait, b -> b.barrierWait);

    /** Which thread moves tiles. */
    public static final Option<BulkPipelineBuilder<?>, Roles> ROLES = new Option<>("roles", "WHO",
            "which thread moves tiles, one of the computing threads or one of a separate warp",
            Choices.of(Roles.class), BulkPipelineBuilder::roles, b -> b.roles);
    /** How L2 treats the lines that tiles are loaded from and stored to. */
    public static final Option<BulkPipelineBuilder<?>, CachePriority> CACHE = new Option<>("cache", "PRIORITY",
            "how L2 treats the lines that tiles are loaded from and stored to", Choices.of(CachePriority.class),
            BulkPipelineBuilder::cache, b -> b.cache);
    /**
     * Bytes that a multiprocessor wants to have under way: with less the memory waits. 64 KiB is what the grids have
     * that were found fastest for small tiles on an H200 (native-tests/logs/tune.log, the search with more grids).
     */
    private static final int UNDER_WAY = 64 << 10;
    /** What a multiprocessor of an H100 or H200 runs at once. */
    private static final int MOST_BLOCKS_AT_ONCE = 32;
    /** Fewer blocks than that leave multiprocessors idle, so that an array of fewer tiles has one each. */
    private static final int LEAST_BLOCKS = 1024;

    private Roles roles = Roles.TOGETHER;
    private CachePriority cache = CachePriority.NORMAL;
    private BarrierWait barrierWait = BarrierWait.PARITY;

    BulkPipelineBuilder(Mechanism<B> mechanism, ElementType type) {
        super(mechanism, type, 4);
    }

    /** How threads learn that a tile has landed. */
    public B barrierWait(BarrierWait form) {
        barrierWait = Objects.requireNonNull(form, "barrierWait");
        return self();
    }

    /** Who moves tiles, where a step changes them. */
    public B roles(Roles who) {
        roles = Objects.requireNonNull(who, "roles");
        return self();
    }

    /** How L2 treats the lines that tiles are loaded from and stored to. */
    public B cache(CachePriority priority) {
        cache = Objects.requireNonNull(priority, "cache");
        return self();
    }

    /** Refuses a warp that moves tiles for others where there are none. */
    final void requireRoles() {
        if (roles == Roles.SPECIALISED && storePath() == BulkPipeline.StorePath.BULK_ONLY) {
            throw new BadRequestException("one thread alone loads and stores tiles that no step changes, so that no "
                    + "warp can be specialised: choose another step than copy, or --roles together");
        }
        if (roles == Roles.SPECIALISED && threadCount() < 2 * Warp.LANES) {
            throw new BadRequestException("a block whose last warp moves the tiles has 64 threads or more, got "
                    + threadCount());
        }
    }

    /** How tiles leave shared memory. */
    BulkPipeline.StorePath storePath() {
        return step.keepsBits(type, resultType()) ? BulkPipeline.StorePath.BULK_ONLY
                : type.bytes() == resultType().bytes() ? BulkPipeline.StorePath.IN_PLACE
                : BulkPipeline.StorePath.BY_THREADS;
    }

    @Override
    final int defaultThreads() {
        return storePath() == BulkPipeline.StorePath.BULK_ONLY ? 32
                : roles == Roles.SPECIALISED ? 256 + Warp.LANES : 256;
    }

    /**
     * Tiles of a block: as many as bring {@value #UNDER_WAY} bytes under way by all blocks that run at once, at most
     * one for each stage, and one where an array has few.
     */
    @Override
    GridPolicy ownGrid() {
        int blocks = Math.min(MOST_BLOCKS_AT_ONCE, Multiprocessor.MOST_THREADS / threadCount());
        long each = UNDER_WAY / ((long) blocks * tileBytes() * step.inputs());
        int tiles = Math.clamp(each, 1, stages);
        return tiles == 1 ? GridPolicy.tilesEach(1) : GridPolicy.waves(LEAST_BLOCKS, tiles);
    }

    /** The frame of the kernel. @param buffers what a stage has room for, one for each source */
    final BulkPipeline pipeline(List<StageBuffer> buffers) {
        return new BulkPipeline(stages, barrierWait, storePath(), roles, cache, threadCount(), buffers);
    }
}

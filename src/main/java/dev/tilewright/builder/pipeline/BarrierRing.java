package dev.tilewright.builder.pipeline;

import dev.tilewright.NotNull;
import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.SharedRegion;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * A ring of stages in shared memory that mbarriers hand to and fro: a full one for each stage, whose phase completes
 * when its data has come, and an empty one, whose phase completes when all have read it. What lies in shared memory and
 * who takes part; {@link #open} begins its use in a kernel.
 *
 * {@snippet :
 * Parameter.Pointer source = Parameter.Pointer.reading("source", ValueType.F32);
 * ThreadRange loader = ThreadRange.warp(0);
 * ThreadRange readers = ThreadRange.warps(1, 4);
 * BarrierRing ring = BarrierRing.stages(4).buffer(StageBuffer.of("tiles", 8192)).consumers(readers).build();
 * List<Step> steps = Body.steps(body -> {
 *     BarrierPipeline pipe = ring.open(body);
 *     loader.one(body, one -> pipe.produce(one, tiles, (b, turn, stage) ->
 *             b.bulkLoad(stage.start(), source.at(turn.times(2048)), 8192, stage.full())));
 *     readers.only(body, all -> pipe.consume(all, tiles, (b, turn, stage) -> read(b, stage.at(readers.number()))));
 * });
 * }
 *
 * <p>The measure of what it can express are CUTLASS's PipelineAsync and PipelineTmaAsync. PTX ISA, "mbarrier".
 */
public final class BarrierRing {
    /** How a stage is returned to its producers. */
    enum Release { EMPTY_BARRIERS, SYNC_THREADS, SAME_THREAD }

    /** Of an mbarrier, in one phase (PTX ISA, "mbarrier.init"). */
    private static final int MOST_ARRIVALS = (1 << 20) - 1;

    final RingMemory memory;
    final StageFill fill;
    final ThreadRange producers;
    final Arrivals producerArrivals;
    final ThreadRange consumers;
    final Arrivals consumerArrivals;
    final boolean consumersArrive;
    final Release release;
    final ClusterShare share;
    final boolean fencedReleases;
    final boolean releasesOfSharedMemory;
    final boolean copyEngineReads;
    final boolean belowSm90;
    final SharedRegion.Barriers full;
    final SharedRegion.Barriers empty;

    private BarrierRing(Builder b) {
        memory = new RingMemory(b.name.isEmpty() ? "'ring'" : "'" + b.name + "'", b.stages, 1, b.buffers);
        fill = b.fill;
        producers = b.producers;
        producerArrivals = b.producerArrivals;
        consumers = b.consumers;
        consumerArrivals = b.consumerArrivals;
        consumersArrive = b.consumersArrive;
        release = b.release;
        share = b.share;
        fencedReleases = b.fencedReleases;
        releasesOfSharedMemory = b.releasesOfSharedMemory;
        copyEngineReads = b.copyEngineReads;
        belowSm90 = b.belowSm90;
        String prefix = b.name.isEmpty() ? "" : b.name + "_";
        full = new SharedRegion.Barriers(prefix + "full", memory.count());
        empty = new SharedRegion.Barriers(prefix + "empty", memory.count());
    }

    /** Starts a ring of this many stages. */
    public static Builder stages(int stages) {
        return new Builder(Expr.of(stages));
    }

    /**
     * Starts a ring of this many stages.
     *
     * @param stages a constant, named or not, 32 bits
     */
    public static Builder stages(Expr stages) {
        Objects.requireNonNull(stages, "stages");
        return new Builder(stages);
    }

    /** Choices for a {@link BarrierRing}. */
    public static final class Builder {
        private final Expr stages;
        private final List<StageBuffer> buffers = new ArrayList<>();
        private String name = "";
        private StageFill fill = StageFill.COPY_ENGINE;
        private ThreadRange producers = ThreadRange.thread(0);
        private Arrivals producerArrivals = Arrivals.EACH_THREAD;
        private ThreadRange consumers = ThreadRange.first(1);
        private Arrivals consumerArrivals = Arrivals.EACH_THREAD;
        private boolean consumersArrive;
        private Release release = Release.EMPTY_BARRIERS;
        private ClusterShare share = ClusterShare.NONE;
        private boolean fencedReleases = true;
        private boolean releasesOfSharedMemory;
        private boolean copyEngineReads;
        private boolean belowSm90;

        private Builder(Expr stages) {
            this.stages = stages;
        }

        /** Sets a prefix for the names of the barriers, for kernels with several rings. */
        public Builder named(String prefix) {
            name = Objects.requireNonNull(prefix, "prefix");
            return this;
        }

        /**
         * Adds a buffer that each stage has room for. A ring without any hands out stages of memory that is not its
         * own.
         */
        public Builder buffer(StageBuffer buffer) {
            buffers.add(Objects.requireNonNull(buffer, "buffer"));
            return this;
        }

        /** One thread of each block, whichever, starts copies of the copy engine: what is so without this. */
        public Builder filledByCopyEngine() {
            fill = StageFill.COPY_ENGINE;
            return this;
        }

        /** These threads, each one, fill stages by {@code cp.async}. */
        public Builder filledByCpAsync(ThreadRange threads) {
            return filled(StageFill.CP_ASYNC, Objects.requireNonNull(threads, "threads"), Arrivals.EACH_THREAD);
        }

        /** These threads, each one, fill stages by {@code cp.async} and by ordinary stores too. */
        public Builder filledByCpAsyncAndStores(ThreadRange threads) {
            return filled(StageFill.CP_ASYNC_AND_STORES, Objects.requireNonNull(threads, "threads"),
                    Arrivals.EACH_THREAD);
        }

        /**
         * The first of these threads starts copies of the copy engine, and all of them, each one, write by ordinary
         * stores too. An acquire says how many bytes the copies bring.
         */
        public Builder filledByCopyEngineAndStores(ThreadRange threads) {
            return filled(StageFill.COPY_ENGINE_AND_STORES, Objects.requireNonNull(threads, "threads"),
                    Arrivals.EACH_THREAD);
        }

        /**
         * These threads fill stages by ordinary stores.
         *
         * @param arrivals which of them say that they have
         */
        public Builder filledByStores(ThreadRange threads, Arrivals arrivals) {
            Objects.requireNonNull(threads, "threads");
            return filled(StageFill.STORES, threads, Objects.requireNonNull(arrivals, "arrivals"));
        }

        private Builder filled(StageFill how, ThreadRange threads, Arrivals arrivals) {
            fill = how;
            producers = threads;
            producerArrivals = arrivals;
            return this;
        }

        /** These threads of each block read stages, each one, and release them. */
        public Builder consumers(ThreadRange threads) {
            return consumers(threads, Arrivals.EACH_THREAD);
        }

        /**
         * These threads of each block read stages.
         *
         * @param arrivals which of them release one
         */
        public Builder consumers(ThreadRange threads, Arrivals arrivals) {
            consumers = Objects.requireNonNull(threads, "threads");
            consumerArrivals = Objects.requireNonNull(arrivals, "arrivals");
            return this;
        }

        /**
         * This many whole warps read each stage, whichever come for it: those of one group in one turn, of another in
         * the next. One lane of each releases it.
         */
        public Builder consumerWarps(int warps) {
            return consumers(ThreadRange.warps(0, warps), Arrivals.EACH_WARP);
        }

        /**
         * Consumers arrive at the full barrier too, and wait with the token that the arrival gives them: they may
         * arrive early ({@link BarrierPipeline#arrive}), work, and wait then.
         */
        public Builder consumersArrive() {
            consumersArrive = true;
            return this;
        }

        /**
         * All threads of the block read, and {@code __syncthreads} releases a stage: no empty barriers. Who fills it
         * next must come through the same one.
         */
        public Builder releasedBySyncThreads() {
            release = Release.SYNC_THREADS;
            return this;
        }

        /** One thread fills and reads, so that its own order releases a stage: no empty barriers, no step. */
        public Builder releasedBySameThread() {
            release = Release.SAME_THREAD;
            return this;
        }

        /**
         * Blocks of a cluster load for each other by multicast. A stage is full in a block when all its bytes have
         * come, from whichever block, and is acquired when the consumers of all blocks that this one loads for have
         * released it.
         */
        public Builder cluster(ClusterShare blocks) {
            share = Objects.requireNonNull(blocks, "blocks");
            return this;
        }

        /**
         * Releases to other blocks of the cluster order for this block alone, as CUTLASS has them. What the memory
         * model asks for ({@code .release.cluster}, {@code .acquire.cluster}) costs a MEMBAR.ALL.GPU in each release
         * and a CCTL.IVALL in each acquire (SASS of ptxas 13.0 for sm_90a); without them a stage is handed back as soon
         * as its reads have returned their values, which the check reports as a scope that is too small.
         */
        public Builder unfencedReleases() {
            fencedReleases = false;
            return this;
        }

        /**
         * Releases to other blocks of the cluster, and acquires of what these have released, order accesses to shared
         * memory alone ({@code fence.sync_restrict}; PTX ISA 8.6): neither waits for what is under way in global
         * memory, as a release at the cluster's scope does. What consumers read of a stage is in shared memory.
         */
        public Builder releasesOfSharedMemory() {
            releasesOfSharedMemory = true;
            return this;
        }

        /**
         * Declares that the copy engine or wgmma reads stages that threads have filled: commits then add a proxy fence.
         */
        public Builder readByCopyEngine() {
            copyEngineReads = true;
            return this;
        }

        /** Waits by a loop of {@code mbarrier.test_wait}, which sm_80 has too. */
        public Builder belowSm90() {
            belowSm90 = true;
            return this;
        }

        /**
         * The ring.
         *
         * @throws IllegalArgumentException if the choices do not go together; the message says what would
         */
        public BarrierRing build() {
            if (belowSm90 && (fill.hasCopyEngine() || !share.isAlone())) {
                throw new IllegalArgumentException("the copy engine and clusters need sm_90: a ring for GPUs below is "
                        + "filled by cp.async or stores, in one block");
            }
            if (!share.isAlone() && (fill != StageFill.COPY_ENGINE || release != Release.EMPTY_BARRIERS)) {
                throw new IllegalArgumentException("blocks that load for each other do so by the copy engine, and "
                        + "release stages on empty barriers, got " + fill + " and " + release);
            }
            if (release == Release.SAME_THREAD && consumers.count() > 1) {
                throw new IllegalArgumentException("one thread fills and reads a ring that its own order releases, "
                        + "got as readers " + consumers);
            }
            if (copyEngineReads && fill == StageFill.CP_ASYNC) {
                throw new IllegalArgumentException("cp.async copies land after the commit, so that no fence of the "
                        + "committing thread can come behind them: let consumers fence once they have waited");
            }
            requireWarps(fill == StageFill.STORES && producerArrivals == Arrivals.EACH_WARP, producers);
            requireWarps(consumerArrivals == Arrivals.EACH_WARP, consumers);
            BarrierRing ring = new BarrierRing(this);
            requireArrivals("full", ring.fullArrivals());
            requireArrivals("empty", ring.emptyArrivals());
            return ring;
        }

        private static void requireWarps(boolean byWarps, ThreadRange threads) {
            if (byWarps) {
                threads.requireWarps("an arrival for each warp");
            }
        }

        private static void requireArrivals(String which, long arrivals) {
            if (arrivals > MOST_ARRIVALS) {
                throw new IllegalArgumentException("a phase of the " + which + " barriers takes at most "
                        + MOST_ARRIVALS + " arrivals, got " + arrivals);
            }
        }

        /** {@code builder of a ring}. */
        @Override
        public String toString() {
            return "builder of a ring of " + stages + " stages";
        }
    }

    int fullArrivals() {
        int filling = switch (fill) {
            case COPY_ENGINE -> 1;
            case STORES -> producerArrivals.of(producers);
            case CP_ASYNC, CP_ASYNC_AND_STORES, COPY_ENGINE_AND_STORES -> producers.count();
        };
        return filling + (consumersArrive ? consumers.count() : 0);
    }

    int emptyArrivals() {
        return consumerArrivals.of(consumers) * share.peers();
    }

    /** Whether releases reach other blocks, and order shared memory alone. */
    boolean isRestricted() {
        return releasesOfSharedMemory && !share.isAlone();
    }

    boolean hasEmptyBarriers() {
        return release == Release.EMPTY_BARRIERS;
    }

    /**
     * A byte of the ring's only buffer in a stage: for procedures, which are given the number of a stage.
     *
     * @param stage its number, 32 bits
     * @param offset from the stage's first byte, 32 bits
     */
    public Address.Shared at(Expr stage, Expr offset) {
        NotNull.all("stage, offset", stage, offset);
        return memory.at(memory.only(), stage, offset);
    }

    /**
     * A byte of the ring's only buffer in a stage.
     *
     * @param stage its number, 32 bits
     * @param offset from the stage's first byte
     */
    public Address.Shared at(Expr stage, int offset) {
        return at(stage, Expr.of(offset));
    }

    /** How many stages it has. */
    public int stages() {
        return memory.count();
    }

    /** The regions of shared memory that the ring needs, for the kernel's layout: its buffers, then its barriers. */
    public List<SharedRegion> regions() {
        List<SharedRegion> regions = memory.regions();
        regions.add(full);
        if (hasEmptyBarriers()) {
            regions.add(empty);
        }
        return regions;
    }

    /**
     * Sets up the barriers, which all threads of the block (of the cluster, where blocks load for each other) perform
     * together, and begins the ring's use.
     */
    public BarrierPipeline open(Body body) {
        return open(body, this).getFirst();
    }

    /**
     * Sets up several rings with one meeting of the threads, and begins their use.
     *
     * @return a pipeline for each, in order
     */
    public static List<BarrierPipeline> open(Body body, BarrierRing... rings) {
        NotNull.all("body, rings", body, rings);
        RingSetup.write(body, List.of(rings));
        return Arrays.stream(rings).map(BarrierPipeline::new).toList();
    }

    /** {@code ring a of 4 stages, by mbarriers}. */
    @Override
    public String toString() {
        return memory + ", by mbarriers";
    }
}

package dev.tilewright.reference.observe;

import dev.tilewright.NotNull;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.program.expression.Register;
import dev.tilewright.ptx.Effects;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.Scope;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;

/**
 * Is told, while the reference runs a program, which bytes each step touches and what it waits for: what an analysis of
 * the order of accesses needs. Blocks and threads are named by their numbers in the grid ({@link
 * dev.tilewright.program.GridShape}) and in the block, steps by their numbers in the program ({@link
 * dev.tilewright.program.StepNumbers}), shared memory by its block and an offset, global memory by the number of its
 * piece. Calls come on one CPU thread, in the order in which the reference performs the steps. An observer overrides
 * what it needs.
 */
public interface ExecutionObserver {

    /**
     * A piece of global memory.
     *
     * @param name of the first parameter that it is bound to
     * @param written whether the program may write to it
     * @param parts what parameters point to of it
     * @param stretches the memory that it consists of
     */
    record Allocation(String name, long bytes, boolean written, List<Part> parts, List<Stretch> stretches) {
        public Allocation {
            NotNull.all("name, parts, stretches", name, parts, stretches);
            parts = List.copyOf(parts);
            stretches = List.copyOf(stretches);
        }
    }

    /**
     * Memory that belongs to an allocation.
     *
     * @param offset of its first byte from the allocation's start
     */
    record Stretch(MemorySegment memory, long offset) {
        public Stretch {
            Objects.requireNonNull(memory, "memory");
        }
    }

    /**
     * The part of an allocation that a parameter points to.
     *
     * @param name the parameter's
     * @param offset from the allocation's start
     */
    record Part(String name, long offset, long bytes) {
        public Part {
            Objects.requireNonNull(name, "name");
        }
    }

    /**
     * The shape of a run: threads, clusters and shared memory.
     *
     * @param threads of a block
     * @param clusterBlocks blocks of a cluster
     * @param sharedBytes of a block
     */
    record Shape(int threads, int clusterBlocks, int sharedBytes, List<Allocation> pieces) {
        public Shape {
            NotNull.all("pieces", pieces);
            pieces = List.copyOf(pieces);
        }
    }

    /**
     * How an access touches its bytes.
     *
     * @param order of an access with a scope; null for one without, which the memory model calls weak
     * @param waits whether it is a load that waits for a value
     * @param proxy the path that it takes
     * @param completion how its end becomes known. One that is not done at once belongs to a copy: of cp.async, or the
     *     one that the thread has started last
     */
    record AccessKind(boolean reads, boolean writes, Effects.Order order, boolean waits, Effects.Proxy proxy,
            Effects.Completion completion) {
        public AccessKind {
            NotNull.all("proxy, completion", proxy, completion);
        }
    }

    /** Before anything else. */
    default void starts(Shape shape) { }

    // ---- accesses

    /** @param owner the block whose shared memory it is */
    default void shared(int block, int thread, int step, AccessKind manner, int owner, int address, int bytes) { }

    /**
     * A thread accesses global memory.
     *
     * @param piece which buffer
     * @param offset of the first byte in it
     */
    default void global(int block, int thread, int step, AccessKind manner, int piece, long offset, long bytes) { }

    // ---- meetings

    /** A thread reaches a {@code __syncthreads()}. */
    default void reachesSync(int block, int thread, int step) { }

    /** All threads of the block have met. */
    default void syncThreads(int block, int step) { }

    /** The threads of a warp have performed something together that orders them. */
    default void warp(int block, int first, int last, int step) { }

    /**
     * Lanes of a warp have come to an instruction that they perform together: the members of a mask, or, for one that
     * is {@code .aligned}, the whole warp.
     *
     * @param warp its number in the block
     * @param lanes a bit for each that came
     * @param orders whether each sees what the others did before; else they have only waited for each other
     */
    default void lanesMeet(int block, int warp, int lanes, int step, boolean orders) { }

    /**
     * A warp has come to a named barrier of its block.
     *
     * @param waits whether it waits there; else it has only arrived
     */
    default void namedArrives(int block, int warp, int lanes, int step, int barrier, boolean waits) { }

    /**
     * A named barrier opens.
     *
     * @param waiting the threads that see what all who came did before
     */
    default void namedOpens(int block, int barrier, List<Integer> waiting) { }

    /** @param opened how often the barrier had opened before */
    default void clusterArrive(int block, int thread, int step, boolean release, long opened) { }

    /** A thread passes the cluster's barrier. */
    default void clusterWait(int block, int thread, int step) { }

    /** A thread waits until the grid before this one has ended, and sees what that did. */
    default void awaitsPriorGrid(int block, int thread, int step) { }

    /** A thread performs a fence. */
    default void fence(int block, int thread, int step, PtxInstruction form) { }

    // ---- tensor maps in global memory, of 128 bytes; what writes and releases them otherwise are accesses and fences

    /**
     * A warp has written a map and released it, as one instruction; the write has been told.
     *
     * @param scope of the
     * release
     */
    default void mapPublished(int block, int thread, int step, int piece, long offset, Scope scope) { }

    /** A thread acquires a map; the fence has been told. */
    default void mapAcquired(int block, int thread, int step, int piece, long offset, Scope scope) { }

    /**
     * A map is about to be used by a copy or a prefetch. That a copy reads it until it ends is told as an access of the
     * proxy {@link Effects.Proxy#TENSORMAP}, after the copy has started.
     */
    default void mapUsed(int block, int thread, int step, int piece, long offset) { }

    // ---- mbarriers; a phase is the number of phases that were complete before the event

    /**
     * A barrier is initialised.
     *
     * @param owner the block whose shared memory it is in
     * @param arrivals that each phase takes
     */
    default void barrierInit(int block, int thread, int step, int owner, int address, String name, long arrivals) { }

    /** A barrier ends: its memory is free for other use. */
    default void barrierInvalidated(int block, int thread, int step, int owner, int address) { }

    /** A barrier is about to be used that is not initialised. */
    default void barrierMissing(int block, int thread, int step, int owner, int address, String name) { }

    /** @param drops whether later phases expect as many less */
    default void arrives(int block, int thread, int step, int owner, int address, long phase,
            Effects.Order order, long count, boolean drops) { }

    /**
     * Bytes are announced.
     *
     * @param alone whether no arrival belongs to it
     */
    default void expects(int block, int thread, int step, int owner, int address, long phase, long bytes,
            boolean alone) { }

    /** Bytes are counted by an instruction. */
    default void completesTx(int block, int thread, int step, int owner, int address, long phase, long bytes) { }

    /** A thread has waited for the phase of a parity, and passes. */
    default void parityPassed(int block, int thread, int step, int owner, int address, long phase, long parity,
            Effects.Order order) { }

    /**
     * A thread has waited with a token, and passes.
     *
     * @param tokenPhase the phase that the token is of
     */
    default void tokenPassed(int block, int thread, int step, int owner, int address, long phase, long tokenPhase,
            Effects.Order order) { }

    /**
     * A thread waits for a barrier and does not pass.
     *
     * @param parity or -1, where it waits with a token
     */
    default void blocked(int block, int thread, int step, int owner, int address, long phase, long parity) { }

    // ---- cp.async

    /** The thread's open group of cp.async is closed. */
    default void cpCommit(int block, int thread, int step) { }

    /**
     * A thread has waited for its groups of cp.async.
     *
     * @param pending how many may still be under way
     */
    default void cpWait(int block, int thread, int step, int pending) { }

    /**
     * An arrival follows the thread's copies.
     *
     * @param added whether it is in addition to those expected
     */
    default void cpArrive(int block, int thread, int step, int owner, int address, long phase, boolean added) { }

    // ---- bulk and tensor copies: what a copy touches is told after it

    /**
     * A copy starts that an mbarrier counts.
     *
     * @param owner of the barrier, with its address and phase
     * @param counted bytes that it counts on the barrier
     * @param mask blocks that it goes to, by their ranks; 0 where it has one destination
     */
    default void copyStarts(int block, int thread, int step, int owner, int address, long phase, int counted,
            int mask) { }

    /** A copy starts in the thread's open bulk group. */
    default void storeStarts(int block, int thread, int step) { }

    /**
     * A box with a swizzle lies where its pattern is shifted.
     *
     * @param period what the address should be a multiple of
     */
    default void misplacedBox(int block, int thread, int step, int owner, int address, int period) { }

    /** The copy that has started last moves a box, whose rows lie in shared memory with this swizzle. */
    default void boxLies(int block, int thread, int step, Swizzle swizzle) { }

    /** The thread's open bulk group is closed. */
    default void bulkCommit(int block, int thread, int step) { }

    /**
     * A thread has waited for its bulk groups.
     *
     * @param pending how many may still be under way
     * @param read whether it waited for their reads only
     */
    default void bulkWait(int block, int thread, int step, int pending, boolean read) { }

    // ---- products of a warpgroup: told once for its 128 threads, of which the first is named

    /**
     * Neighbouring elements of a register; every thread has its own.
     *
     * @param first index of the first
     */
    record RegisterRange(Register register, int first, int count) {
        public RegisterRange {
            Objects.requireNonNull(register, "register");
        }
    }

    /**
     * A warpgroup starts a product in its open group. What it reads of shared memory is told after it, as accesses of
     * the first thread through the asynchronous proxy.
     *
     * @param sums what it reads and writes
     * @param a what it reads of A; null where A is in shared memory
     */
    default void wgmmaStarts(int block, int first, int step, RegisterRange sums, RegisterRange a) { }

    /** The product that has started last reads a matrix of shared memory, of which its descriptor says this swizzle. */
    default void matrixRead(int block, int first, int step, Swizzle swizzle) { }

    /**
     * A warpgroup has ordered its registers and shared memory before the products that follow.
     *
     * @param first its first thread
     */
    default void wgmmaFence(int block, int first, int step) { }

    /** The open group is closed. */
    default void wgmmaCommit(int block, int first, int step) { }

    /**
     * All groups have completed but for the youngest ones.
     *
     * @param pending how many of these
     */
    default void wgmmaWait(int block, int first, int step, int pending) { }

    /**
     * A thread reads or writes elements of a register that some product of the program takes; told before the step
     * does. What the products do themselves is told by {@link #wgmmaStarts}.
     */
    default void registers(int block, int thread, int step, RegisterRange range, boolean writes) { }

    /** Whether it is notified of computations ({@link #computes}), which costs time in each of them. */
    default boolean followsComputations() {
        return false;
    }

    /** A thread performs a step that works on registers alone. */
    default void computes(int block, int thread, int step) { }

    // ---- bytes of shared memory that nothing has written since their block began

    /**
     * Bytes that nothing has written, and the thread and step that read them first.
     *
     * @param owner the block whose shared memory it is
     * @param register the name of the register that was made in that step and never assigned, where it is no memory;
     *     else empty
     */
    record UnwrittenRead(int block, int thread, int step, int owner, int address, int bytes, String register) {
        public UnwrittenRead {
            Objects.requireNonNull(register, "register");
        }

        /** A read of shared memory. */
        public UnwrittenRead(int block, int thread, int step, int owner, int address, int bytes) {
            this(block, thread, step, owner, address, bytes, "");
        }
    }

    /** What depends on a value that should be defined. */
    enum Reach {
        /** The value is left in global memory. */
        MEMORY,
        /** The value is, or is part of, the address of an access. */
        ADDRESS,
        /** The value decides which steps the thread performs, or for how long it waits. */
        BRANCH,
        /** The value is an operand by which an instruction does something else. */
        OPERAND
    }

    /** A value that comes from such a read matters in a step: before that it has only been moved and computed on. */
    default void undefinedReaches(int block, int thread, int step, UnwrittenRead read, Reach reach) { }

    // ---- the end

    /** A thread has ended. */
    default void exits(int block, int thread, int step) { }

    /** What a blocked thread waits for. */
    enum Waits {
        MBARRIER, VALUE, CLUSTER, WARP, NAMED_BARRIER, SYNC_THREADS
    }

    /** No thread can go on: told of each that has not ended, before the run is given up. */
    default void waitsForEver(int block, int thread, int step, Waits what) { }

    /**
     * No thread can go on, and one waits for another value than this: told after {@link #waitsForEver}.
     *
     * @param piece of global memory, as in {@link #global}, with the offset of the value in it
     */
    default void globalValueStays(int block, int thread, int step, int piece, long offset, int bytes, long value) { }

    /** Announces that the next refusal is a conflict with what another thread of the block does, or did, in a step. */
    default void clashes(int block, int thread, int step) { }

    /** The reference refuses what a step does. */
    default void fault(int block, int thread, int step, Kind kind, String sentence) { }
}

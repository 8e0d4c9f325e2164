package dev.tilewright.reference.fault;

/**
 * A mistake in a program, found by running it. The message is one line: the kernel, the block, the thread and the step
 * that found it, and one sentence that says what is wrong.
 */
public final class ReferenceException extends RuntimeException {

    /** The kind of mistake. */
    public enum Kind {
        /** An address or a coordinate is not a multiple of what the instruction needs. */
        MISALIGNED,
        /** A byte outside its buffer or its allocation, or a barrier outside its array. */
        OUT_OF_BOUNDS,
        /** An index that does not fit its type, or a division by zero. */
        ARITHMETIC,
        /** A byte count that the instruction does not take. */
        BAD_SIZE,
        /** A barrier used in a way that the hardware leaves undefined. */
        BARRIER_MISUSE,
        /** An mbarrier gets more arrivals than it takes, or a number that it cannot take. */
        BARRIER_ARRIVALS,
        /** An mbarrier gets one more arrival for a phase that has all of them and still waits for bytes. */
        ARRIVAL_BEFORE_BYTES,
        /** The shared memory of another block of the cluster is used before that block is known to have started. */
        BLOCK_NOT_STARTED,
        /** The shared memory of another block of the cluster is used after that block has ended. */
        BLOCK_ENDED,
        /** {@code __syncthreads} that not every thread of the block reaches together. */
        SYNC_THREADS,
        /** An instruction for a whole warp that not every thread of the warp reaches together. */
        WARP,
        /** A shuffle that takes the value of a lane which does not take part. */
        LANE,
        /** A named barrier of the block with a wrong number, or for another number of threads than come to it. */
        NAMED_BARRIER,
        /** A tensor map in memory that is not made known as it must be before its use, or that is none. */
        TENSOR_MAP,
        /** The kernel would never end. */
        WOULD_HANG,
        /** The block ends while a copy into its shared memory is still under way. */
        LEFT_IN_FLIGHT,
        /** The hardware faults with ILLEGAL_INSTRUCTION. */
        ILLEGAL_INSTRUCTION,
        /** The reference cannot say what this does. */
        NOT_MODELLED
    }

    private final Kind kind;
    private final String kernel;
    private final int block;
    private final int thread;
    private final int step;
    private final String purpose;
    private final String sentence;

    /**
     * @param step number of the step, as {@code StepNumbers} counts
     * @param purpose what the step is for
     * @param sentence what is wrong
     */
    public ReferenceException(Kind kind, String kernel, int block, int thread, int step, String purpose,
            String sentence) {
        super("kernel '" + kernel + "', block " + block + ", thread " + thread + ", step '" + purpose + "': "
                + sentence);
        this.kind = kind;
        this.kernel = kernel;
        this.block = block;
        this.thread = thread;
        this.step = step;
        this.purpose = purpose;
        this.sentence = sentence;
    }

    /** The kind of mistake. */
    public Kind kind() {
        return kind;
    }

    /** The kernel's name. */
    public String kernel() {
        return kernel;
    }

    /**
     * The number of the block, see {@link dev.tilewright.program.GridShape}; where several blocks are at fault, the
     * lowest.
     */
    public int block() {
        return block;
    }

    /** The number of the thread within its block. */
    public int thread() {
        return thread;
    }

    /** The number of the step, see {@link dev.tilewright.program.StepNumbers}; 0 for the end of the kernel. */
    public int step() {
        return step;
    }

    /** The purpose of the step. */
    public String purpose() {
        return purpose;
    }

    /** The description of the mistake, without its place. */
    public String sentence() {
        return sentence;
    }
}

package dev.tilewright.builder.pipeline;

/** How data comes into a stage, and with that what says that it has come. */
public enum StageFill {
    /**
     * One thread starts bulk or tensor copies, which complete on the stage's full barrier: it takes an arrival of that
     * thread, which announces the bytes, and then the bytes themselves. Needs sm_90.
     */
    COPY_ENGINE,
    /** Each producing thread starts {@code cp.async} copies; its arrival follows when they have landed. */
    CP_ASYNC,
    /** Producing threads write by ordinary stores, and arrive behind them. */
    STORES,
    /** Each producing thread starts {@code cp.async} copies and writes by ordinary stores too. */
    CP_ASYNC_AND_STORES,
    /**
     * One of the producing threads starts bulk or tensor copies and announces their bytes, and all of them write by
     * ordinary stores and arrive behind them. Needs sm_90.
     */
    COPY_ENGINE_AND_STORES;

    /** Whether copies complete on the full barrier. */
    boolean hasCopyEngine() {
        return this == COPY_ENGINE || this == COPY_ENGINE_AND_STORES;
    }
}

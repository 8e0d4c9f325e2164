package dev.tilewright.gpu.streaming;

/** Processes the slabs of one {@link Slot}; one thread calls it, for one slab after another. */
@FunctionalInterface
public interface SlabStep extends AutoCloseable {

    /**
     * Starts it, in {@link Slab#stream()}, and returns without waiting: the inputs are being copied there in the same
     * stream, and the outputs are copied back behind what is started here. An exception ends the whole run, whose
     * caller gets it.
     */
    void start(Slab slab);

    /** Called once when the run has ended, well or not, and nothing is under way any more. */
    @Override
    default void close() { }
}

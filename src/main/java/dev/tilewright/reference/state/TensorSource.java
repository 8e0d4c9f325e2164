package dev.tilewright.reference.state;

/** Where a tensor copy gets its map from. */
public interface TensorSource {

    /** The tensor for one thread that is about to start a copy. */
    BoundTensor of(ThreadState thread);

    /** The copy has started: it reads the map until it ends. */
    default void copyStarts(ThreadState thread) { }
}

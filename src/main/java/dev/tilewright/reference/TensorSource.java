package dev.tilewright.reference;

/** Where a tensor copy gets its map from. */
interface TensorSource {

    /** The tensor for one thread that is about to start a copy. */
    BoundTensor of(ThreadState thread);
}

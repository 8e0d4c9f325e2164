package dev.tilewright.gpu.trace;

/** Something that is watched, from when it was made until it is closed. */
public interface WatchedSpan extends AutoCloseable {

    /** Where nothing records. */
    WatchedSpan NONE = () -> { };

    /** Notes a number that is known in the end: bytes of a cubin. */
    default void bytes(long bytes) { }

    /** Notes an answer that is known in the end: whether it was found, whether it goes on by itself. */
    default void answer(boolean yes) { }

    @Override
    void close();
}

package dev.tilewright.reference.box;

import java.lang.foreign.MemorySegment;
import java.util.function.Function;

/** Hands on rows with the memory that each lies in; every one was looked for before. */
final class RowsInMemory implements RowSink {
    private final TensorMemory memory;
    private final Clip clip;
    private final Function<MemorySegment, RowSink> sinks;
    private final RowSink atHome;

    /** @param sinks take rows of one piece of memory, by their offsets in it */
    RowsInMemory(TensorMemory memory, Clip clip, Function<MemorySegment, RowSink> sinks) {
        this.memory = memory;
        this.clip = clip;
        this.sinks = sinks;
        this.atHome = sinks.apply(memory.home());
    }

    @Override
    public void inside(int row, int rows, long offset, long stride) {
        int bytes = clip.end() - clip.first();
        if (memory.isAtHome(offset + clip.first(), (rows - 1) * stride + bytes)) {
            atHome.inside(row, rows, memory.start() + offset, stride);
            return;
        }
        for (int i = 0; i < rows; i++) {
            TensorMemory.Place place = memory.find(offset + i * stride + clip.first(), bytes);
            RowSink sink = place.memory() == memory.home() ? atHome : sinks.apply(place.memory());
            sink.inside(row + i, 1, place.offset() - clip.first(), stride);
        }
    }

    @Override
    public void outside(int row, int rows) {
        atHome.outside(row, rows);
    }
}

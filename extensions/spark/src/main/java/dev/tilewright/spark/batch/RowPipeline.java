package dev.tilewright.spark.batch;

import dev.tilewright.spark.Nulls;
import dev.tilewright.tile.Tensor;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;

/**
 * Takes rows through a kernel, window by window: while one is computed, the next is packed, and results leave in the
 * order of the rows. Where there is memory for one window alone, they go one after the other.
 *
 * @param <I> a row of the data
 * @param <O> a row of the results
 */
public final class RowPipeline<I, O> implements Iterator<O>, AutoCloseable {
    private static final int MOST_SLOTS = 2;
    /** Bytes of rows that wait for results, with the columns that no kernel sees, for one that is packed. */
    private static final int MOST_KEPT = 4;

    private record Running<I>(Window<I> window, Slot slot, Window<I>.Cursor cursor) { }

    private final Iterator<I> input;
    private final RowFormat<I, O> format;
    private final RowShapes shapes;
    private final Map<String, RowColumn> columns = new HashMap<>();
    private final List<RowColumn> read;
    private final List<RowColumn> written;
    private final Nulls nulls;
    private final long mostBytes;
    private final Slots slots;
    private final Runnable alive;
    private final Deque<Window<I>> waiting = new ArrayDeque<>();
    private final Deque<Running<I>> running = new ArrayDeque<>();
    private final List<Slot> idle = new ArrayList<>();
    private Running<I> leaving;

    /**
     * @param columns one for each tensor that is cut, as declared
     * @param mostBytes of a window, unless one row has more
     * @param alive throws if the task is to end
     */
    public RowPipeline(Iterator<I> input, RowFormat<I, O> format, RowShapes shapes, List<RowColumn> columns,
            Nulls nulls, long mostBytes, Slots slots, Runnable alive) {
        this.input = input;
        this.format = format;
        this.shapes = shapes;
        columns.forEach(column -> this.columns.put(column.tensor(), column));
        this.read = columns.stream().filter(column -> !column.isWritten()).toList();
        this.written = columns.stream().filter(RowColumn::isWritten).toList();
        this.nulls = nulls;
        this.mostBytes = mostBytes;
        this.slots = slots;
        this.alive = alive;
    }

    @Override
    public boolean hasNext() {
        while (leaving == null || !leaving.cursor.hasNext()) {
            if (leaving != null) {
                idle.add(leaving.slot);
                leaving = null;
            }
            fill();
            if (running.isEmpty()) {
                close();
                return false;
            }
            leaving = running.poll();
            leaving.slot.await();
            // What comes next is computed while these results are taken.
            fill();
        }
        return true;
    }

    @Override
    public O next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        return leaving.cursor.next(leaving.slot.memory(), format, written);
    }

    /** Starts windows as long as there are rows and slots. */
    private void fill() {
        while (true) {
            alive.run();
            if (waiting.isEmpty() && input.hasNext()) {
                waiting.add(window());
            }
            if (waiting.isEmpty()) {
                return;
            }
            Optional<Slot> slot = slot(waiting.peek());
            if (slot.isEmpty()) {
                return;
            }
            Window<I> window = waiting.poll();
            running.add(new Running<>(window, slot.get(), window.new Cursor()));
            window.pack(slot.get().memory(), format, read);
            slot.get().start(window.work());
        }
    }

    private int held() {
        return running.size() + idle.size() + (leaving == null ? 0 : 1);
    }

    /** A slot for the next window, or none where the ones before have to leave first. */
    private Optional<Slot> slot(Window<I> window) {
        Optional<Slot> large = idle.stream().filter(slot -> slot.capacity() >= window.bytes()).findFirst();
        large.ifPresent(idle::remove);
        if (large.isPresent()) {
            return large;
        }
        giveIdle();
        if (held() > 0) {
            return held() < MOST_SLOTS ? slots.tryTake(window.bytes()) : Optional.empty();
        }
        while (true) {
            try {
                return Optional.of(slots.take(waiting.peek().bytes()));
            } catch (NoRoomException e) {
                Window<I> whole = waiting.poll();
                if (whole.size() == 1) {
                    throw e;
                }
                waiting.push(whole.half(true, shapes, columns));
                waiting.push(whole.half(false, shapes, columns));
            }
        }
    }

    /** The next rows, as many as a window has. */
    private Window<I> window() {
        List<I> rows = new ArrayList<>();
        List<List<Integer>> lengths = new ArrayList<>();
        long bytes = 0;
        long kept = 0;
        while (bytes < mostBytes && kept / MOST_KEPT < mostBytes && input.hasNext()) {
            I row = format.kept(input.next());
            List<Integer> shape = shape(row);
            rows.add(row);
            kept += format.bytes(row);
            lengths.add(shape);
            // Rows that no kernel sees cost something, too.
            bytes += Long.BYTES;
            if (shape != null) {
                Map<String, Long> extents = shapes.extents(shape);
                for (Tensor tensor : shapes.tensors().cut()) {
                    bytes += shapes.elements(tensor, extents) * columns.get(tensor.name()).type().bytes();
                }
            }
        }
        return new Window<>(rows, lengths, shapes, columns);
    }

    private List<Integer> shape(I row) {
        List<Integer> shape = new ArrayList<>(read.size());
        for (RowColumn column : read) {
            if (format.isNull(row, column)) {
                if (nulls == Nulls.REFUSE) {
                    throw new IllegalArgumentException(Nulls.refusal(column.column(),
                            shapes.tensors().kernel().name()));
                }
                return null;
            }
            shape.add(format.length(row, column));
        }
        return shape;
    }

    private void giveIdle() {
        idle.forEach(slots::give);
        idle.clear();
    }

    /** Gives back all that it holds; what is still computed is waited for. */
    @Override
    public void close() {
        while (!running.isEmpty()) {
            slots.give(running.poll().slot);
        }
        if (leaving != null) {
            slots.give(leaving.slot);
            leaving = null;
        }
        giveIdle();
    }
}

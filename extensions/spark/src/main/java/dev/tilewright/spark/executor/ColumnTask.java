package dev.tilewright.spark.executor;

import dev.tilewright.spark.Requirements;
import dev.tilewright.spark.batch.Group;
import dev.tilewright.spark.batch.RowColumn;
import dev.tilewright.spark.batch.RowShapes;
import dev.tilewright.spark.batch.Slot;
import dev.tilewright.spark.batch.Work;
import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.TaskContext;

/**
 * What a task does whose rows come as columns, each with one number of a row: the device reads them where they lie, and
 * results stay where it left them until the next columns come. One batch at a time; the tasks of an executor overlap.
 */
public final class ColumnTask {
    private static final long ALIGNMENT = 256;

    private final List<RowColumn> columns;
    private final RowShapes shapes;
    private final TaskSlots slots;
    private final Runnable alive;
    private Slot slot;

    /** For the task of this thread; all that it takes is given back when that ends. */
    public ColumnTask(RowTask task) {
        TaskContext context = TaskContext.get();
        Requirements.require();
        DeviceRoom room = ExecutorDevices.of(task, context);
        this.alive = context::killTaskIfInterrupted;
        Resident mapping = room.enter(task, alive);
        this.columns = task.columns();
        this.shapes = mapping.mapping().shapes();
        this.slots = new TaskSlots(room, mapping, shapes, alive);
        context.addTaskCompletionListener(_ -> {
            try {
                giveBack();
            } finally {
                room.leave(task.id());
            }
        });
    }

    /**
     * The kernel's results for these rows, by column; valid until the next call.
     *
     * @param rows at least 1
     * @param sources elements of each column that is read, by tensor
     */
    public Map<String, MemorySegment> results(int rows, Map<String, MemorySegment> sources) {
        alive.run();
        Map<String, Group.Place> places = new HashMap<>();
        long bytes = place(places, 0, rows, false);
        long readBytes = bytes;
        bytes = place(places, bytes, rows, true);
        if (slot == null || slot.capacity() < bytes) {
            giveBack();
            slot = slots.take(bytes);
        }
        Group group = new Group(shapes.extents(Collections.nCopies(sources.size(), 1)), rows, places);
        slot.start(new Work(List.of(group), readBytes, bytes, sources));
        slot.await();
        Map<String, MemorySegment> results = new HashMap<>();
        columns.stream().filter(RowColumn::isWritten).forEach(column -> results.put(column.tensor(),
                slot.memory().asSlice(places.get(column.tensor()).offset(), (long) rows * column.type().bytes())));
        return results;
    }

    private long place(Map<String, Group.Place> places, long from, int rows, boolean written) {
        long at = from;
        for (RowColumn column : columns) {
            if (column.isWritten() == written) {
                places.put(column.tensor(), new Group.Place(at, column.type().bytes()));
                at += Math.ceilDiv((long) rows * column.type().bytes(), ALIGNMENT) * ALIGNMENT;
            }
        }
        return at;
    }

    private void giveBack() {
        if (slot != null) {
            slots.give(slot);
            slot = null;
        }
    }
}

package dev.tilewright.spark.batch;

import dev.tilewright.tile.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Rows that follow each other, and how they lie in one piece of memory: first all that is read, then all that is
 * written, rows of one shape together. A row with nulls has no place.
 *
 * @param <I> a row
 */
final class Window<I> {
    private static final long ALIGNMENT = 256;

    private final List<I> rows;
    private final List<List<Integer>> lengths;
    private final Map<List<Integer>, Group> groups = new LinkedHashMap<>();
    private long bytes;
    private final long readBytes;

    /** @param lengths for each row as {@link RowShapes#extents} takes them; null of one without a place */
    Window(List<I> rows, List<List<Integer>> lengths, RowShapes shapes, Map<String, RowColumn> columns) {
        this.rows = rows;
        this.lengths = lengths;
        Map<List<Integer>, Integer> counts = new LinkedHashMap<>();
        lengths.stream().filter(l -> l != null).forEach(l -> counts.merge(l, 1, Integer::sum));
        counts.forEach((shape, count) -> groups.put(shape, new Group(shapes.extents(shape), count, new HashMap<>())));
        place(shapes, columns, false);
        this.readBytes = bytes;
        place(shapes, columns, true);
    }

    private void place(RowShapes shapes, Map<String, RowColumn> columns, boolean written) {
        for (Group group : groups.values()) {
            for (Tensor tensor : shapes.tensors().cut()) {
                RowColumn column = columns.get(tensor.name());
                if (column.isWritten() == written) {
                    long bytesOfRow = shapes.elements(tensor, group.extents()) * column.type().bytes();
                    group.places().put(tensor.name(), new Group.Place(bytes, bytesOfRow));
                    bytes += Math.ceilDiv(bytesOfRow * group.rows(), ALIGNMENT) * ALIGNMENT;
                }
            }
        }
    }

    /** How many bytes it takes. */
    long bytes() {
        return bytes;
    }

    /** What a slot has to do. */
    Work work() {
        return new Work(List.copyOf(groups.values()), readBytes, bytes, Map.of());
    }

    int size() {
        return rows.size();
    }

    /** The first half of the rows, or the second. */
    Window<I> half(boolean second, RowShapes shapes, Map<String, RowColumn> columns) {
        int middle = rows.size() / 2;
        int from = second ? middle : 0;
        int to = second ? rows.size() : middle;
        return new Window<>(rows.subList(from, to), lengths.subList(from, to), shapes, columns);
    }

    /** Copies what is read of all rows into memory. */
    void pack(MemorySegment memory, RowFormat<I, ?> format, List<RowColumn> read) {
        Map<Group, Integer> next = new IdentityHashMap<>();
        for (int i = 0; i < rows.size(); i++) {
            if (lengths.get(i) != null) {
                Group group = groups.get(lengths.get(i));
                int place = next.merge(group, 1, Integer::sum) - 1;
                for (RowColumn column : read) {
                    format.write(rows.get(i), column, at(memory, group, column, place));
                }
            }
        }
    }

    private static MemorySegment at(MemorySegment memory, Group group, RowColumn column, int place) {
        Group.Place where = group.places().get(column.tensor());
        return memory.asSlice(where.offset() + place * where.bytesOfRow(), where.bytesOfRow());
    }

    /** Gives its rows with their results, one after the other, as they came. */
    final class Cursor {
        private final Map<Group, Integer> next = new IdentityHashMap<>();
        private int row;

        boolean hasNext() {
            return row < rows.size();
        }

        <O> O next(MemorySegment memory, RowFormat<I, O> format, List<RowColumn> written) {
            I from = rows.get(row);
            List<Integer> shape = lengths.get(row++);
            if (shape == null) {
                return format.result(from, null);
            }
            Group group = groups.get(shape);
            int place = next.merge(group, 1, Integer::sum) - 1;
            List<MemorySegment> results = new ArrayList<>(written.size());
            written.forEach(column -> results.add(at(memory, group, column, place)));
            return format.result(from, results);
        }
    }
}

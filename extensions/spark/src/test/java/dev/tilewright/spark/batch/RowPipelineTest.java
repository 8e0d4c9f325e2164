package dev.tilewright.spark.batch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.spark.Kernels;
import dev.tilewright.spark.Nulls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How many rows are under way. */
class RowPipelineTest {
    private static final int BATCH = 1000;
    private static final int ROW = 500;

    /** Rows that are numbers, with something in the heap beside what the kernel reads. */
    private record Heavy(long bytes) implements RowFormat<Integer, Integer> {
        @Override
        public Integer kept(Integer row) {
            return row;
        }

        @Override
        public long bytes(Integer row) {
            return bytes;
        }

        @Override
        public boolean isNull(Integer row, RowColumn column) {
            return false;
        }

        @Override
        public int length(Integer row, RowColumn column) {
            return 1;
        }

        @Override
        public void write(Integer row, RowColumn column, MemorySegment to) { }

        @Override
        public Integer result(Integer row, List<MemorySegment> results) {
            return row;
        }
    }

    /** Computes nothing. */
    private record Idle(MemorySegment memory) implements Slot {
        @Override
        public long capacity() {
            return memory.byteSize();
        }

        @Override
        public void start(Work work) { }

        @Override
        public void await() { }
    }

    private static final class Memory implements Slots {
        @Override
        public Slot take(long bytes) {
            return new Idle(Arena.ofAuto().allocate(bytes));
        }

        @Override
        public Optional<Slot> tryTake(long bytes) {
            return Optional.of(take(bytes));
        }

        @Override
        public void give(Slot slot) { }
    }

    /** How many rows are taken before the first result is there. */
    private static int taken(long bytesOfRow) {
        RowTensors tensors = RowTensors.of(Kernels.SCALARS);
        List<RowColumn> columns = tensors.cut().stream().map(tensor -> new RowColumn(tensor.name(), tensor.name(),
                tensors.types().get(tensor.name()), "cd".contains(tensor.name()), false, 0)).toList();
        AtomicInteger taken = new AtomicInteger();
        Iterator<Integer> rows = IntStream.range(0, 1000).peek(_ -> taken.incrementAndGet()).iterator();
        List<Integer> results = new ArrayList<>();
        try (RowPipeline<Integer, Integer> pipeline = new RowPipeline<>(rows, new Heavy(bytesOfRow), new RowShapes(
                tensors, Map.of()), columns, Nulls.REFUSE, BATCH, new Memory(), () -> { })) {
            results.add(pipeline.next());
            int first = taken.get();
            pipeline.forEachRemaining(results::add);
            assertEquals(IntStream.range(0, 1000).boxed().toList(), results);
            return first;
        }
    }

    @Test
    void wideRowsMakeBatchesShort() {
        // Two numbers read, two written, and what a row takes by itself: 32 bytes.
        int narrow = taken(0);
        int wide = taken(ROW);
        assertTrue(narrow > 60, "rows under way: " + narrow);
        assertTrue(wide * ROW <= 4 * 4 * BATCH, "rows under way: " + wide);
    }
}

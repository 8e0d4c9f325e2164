package dev.tilewright.spark.executor;

import dev.tilewright.spark.batch.RowShapes;
import dev.tilewright.spark.batch.Slot;
import dev.tilewright.spark.batch.Slots;
import dev.tilewright.spark.batch.Work;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** The slots of one task, all for one mapping. */
final class TaskSlots implements Slots {
    private final DeviceRoom room;
    private final Resident mapping;
    private final RowShapes shapes;
    private final Runnable alive;

    TaskSlots(DeviceRoom room, Resident mapping, RowShapes shapes, Runnable alive) {
        this.room = room;
        this.mapping = mapping;
        this.shapes = shapes;
        this.alive = alive;
    }

    @Override
    public Slot take(long bytes) {
        return new TaskSlot(room.take(bytes, alive));
    }

    @Override
    public Optional<Slot> tryTake(long bytes) {
        return room.tryTake(bytes).map(TaskSlot::new);
    }

    @Override
    public void give(Slot slot) {
        TaskSlot own = (TaskSlot) slot;
        try {
            own.slot.await();
        } catch (DeviceException e) {
            // The caller that waits for the results got this error, or the task ends for another reason.
            ExecutorDevices.LOG.debug("work of a task that ends failed", e);
        } finally {
            room.give(own.slot);
        }
    }

    private final class TaskSlot implements Slot {
        private final DeviceSlot slot;

        TaskSlot(DeviceSlot slot) {
            this.slot = slot;
        }

        @Override
        public long capacity() {
            return slot.memory().byteSize();
        }

        @Override
        public MemorySegment memory() {
            return slot.memory();
        }

        @Override
        public void start(Work work) {
            slot.start(mapping, shapes, work);
        }

        @Override
        public void await() {
            slot.await();
        }
    }
}

package dev.tilewright.spark.batch;

import java.util.Optional;

/** Where a task gets slots from. */
public interface Slots {

    /**
     * A slot for windows of so many bytes. It waits until there is memory: only for who holds no other slot.
     *
     * @throws NoRoomException if there will not be so much memory, whoever gives back some
     */
    Slot take(long bytes);

    /** A slot, if there is memory for it now. */
    Optional<Slot> tryTake(long bytes);

    /** Gives back what was taken, whatever became of it. */
    void give(Slot slot);
}

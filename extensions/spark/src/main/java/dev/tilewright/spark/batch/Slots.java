package dev.tilewright.spark.batch;

import java.util.Optional;

/** Where a task gets slots from. */
public interface Slots {

    /**
     * A slot for windows of this many bytes. Waits until there is memory, so the caller must hold no other slot.
     *
     * @throws NoRoomException if the memory would not suffice even if every task gave its slots back
     */
    Slot take(long bytes);

    /** A slot, if there is memory for it now. */
    Optional<Slot> tryTake(long bytes);

    /** Gives back what was taken, whatever became of it. */
    void give(Slot slot);
}

package dev.tilewright.reference;

/** A bulk or tensor copy that was checked when it was started and is carried out later. */
@FunctionalInterface
interface Transfer {
    void carryOut(SharedMemory shared);
}

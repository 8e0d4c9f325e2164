package dev.tilewright.tile.lower;

/** Shared memory has no room for the stages that copies go through. */
final class OutOfStagesException extends IllegalArgumentException {
    OutOfStagesException(String message) {
        super(message);
    }
}

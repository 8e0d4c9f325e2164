package dev.tilewright.tile.lower.layout;

/** Shared memory has no room for the stages that copies go through, or for what threads exchange. */
public final class OutOfStagesException extends IllegalArgumentException {
    public OutOfStagesException(String message) {
        super(message);
    }
}

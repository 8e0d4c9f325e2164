package dev.tilewright.program.expression;

/** A thread is asked to hold more than its registers do: smaller tiles, or more threads, need fewer. */
public final class OutOfRegistersException extends IllegalArgumentException {
    /** @param message what there is, what is asked for, and what would do */
    public OutOfRegistersException(String message) {
        super(message);
    }
}

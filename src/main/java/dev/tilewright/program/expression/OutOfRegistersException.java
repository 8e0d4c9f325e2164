package dev.tilewright.program.expression;

/** A thread is asked to hold more than its registers do: smaller tiles, or more threads, need fewer. */
public final class OutOfRegistersException extends IllegalArgumentException {
    public OutOfRegistersException(String message) {
        super(message);
    }
}

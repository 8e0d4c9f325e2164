package dev.tilewright.program.expression;

/** A thread is asked to hold more than its registers do: smaller tiles, or more threads, need fewer. */
public final class OutOfRegistersException extends IllegalArgumentException {
    /** Of all arrays of a thread's registers at once; 0 where a single one is too large. */
    private final int words;

    /** @param message what there is, what is asked for, and what would do */
    public OutOfRegistersException(String message) {
        this(message, 0);
    }

    /** @param words of 32 bits that the arrays of a thread's registers take together */
    public OutOfRegistersException(String message, int words) {
        super(message);
        this.words = words;
    }

    /** Registers of 32 bits that a thread's arrays take together; 0 where a single one is too large. */
    public int words() {
        return words;
    }
}

package dev.tilewright.spark.batch;

/** There is less memory than a window takes, even when nothing else has any. */
public final class NoRoomException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public NoRoomException(String message) {
        super(message);
    }
}

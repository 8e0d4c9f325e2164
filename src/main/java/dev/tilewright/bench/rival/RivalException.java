package dev.tilewright.bench.rival;

import java.util.Objects;

/** A rival has no answer. The message is one sentence that can stand in a row. */
public final class RivalException extends RuntimeException {

    /** What became of the question. */
    public enum Kind {
        /** It is not there at all. */
        ABSENT,
        /** It is there, and says that it cannot do this. */
        REFUSED,
        /** It did it, and what it made is wrong. */
        WRONG,
        /** It crashed, hung, or said something that is no answer. */
        FAILED
    }

    private final Kind kind;

    RivalException(Kind kind, String message) {
        super(Objects.requireNonNull(message, "message"));
        this.kind = Objects.requireNonNull(kind, "kind");
    }

    /** What became of the question. */
    public Kind kind() {
        return kind;
    }
}

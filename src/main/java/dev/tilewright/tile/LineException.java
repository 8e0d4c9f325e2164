package dev.tilewright.tile;

import java.util.Objects;

/** What a kernel says at a line of the application's source cannot be had. */
public final class LineException extends IllegalArgumentException {
    private final String reason;

    /**
     * @param reason the message but for the line
     * @param line such as {@code Gemm.java:17}
     */
    public LineException(String reason, String line) {
        super(Objects.requireNonNull(reason, "reason") + " (at " + Objects.requireNonNull(line, "line") + ")");
        this.reason = reason;
    }

    /** The message but for the line. */
    public String reason() {
        return reason;
    }
}

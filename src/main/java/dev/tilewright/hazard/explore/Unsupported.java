package dev.tilewright.hazard.explore;

/** A program has something that the explorer does not know. */
public final class Unsupported extends RuntimeException {
    private static final long serialVersionUID = 1;

    Unsupported(String what) {
        super(what);
    }
}

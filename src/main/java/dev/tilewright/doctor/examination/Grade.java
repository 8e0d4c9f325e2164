package dev.tilewright.doctor.examination;

import java.util.Locale;

/** What is to be thought of a fact, from the best on. */
public enum Grade {
    /** As it should be. */
    OK,
    /** Works, and is worth knowing. */
    NOTE,
    /** Is not there. */
    LACK,
    /** Is there, and does not work. */
    BROKEN;

    /** {@code ok}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}

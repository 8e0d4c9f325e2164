package dev.tilewright;

import java.util.regex.Pattern;

/** The lines of the application's source that a refusal names. */
public final class Lines {
    private static final Pattern LINES = Pattern.compile(" \\(at \\w+\\.java:\\d+( and \\w+\\.java:\\d+)*\\)");

    private Lines() {
    }

    /** A message without them. */
    public static String without(String message) {
        return LINES.matcher(message).replaceAll("");
    }

    /** Whether a message names one. */
    public static boolean any(String message) {
        return LINES.matcher(message).find();
    }
}

package dev.tilewright.program;

/** Messages without the line of Java that they end in, so that tests can compare whole ones. */
public final class JavaLines {
    private JavaLines() {
    }

    /** The message with {@code (step: purpose)} in place of {@code (step: purpose, added at File.java:17)}. */
    public static String without(String message) {
        return message.replaceAll(", added at \\w+\\.java:\\d+\\)", ")");
    }
}

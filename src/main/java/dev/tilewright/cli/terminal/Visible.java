package dev.tilewright.cli.terminal;

import java.util.HexFormat;

/** Text that others wrote, as a terminal may show it: what would steer the terminal is written out. */
public final class Visible {
    private Visible() { }

    /** The text in which control characters, line breaks and tabs apart, are their number: {@code \}{@code u001b}. */
    public static String lines(String text) {
        return visible(text, true);
    }

    /** The text on one line: control characters, line breaks and tabs are their number. */
    public static String line(String text) {
        return visible(text, false);
    }

    private static boolean isShown(char c, boolean breaks) {
        return switch (Character.getType(c)) {
            case Character.CONTROL -> breaks && (c == '\n' || c == '\t');
            // Marks that turn the order of what follows, and separators that some terminals break lines at.
            case Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> false;
            default -> true;
        };
    }

    private static String visible(String text, boolean breaks) {
        if (text.chars().allMatch(c -> isShown((char) c, breaks))) {
            return text;
        }
        StringBuilder visible = new StringBuilder();
        for (char c : text.toCharArray()) {
            if (isShown(c, breaks)) {
                visible.append(c);
            } else {
                visible.append("\\u").append(HexFormat.of().toHexDigits(c));
            }
        }
        return visible.toString();
    }
}

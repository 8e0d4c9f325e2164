package dev.tilewright.tuning;

import java.util.Objects;
import java.util.regex.Pattern;

/** What may stand in a field of a table: nothing that would end the field or the line. */
final class FieldText {
    private static final Pattern WORD = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.+-]*");
    /** Printable, without the sign between fields and without spaces at the ends. */
    private static final Pattern TEXT = Pattern.compile(
            "(?U)[\\p{Graph}&&[^|#]]([\\p{Print}&&[^|]]*[\\p{Graph}&&[^|]])?");
    private static final int LONGEST = 120;

    private FieldText() { }

    /** Refuses what is not letters, digits and _ . + - alone. */
    static String require(String what, String text) {
        Objects.requireNonNull(text, what);
        if (!WORD.matcher(text).matches() || text.length() > LONGEST) {
            throw new IllegalArgumentException(what + " is a word of letters, digits, '.', '_', '+' and '-', got '"
                    + shown(text) + "'");
        }
        return text;
    }

    /** Refuses what is empty, has a '|', begins with a '#' or would not be read back as it is written. */
    static String requireText(String what, String text) {
        Objects.requireNonNull(text, what);
        if (!TEXT.matcher(text).matches() || text.length() > LONGEST) {
            throw new IllegalArgumentException(what + " is printable text without '|', of at most " + LONGEST
                    + " characters, got '" + shown(text) + "'");
        }
        return text;
    }

    /** What was read, as far as a sentence can show it. */
    static String shown(String text) {
        int end = text.offsetByCodePoints(0, Math.min(60, text.codePointCount(0, text.length())));
        return printable(text.substring(0, end)) + (end < text.length() ? "..." : "");
    }

    /** The text without what would not be printed as itself. */
    static String printable(String text) {
        StringBuilder shown = new StringBuilder();
        text.codePoints().forEach(c -> {
            if (Character.isISOControl(c) || Character.getType(c) == Character.FORMAT
                    || Character.getType(c) == Character.SURROGATE) {
                shown.append(String.format("\\u%04x", c));
            } else {
                shown.appendCodePoint(c);
            }
        });
        return shown.toString();
    }
}

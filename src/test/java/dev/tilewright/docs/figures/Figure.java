package dev.tilewright.docs.figures;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A number in a text that says how something came out, with the place where it stands.
 *
 * @param text the digits as printed, or words that claim that there was none
 * @param at where it begins in the block's text
 * @param word the word before it, such as "about"
 */
record Figure(String text, int at, String word) {
    private static final String NUMBER = "\\d{1,3}(?:,\\d{3})+(?:\\.\\d+)?|\\d+(?:\\.\\d+)?";
    private static final Pattern NONE = Pattern.compile(
            "\\b(?:none (?:failed|was wrong|is missed|spills)|without a (?:wrong byte|difference)|no wrong byte)\\b");
    private static final Pattern CODE = Pattern.compile("`[^`]*`");
    private static final Pattern LINK = Pattern.compile("\\]\\([^)]*\\)");
    /** A number that is no part of a name: f32, sm_90, 2-D, 2^27, 128B and 16x512 are names. */
    private static final Pattern CANDIDATE = Pattern.compile(
            "(?<![\\w^.,_/#-])(" + NUMBER + ")(?:(?![\\w^]|-[A-Za-z]|,\\d|\\.\\d)|(?=x\\b))");
    /** A unit of measurement behind a number, or behind others that follow it. */
    private static final Pattern UNIT = Pattern.compile("(?:(?:,|;| to| and| or| \\([^)]*\\))* (?:" + NUMBER
            + "))*(?:x\\b| ?(?:[GMT]B/s|TFLOP/s|[mnµ]?s\\b|%|times\\b(?! the)|million\\b))");
    /** What a version, a section or a member of a series is called. */
    private static final Pattern NAMED = Pattern.compile(
            "\\b(?:Apache|JEP|capability|JDK|Java|JUnit|CUDA|NVRTC|PTX|ISA|ptxas|driver|sections?|chapter|phase|codes?"
                    + "|(?:ends|exits) with) (?:(?:" + NUMBER + ")(?:, |,? and |,? or | to ))*$");
    private static final Pattern LAST_WORD = Pattern.compile("(\\w+) $");
    private static final Pattern SHAPE_BEFORE = Pattern.compile("\\d (?:x|×|by) $");
    /** As much of the text before a number as decides about it. */
    private static final int BEFORE = 160;
    private static final Pattern SHAPE_BEHIND = Pattern.compile(" (?:x|×|by) \\d");

    /** The figures of a text in Markdown; code and addresses of links have none. */
    static List<Figure> of(String markdown) {
        String text = blank(blank(markdown, CODE), LINK);
        List<Figure> figures = new ArrayList<>();
        Matcher none = NONE.matcher(text);
        while (none.find()) {
            figures.add(new Figure(none.group(), none.start(), ""));
        }
        Matcher candidate = CANDIDATE.matcher(text);
        while (candidate.find()) {
            String before = text.substring(Math.max(0, candidate.start() - BEFORE), candidate.start());
            String behind = text.substring(candidate.end(1));
            if (UNIT.matcher(behind).lookingAt() || !isSetting(candidate.group(1), before, behind)) {
                Matcher word = LAST_WORD.matcher(before);
                figures.add(new Figure(candidate.group(1), candidate.start(), word.find() ? word.group(1) : ""));
            }
        }
        return figures;
    }

    private static String blank(String text, Pattern what) {
        return what.matcher(text).replaceAll(m -> "`".repeat(m.group().length()));
    }

    /**
     * A number that says what was looked at, not what was seen: small ones and powers of two without a unit of
     * measurement, shapes, versions.
     */
    private static boolean isSetting(String number, String before, String behind) {
        if (SHAPE_BEFORE.matcher(before).find() || SHAPE_BEHIND.matcher(behind).lookingAt()
                || !number.contains(",") && NAMED.matcher(before).find()) {
            return true;
        }
        if (number.contains(".")) {
            return false;
        }
        long value = Long.parseLong(number.replace(",", ""));
        return value <= 16 || Long.bitCount(value) == 1;
    }

    /** Whether this is how a value is printed: rounded to as many decimals, or, behind "about", near it. */
    boolean prints(double value) {
        if (!Character.isDigit(text.charAt(0))) {
            return value == 0;
        }
        BigDecimal printed = new BigDecimal(text.replace(",", ""));
        switch (word) {
            case "about", "some", "nearly", "almost", "around":
                return Math.abs(value - printed.doubleValue()) <= 0.1 * printed.doubleValue();
            case "over":
                return value >= printed.doubleValue() && value <= 1.2 * printed.doubleValue();
            default:
                BigDecimal exact = new BigDecimal(Double.toString(value));
                return exact.setScale(printed.scale(), RoundingMode.HALF_UP).compareTo(printed) == 0
                        || exact.setScale(printed.scale(), RoundingMode.HALF_DOWN).compareTo(printed) == 0;
        }
    }
}

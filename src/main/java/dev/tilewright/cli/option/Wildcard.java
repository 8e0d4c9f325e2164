package dev.tilewright.cli.option;

import dev.tilewright.BadRequestException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A pattern as shells have them, upper and lower case alike: {@code *} stands for any text, {@code ?} for one
 * character, {@code {a,b}} for one of several texts. Matching takes time in proportion to pattern and text, whatever
 * the pattern is.
 */
public final class Wildcard {
    /** The most texts that a pattern's braces stand for. */
    private static final int MOST = 1000;
    /** Braces with none inside them. */
    private static final Pattern BRACES = Pattern.compile("\\{([^{}]*)}");

    private final List<String> alternatives;

    private Wildcard(List<String> alternatives) {
        this.alternatives = alternatives;
    }

    /** @throws BadRequestException if a brace is alone, or the braces stand for too many texts */
    public static Wildcard of(String pattern) {
        List<String> alternatives = new ArrayList<>(List.of(pattern.toLowerCase(Locale.ROOT)));
        for (int i = 0; i < alternatives.size();) {
            Matcher braces = BRACES.matcher(alternatives.get(i));
            if (braces.find()) {
                String whole = alternatives.remove(i);
                for (String choice : braces.group(1).split(",", -1)) {
                    alternatives.add(whole.substring(0, braces.start()) + choice + whole.substring(braces.end()));
                }
            } else if (alternatives.get(i).matches(".*[{}].*")) {
                throw new BadRequestException("a brace of the pattern '" + pattern + "' has no other");
            } else {
                i++;
            }
            if (alternatives.size() > MOST) {
                throw new BadRequestException("the braces of a pattern may stand for at most " + MOST + " texts");
            }
        }
        return new Wildcard(List.copyOf(alternatives));
    }

    /** Only {@code *} is more than itself. */
    public static Wildcard ofStars(String pattern) {
        return new Wildcard(List.of(pattern.toLowerCase(Locale.ROOT).replace('?', '\0')));
    }

    /** Whether the pattern stands for the whole text. */
    public boolean matches(String text) {
        String lower = text.toLowerCase(Locale.ROOT);
        return alternatives.stream().anyMatch(p -> matches(p, lower));
    }

    /** Whether the pattern stands for the text up to one of its qualifiers, which begin with a point or two colons. */
    public boolean matchesUpToQualifier(String text) {
        String lower = text.toLowerCase(Locale.ROOT);
        return matches(text) || alternatives.stream().anyMatch(p -> matches(p + ".*", lower)
                || matches(p + "::*", lower));
    }

    /** A star takes no more than it must; where the rest fails, the last star takes one character more. */
    private static boolean matches(String pattern, String text) {
        int p = 0;
        int star = -1;
        int taken = 0;
        int t = 0;
        while (t < text.length()) {
            char c = p < pattern.length() ? pattern.charAt(p) : '\0';
            if (c == '*') {
                star = p++;
                taken = t;
            } else if (p < pattern.length() && (c == '?' || c == text.charAt(t))) {
                p++;
                t++;
            } else if (star >= 0) {
                p = star + 1;
                t = ++taken;
            } else {
                return false;
            }
        }
        while (p < pattern.length() && pattern.charAt(p) == '*') {
            p++;
        }
        return p == pattern.length();
    }
}

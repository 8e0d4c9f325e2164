package dev.tilewright.emit;

import java.util.ArrayList;
import java.util.List;

/**
 * Breaks a line of C++ that is too long: where the fewest brackets are open, after a comma or the like if there is one,
 * else before another operator, of which an assignment is one only where that is enough; a comment between words. What
 * follows is indented by two levels more. Where no such place lies within the width, the line is broken at the first
 * one after it; a line without any stays as it is.
 */
final class LineBreaks {
    /** The longest line, in columns. */
    static final int WIDTH = 119;
    private static final String FURTHER = "        ";
    private static final String COMMENT = "//";
    private static final List<String> BEFORE = List.of(" + ", " - ", " * ", " ? ", " && ");
    private static final String ASSIGNMENT = " = ";

    private LineBreaks() {
    }

    /** The lines, each with its indentation. @param text without it; several lines of it stay several */
    static List<String> of(String text, String indent) {
        List<String> lines = new ArrayList<>();
        for (String line : text.split("\n", -1)) {
            add(lines, line.isEmpty() ? "" : lines.isEmpty() ? indent + line : line);
        }
        return lines;
    }

    private static void add(List<String> lines, String line) {
        if (line.length() <= WIDTH) {
            lines.add(line);
            return;
        }
        boolean comment = line.stripLeading().startsWith(COMMENT);
        String indent = line.substring(0, line.length() - line.stripLeading().length());
        String further = indent + (comment ? COMMENT + " " : FURTHER);
        String rest = line;
        while (rest.length() > WIDTH) {
            int at = comment ? blank(rest, further) : best(rest, further);
            if (at < 0) {
                break;
            }
            lines.add(rest.substring(0, at).stripTrailing());
            rest = further + rest.substring(at).stripLeading();
        }
        lines.add(rest);
    }

    /** The last blank within the width, or else the first one after it, and behind the indentation; -1 for none. */
    private static int blank(String line, String further) {
        int at = line.lastIndexOf(' ', WIDTH);
        return at > further.length() ? at : line.indexOf(' ', Math.max(WIDTH, further.length() + 1));
    }

    /**
     * A place to break code at, and how good it is.
     *
     * @param brackets that are open there
     * @param weak before an operator
     */
    private record Place(int at, int brackets, boolean weak) {
        boolean isAtLeastAsGoodAs(Place other) {
            return other == null || brackets < other.brackets || brackets == other.brackets && (!weak || other.weak);
        }
    }

    /** The last of the best places within the width, or else the first one after it; -1 for none. */
    private static int best(String line, String further) {
        Place best = null;
        int open = 0;
        boolean quoted = false;
        for (int i = 0; i < line.length() && (i < WIDTH || best == null); i++) {
            char c = line.charAt(i);
            if (c == '"') {
                quoted = !quoted;
            } else if (!quoted) {
                if (line.startsWith(COMMENT, i)) {
                    break;
                }
                open += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
                int here = i;
                if (c != ' ' || i <= further.length()) {
                    continue;
                }
                boolean weak = BEFORE.stream().anyMatch(o -> line.startsWith(o, here))
                        || line.startsWith(ASSIGNMENT, i) && further.length() + line.length() - i - 1 <= WIDTH;
                if (weak || isEnd(line, i) || isColon(line, i)) {
                    Place place = new Place(i + 1, open, weak);
                    best = place.isAtLeastAsGoodAs(best) ? place : best;
                }
            }
        }
        return best == null ? -1 : best.at;
    }

    /** Whether a colon follows a blank, the first where several do. */
    private static boolean isColon(String line, int blank) {
        return line.startsWith(" : ", blank) && line.charAt(blank - 1) != ':';
    }

    /** Whether something ends before a blank: an argument, a part of a loop's head, one of several literals. */
    private static boolean isEnd(String line, int blank) {
        return switch (line.charAt(blank - 1)) {
            case ',', ';' -> true;
            case '"' -> line.startsWith("\"", blank + 1);
            default -> false;
        };
    }
}

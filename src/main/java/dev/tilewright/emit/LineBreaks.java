package dev.tilewright.emit;

import java.util.ArrayList;
import java.util.List;

/**
 * Breaks a line of C++ that is too long: after a comma, a semicolon or an equals sign, or before another operator or a colon,
 * where the fewest brackets are open; a comment between words. What follows is indented by two levels more. A line without such a place stays as it is.
 */
final class LineBreaks {
    /** The longest line, in columns. */
    static final int WIDTH = 119;
    private static final String FURTHER = "        ";
    private static final List<String> BEFORE = List.of(" + ", " - ", " ? ", " : ", " && ");

    private LineBreaks() {
    }

    /** The lines, each with its indentation. @param text without it; several lines of it stay several */
    static List<String> of(String text, String indent) {
        List<String> lines = new ArrayList<>();
        for (String line : text.split("\n", -1)) {
            add(lines, line.isEmpty() ? "" : lines.isEmpty() ? indent + line : line, indent);
        }
        return lines;
    }

    private static void add(List<String> lines, String line, String indent) {
        String rest = line;
        String further = indent + (line.stripLeading().startsWith("//") ? "// " : FURTHER);
        while (rest.length() > WIDTH) {
            int at = line.stripLeading().startsWith("//") ? lastBlank(rest, further) : best(rest, further);
            if (at < 0) {
                break;
            }
            lines.add(rest.substring(0, at).stripTrailing());
            rest = further + rest.substring(at).stripLeading();
        }
        lines.add(rest);
    }

    private static int lastBlank(String line, String further) {
        int at = line.lastIndexOf(' ', WIDTH);
        return at > further.length() ? at : -1;
    }

    /** The last place at which the fewest brackets are open; -1 for none. */
    private static int best(String line, String further) {
        int best = -1;
        int fewest = Integer.MAX_VALUE;
        int open = 0;
        boolean quoted = false;
        for (int i = 0; i < Math.min(line.length(), WIDTH); i++) {
            char c = line.charAt(i);
            if (c == '"') {
                quoted = !quoted;
            } else if (!quoted) {
                open += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
                if (i > further.length() && open <= fewest && mayBreak(line, i)) {
                    fewest = open;
                    best = i + 1;
                }
            }
        }
        return best;
    }

    /** Whether the line may be broken behind this blank. */
    private static boolean mayBreak(String line, int i) {
        return line.charAt(i) == ' ' && (line.charAt(i - 1) == ',' || line.charAt(i - 1) == ';' || line.startsWith(" =", i - 2)
                || BEFORE.stream().anyMatch(o -> line.startsWith(o, i)));
    }
}

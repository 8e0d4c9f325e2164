package dev.tilewright.emit;

/** Text with indentation: lines, broken where they would be too long, and blocks in braces. */
final class CodeWriter {
    private final StringBuilder out = new StringBuilder();
    private int depth;
    private int lines;

    /** One line; an empty one carries no blanks. */
    CodeWriter line(String text) {
        for (String part : LineBreaks.of(text, "    ".repeat(depth))) {
            out.append(part).append('\n');
            lines++;
        }
        return this;
    }

    /** {@code head {}, the lines that {@code body} writes, and the closing brace with what follows it. */
    CodeWriter block(String head, Runnable body, String tail) {
        return line(head + " {").indented(body).line("}" + tail);
    }

    /** The lines that {@code body} writes, one level deeper. */
    CodeWriter indented(Runnable body) {
        depth++;
        body.run();
        depth--;
        return this;
    }

    CodeWriter block(String head, Runnable body) {
        return block(head, body, "");
    }

    /** How many lines there are so far. */
    int lines() {
        return lines;
    }

    @Override
    public String toString() {
        return out.toString();
    }
}

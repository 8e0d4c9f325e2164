package dev.tilewright.explain.picture;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A drawing, written element by element: places and sizes are pixels from the upper left corner. It follows the
 * reader's theme, light or dark, and stands alone or within a page.
 */
public final class Svg {
    /** How wide a drawing may be whose letters are still read where a page of 400 pixels shows it. */
    public static final int WIDE = 392;
    /** From one line of text to the next. */
    public static final int LINE = 15;
    /** The width of ten letters. */
    private static final int TEN_LETTERS = 73;

    private static final String HEAD = """
            <defs><marker id="head" markerWidth="8" markerHeight="8" refX="7" refY="4" orient="auto">\
            <path class="head" d="M0 1 7 4 0 7z"/></marker></defs>
            """;

    private final int width;
    private final int height;
    private final String title;
    private final StringBuilder body = new StringBuilder();

    /** @param title what the picture shows, for those who do not see it */
    public Svg(int width, int height, String title) {
        this.width = width;
        this.height = height;
        this.title = title;
    }

    /** A filled rectangle. @param says what it says under the pointer; empty for nothing */
    public Svg box(Hue hue, int x, int y, int wide, int high, String says) {
        body.append(String.format(Locale.ROOT, "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"",
                hue.style(), x, y, wide, high));
        body.append(says.isEmpty() ? "/>\n" : "><title>" + escape(says) + "</title></rect>\n");
        return this;
    }

    /** Text that begins at x, on the base line y. */
    public Svg text(int x, int y, String text) {
        return text("", x, y, text);
    }

    /** Text that ends at x. */
    public Svg textEnding(int x, int y, String text) {
        return text(" class=\"end\"", x, y, text);
    }

    /** Text around x. */
    public Svg textAround(int x, int y, String text) {
        return text(" class=\"mid\"", x, y, text);
    }

    /** Text of less weight, such as a note beside what is drawn. */
    public Svg note(int x, int y, String text) {
        return text(" class=\"note\"", x, y, text);
    }

    private Svg text(String style, int x, int y, String text) {
        body.append("<text").append(style).append(" x=\"").append(x).append("\" y=\"").append(y).append("\">")
                .append(escape(text)).append("</text>\n");
        return this;
    }

    /** How wide a text is. */
    public static int wide(String text) {
        return Math.ceilDiv(text.length() * TEN_LETTERS, 10);
    }

    /** A text in lines that are no wider than this; a word that is wider is broken. */
    public static List<String> lines(String text, int wide) {
        int most = Math.max(4, wide * 10 / TEN_LETTERS);
        List<String> lines = new ArrayList<>();
        String rest = text;
        while (rest.length() > most) {
            int space = rest.lastIndexOf(' ', most);
            int end = space > 0 ? space : most;
            lines.add(rest.substring(0, end));
            rest = rest.substring(space > 0 ? end + 1 : end);
        }
        lines.add(rest);
        return lines;
    }

    /** Lines of text below each other, the first on the base line y. */
    public Svg texts(int x, int y, List<String> lines) {
        for (int i = 0; i < lines.size(); i++) {
            text(x, y + i * LINE, lines.get(i));
        }
        return this;
    }

    /** Lines of less weight below each other, the first on the base line y. */
    public Svg notes(int x, int y, List<String> lines) {
        for (int i = 0; i < lines.size(); i++) {
            note(x, y + i * LINE, lines.get(i));
        }
        return this;
    }

    /** A line without an end of its own. */
    public Svg line(int x1, int y1, int x2, int y2) {
        body.append(String.format(Locale.ROOT, "<path class=\"rule\" d=\"M%d %dL%d %d\"/>\n", x1, y1, x2, y2));
        return this;
    }

    /** An arrow that leaves and arrives sideways. @param bend how far its curve reaches to the right, or left */
    public Svg arrow(int x1, int y1, int x2, int y2, int bend) {
        body.append(String.format(Locale.ROOT, "<path class=\"arrow\" marker-end=\"url(#head)\" "
                + "d=\"M%d %dC%d %d %d %d %d %d\"/>\n", x1, y1, x1 + bend, y1, x2 + bend, y2, x2, y2));
        return this;
    }

    /** An arrow straight on. */
    public Svg straight(int x1, int y1, int x2, int y2) {
        body.append(String.format(Locale.ROOT, "<path class=\"arrow\" marker-end=\"url(#head)\" d=\"M%d %dL%d %d\"/>\n",
                x1, y1, x2, y2));
        return this;
    }

    /** The picture as a file of its own, or as part of a page. */
    @Override
    public String toString() {
        return String.format(Locale.ROOT, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                + "viewBox=\"0 0 %d %d\" role=\"img\" font-family=\"ui-monospace, monospace\" font-size=\"12\">\n",
                width, height, width, height) + "<title>" + escape(title) + "</title>\n<style>\n" + theme(false)
                + "@media (prefers-color-scheme: dark) {\n" + theme(true) + "}\n"
                + ".end { text-anchor: end; } .mid { text-anchor: middle; }\n"
                + ".arrow, .rule { fill: none; } rect { stroke-width: 1; }\n</style>\n" + HEAD
                + "<rect class=\"page\" width=\"" + width + "\" height=\"" + height + "\"/>\n" + body + "</svg>\n";
    }

    private static String theme(boolean isDark) {
        String strong = isDark ? Hue.DARK_TEXT : Hue.LIGHT_TEXT;
        String weak = isDark ? "#b8bec6" : "#4d5561";
        StringBuilder css = new StringBuilder();
        css.append("text { fill: ").append(strong).append("; } .note { fill: ").append(weak).append("; }\n");
        css.append(".arrow { stroke: ").append(strong).append("; } .head { fill: ").append(strong)
                .append("; } .rule { stroke: ").append(weak).append("; }\n");
        css.append("rect { stroke: ").append(weak).append("; } .page { fill: ").append(Hue.PLAIN.fill(isDark))
                .append("; stroke: none; }\n");
        for (Hue hue : Hue.values()) {
            css.append('.').append(hue.style()).append(" { fill: ").append(hue.fill(isDark)).append("; }\n");
        }
        return css.toString();
    }

    /** Text as it has to stand between or within tags. */
    static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;");
    }
}

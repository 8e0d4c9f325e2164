package dev.tilewright.explain.picture;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Pictures and text as one HTML file that asks for nothing else.
 *
 * @param title of the page
 * @param parts one below the other
 */
public record PicturePage(String title, List<Part> parts) {
    private static final String STYLE = """
            :root { color-scheme: light dark; }
            body { margin: 1.5rem auto; max-width: 90rem; padding: 0 1rem; font: 16px/1.5 system-ui, sans-serif; \
            color: #1b1b1b; background: #ffffff; }
            h1 { font-size: 1.4rem; overflow-wrap: anywhere; } h2 { font-size: 1.1rem; margin: 1.5rem 0 .5rem; }
            .wide { overflow-x: auto; } pre, .pair { font: 13px/1.4 ui-monospace, monospace; margin: 0; }
            .wide svg { max-width: 100%; height: auto; }
            .row { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: 1rem; }
            .pair { display: grid; grid-template-columns: minmax(0, 2fr) minmax(0, 3fr); gap: 0 1rem; }
            .pair div { overflow-wrap: anywhere; white-space: pre-wrap; padding-left: 3.2rem; text-indent: -3.2rem; }
            .facts div { font: 13px/1.4 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; \
            padding-left: 10ch; text-indent: -10ch; }
            .pair b { font-weight: 400; color: #4d5561; }
            .pair[tabindex]:hover { background: #eef3ff; }
            .pair[tabindex]:focus, .pair:target { background: #d5e2ff; outline: 1px solid #4d5561; }
            .pair:target { scroll-margin-top: 4rem; }
            @media (max-width: 60rem) {
              .row, .pair { grid-template-columns: minmax(0, 1fr); } .pair { padding: .2rem 0; }
            }
            @media (prefers-color-scheme: dark) {
              body { color: #f2f2f2; background: #101418; } .pair b { color: #b8bec6; }
              .pair[tabindex]:hover { background: #1a2434; }
              .pair[tabindex]:focus, .pair:target { background: #22344f; outline-color: #b8bec6; }
            }
            """;
    /** Arrows go from one step to the next. */
    private static final String KEYS = """
            <script>
            addEventListener('keydown', event => {
              const row = document.activeElement.closest('.pair[tabindex]');
              const way = { ArrowDown: 'nextElementSibling', ArrowUp: 'previousElementSibling' }[event.key];
              if (!row || !way) return;
              let next = row[way];
              while (next && !next.matches('.pair[tabindex]')) next = next[way];
              if (next) { next.focus(); event.preventDefault(); }
            });
            </script>
            """;
    /** Lines without a step that are shown before a reader asks for them. */
    private static final int MOST_OPEN = 12;
    private static final Pattern STEP = Pattern.compile("\\bsteps? (\\d+)");

    /** What stands on the page. */
    public sealed interface Part { }

    /** Sentences. */
    public record Words(List<String> paragraphs) implements Part {
        public Words {
            paragraphs = List.copyOf(paragraphs);
        }
    }

    /** A drawing under a heading. */
    public record Drawing(String heading, Svg picture) implements Part { }

    /** Facts under a heading, a line each, whose first {@value #LABEL} letters are a label or nothing. */
    public record Facts(String heading, List<String> lines) implements Part {
        private static final int LABEL = 10;

        public Facts {
            lines = List.copyOf(lines);
        }
    }

    /** Lines as a terminal shows them, under a heading. */
    public record Listing(String heading, List<String> lines) implements Part {
        public Listing {
            lines = List.copyOf(lines);
        }
    }

    /** Two parts side by side, or below each other where there is no room. */
    public record Beside(Part left, Part right) implements Part { }

    /** A program's steps, each beside its lines of source; other parts' words {@code step 5} lead there. */
    public record Steps(String heading, List<Pair> pairs) implements Part {
        public Steps {
            pairs = List.copyOf(pairs);
        }
    }

    /**
     * A step beside its lines.
     *
     * @param step its number; 0 for lines that belong to no step
     * @param text what it does
     * @param first the number of its first line
     */
    public record Pair(int step, String text, int first, List<String> lines) {
        public Pair {
            lines = List.copyOf(lines);
        }
    }

    public PicturePage {
        parts = List.copyOf(parts);
    }

    /** The file. */
    @Override
    public String toString() {
        Set<Integer> steps = new HashSet<>();
        parts.forEach(part -> {
            if (part instanceof Steps(String _, List<Pair> pairs)) {
                pairs.forEach(pair -> steps.add(pair.step));
            }
        });
        StringBuilder page = new StringBuilder("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                + "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                + "<link rel=\"icon\" href=\"data:,\">\n<title>" + Svg.escape(title) + "</title>\n<style>\n" + STYLE
                + "</style>\n</head>\n<body>\n<h1>" + Svg.escape(title) + "</h1>\n");
        parts.forEach(part -> add(page, part, steps));
        return page.append(steps.isEmpty() ? "" : KEYS).append("</body>\n</html>\n").toString();
    }

    private static void add(StringBuilder page, Part part, Set<Integer> steps) {
        switch (part) {
            case Words(List<String> paragraphs) ->
                    paragraphs.forEach(p -> page.append("<p>").append(Svg.escape(p)).append("</p>\n"));
            case Drawing(String heading, Svg picture) -> {
                heading(page, heading);
                page.append("<div class=\"wide\">\n").append(picture).append("</div>\n");
            }
            case Listing(String heading, List<String> lines) -> {
                heading(page, heading);
                page.append("<div class=\"wide\" tabindex=\"0\"><pre>");
                lines.forEach(line -> page.append(linked(Svg.escape(line), steps)).append('\n'));
                page.append("</pre></div>\n");
            }
            case Facts(String heading, List<String> lines) -> {
                heading(page, heading);
                page.append("<div class=\"facts\">\n");
                lines.forEach(line -> page.append("<div>").append(linked(Svg.escape(line), steps)).append("</div>\n"));
                page.append("</div>\n");
            }
            case Beside(Part left, Part right) -> {
                page.append("<div class=\"row\">\n<div>\n");
                add(page, left, steps);
                page.append("</div>\n<div>\n");
                add(page, right, steps);
                page.append("</div>\n</div>\n");
            }
            case Steps(String heading, List<Pair> pairs) -> {
                heading(page, heading);
                page.append("<div>\n");
                pairs.forEach(pair -> pair(page, pair));
                page.append("</div>\n");
            }
        }
    }

    private static String linked(String line, Set<Integer> steps) {
        return STEP.matcher(line).replaceAll(step -> steps.contains(Integer.valueOf(step.group(1)))
                ? "<a href=\"#step-" + step.group(1) + "\">" + step.group() + "</a>" : step.group());
    }

    private static void pair(StringBuilder page, Pair pair) {
        page.append("<div class=\"pair\"").append(pair.step == 0 ? "" : " id=\"step-" + pair.step
                + "\" tabindex=\"0\"").append("><section>");
        if (pair.step > 0) {
            page.append("<div>").append(numbered(pair.step, pair.text)).append("</div>");
        }
        page.append("</section><section>");
        boolean folded = pair.step == 0 && pair.lines.size() > MOST_OPEN;
        page.append(folded ? "<details><summary>lines " + pair.first + " to " + (pair.first + pair.lines.size() - 1)
                + "</summary>" : "");
        for (int i = 0; i < pair.lines.size(); i++) {
            page.append("<div>").append(numbered(pair.first + i, pair.lines.get(i))).append("</div>");
        }
        page.append(folded ? "</details>" : "").append("</section></div>\n");
    }

    private static String numbered(int number, String text) {
        return String.format("<b>%4d</b>  %s", number, Svg.escape(text));
    }

    private static void heading(StringBuilder page, String heading) {
        if (!heading.isEmpty()) {
            page.append("<h2>").append(Svg.escape(heading)).append("</h2>\n");
        }
    }
}

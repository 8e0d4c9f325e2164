package dev.tilewright.explain.picture;

import java.util.List;

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
            h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin: 1.5rem 0 .5rem; }
            .wide { overflow-x: auto; } pre { font: 13px/1.4 ui-monospace, monospace; margin: 0; }
            .row { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 1rem; }
            @media (max-width: 60rem) { .row { grid-template-columns: minmax(0, 1fr); } }
            @media (prefers-color-scheme: dark) { body { color: #f2f2f2; background: #101418; } }
            """;

    /** What stands on the page. */
    public sealed interface Part {
    }

    /** Sentences. */
    public record Words(List<String> paragraphs) implements Part {
        public Words {
            paragraphs = List.copyOf(paragraphs);
        }
    }

    /** A drawing under a heading. */
    public record Drawing(String heading, Svg picture) implements Part {
    }

    /** Lines as a terminal shows them, under a heading. */
    public record Listing(String heading, List<String> lines) implements Part {
        public Listing {
            lines = List.copyOf(lines);
        }
    }

    /** Two listings side by side. */
    public record Beside(Listing left, Listing right) implements Part {
    }

    public PicturePage {
        parts = List.copyOf(parts);
    }

    /** The file. */
    @Override
    public String toString() {
        StringBuilder page = new StringBuilder("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                + "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                + "<link rel=\"icon\" href=\"data:,\">\n<title>" + Svg.escape(title) + "</title>\n<style>\n" + STYLE
                + "</style>\n</head>\n<body>\n<h1>" + Svg.escape(title) + "</h1>\n");
        parts.forEach(part -> add(page, part));
        return page.append("</body>\n</html>\n").toString();
    }

    private static void add(StringBuilder page, Part part) {
        switch (part) {
            case Words(List<String> paragraphs) ->
                    paragraphs.forEach(p -> page.append("<p>").append(Svg.escape(p)).append("</p>\n"));
            case Drawing(String heading, Svg picture) -> {
                heading(page, heading);
                page.append("<div class=\"wide\">\n").append(picture).append("</div>\n");
            }
            case Listing listing -> listing(page, listing);
            case Beside(Listing left, Listing right) -> {
                page.append("<div class=\"row\">\n<div>\n");
                listing(page, left);
                page.append("</div>\n<div>\n");
                listing(page, right);
                page.append("</div>\n</div>\n");
            }
        }
    }

    private static void listing(StringBuilder page, Listing listing) {
        heading(page, listing.heading);
        page.append("<div class=\"wide\" tabindex=\"0\"><pre>");
        listing.lines.forEach(line -> page.append(Svg.escape(line)).append('\n'));
        page.append("</pre></div>\n");
    }

    private static void heading(StringBuilder page, String heading) {
        if (!heading.isEmpty()) {
            page.append("<h2>").append(Svg.escape(heading)).append("</h2>\n");
        }
    }
}

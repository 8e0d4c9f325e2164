package dev.tilewright.bench.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import org.apache.commons.text.StringEscapeUtils;

/**
 * A page as one HTML file that asks for nothing else: style, script and the charting library are in it, and its content
 * security policy forbids whatever would reach a network. Text is escaped wherever it comes from.
 */
final class HtmlWriter {
    private static final String POLICY =
            "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";
    /** What stands in a column of numbers: a number, with a unit or without. */
    private static final Pattern NUMBER = Pattern.compile("[-+]?[0-9][0-9,.]*(e[-+]?[0-9]+)?( [A-Za-zµ%/]{1,10})?|-|");

    private final StringBuilder out = new StringBuilder(1 << 20);

    private HtmlWriter() { }

    /** @param library the charting library's script, as {@link ChartLibrary} finds it */
    static String write(Page page, ChartLibrary library) {
        HtmlWriter writer = new HtmlWriter();
        writer.page(page, library);
        return writer.out.toString();
    }

    private void page(Page page, ChartLibrary library) {
        out.append("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
        out.append("<meta http-equiv=\"Content-Security-Policy\" content=\"").append(POLICY).append("\">\n");
        out.append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
        out.append("<link rel=\"icon\" href=\"data:,\">\n");
        element("title", page.title());
        out.append("<style>\n").append(resource("page.css")).append("</style>\n</head>\n<body>\n<header>\n");
        element("h1", page.title());
        out.append("<p class=\"lead\">").append(text(page.lead())).append("</p>\n");
        page.notices().forEach(this::notice);
        out.append("<ul class=\"counts\">\n");
        page.counts().forEach(c -> out.append("<li class=\"").append(c.mood()).append("\"><b>").append(text(c.value()))
                .append("</b>").append(text(c.name())).append("</li>\n"));
        out.append("</ul>\n<dl class=\"facts\">\n");
        page.facts().forEach(f -> out.append("<div><dt>").append(text(f.name())).append("</dt><dd>")
                .append(text(f.value())).append("</dd></div>\n"));
        out.append("</dl>\n</header>\n");
        if (page.sections().size() > 1) {
            out.append("<nav aria-label=\"suites\"><ul>\n");
            page.sections().forEach(s -> out.append("<li><a href=\"#").append(text(s.id())).append("\">")
                    .append(text(s.title())).append("</a></li>\n"));
            out.append("</ul></nav>\n");
        }
        out.append("<main>\n");
        page.sections().forEach(this::section);
        out.append("</main>\n<footer><p>").append(text(page.footer())).append("</p><p>")
                .append(text(library.notice())).append("</p></footer>\n");
        List<Chart> charts = page.sections().stream().flatMap(s -> s.charts().stream()).toList();
        out.append("<script type=\"application/json\" id=\"charts\">").append(json(charts)).append("</script>\n");
        if (!charts.isEmpty()) {
            out.append("<script>\n").append(library.script()).append("\n</script>\n");
            out.append("<script>\n").append(resource("charts.js")).append("</script>\n");
        }
        out.append("</body>\n</html>\n");
    }

    private void notice(Page.Notice notice) {
        out.append("<div class=\"notice").append(notice.bad() ? " wrong" : "").append("\" role=\"note\">")
                .append(text(notice.text()));
        if (!notice.items().isEmpty()) {
            out.append("<ul>");
            notice.items().forEach(i -> element("li", i));
            out.append("</ul>");
        }
        out.append("</div>\n");
    }

    private void section(Page.Section section) {
        out.append("<section id=\"").append(text(section.id())).append("\">\n");
        element("h2", section.title());
        if (!section.about().isEmpty()) {
            out.append("<p class=\"about\">").append(text(section.about())).append("</p>\n");
        }
        if (!section.charts().isEmpty()) {
            out.append("<div class=\"figures\">\n");
            section.charts().forEach(this::figure);
            out.append("</div>\n");
        }
        for (Page.TableOfRows t : section.tables()) {
            out.append("<details class=\"rows\"").append(t.open() ? " open" : "").append("><summary>")
                    .append(text(t.title())).append("</summary>");
            table(t.table(), t.title());
            out.append("</details>\n");
        }
        out.append("</section>\n");
    }

    private void figure(Chart chart) {
        out.append("<figure id=\"").append(text(chart.id())).append("\"")
                .append(chart instanceof LineChart ? " class=\"wide\"" : "").append(">\n<figcaption>");
        element("h3", chart.title());
        out.append("<p>").append(text(chart.caption())).append("</p></figcaption>\n");
        out.append("<ul class=\"legend\"></ul>\n<div class=\"chart\" role=\"img\" aria-label=\"")
                .append(text(chart.title() + ". The numbers are in the table below."))
                .append("\"></div>\n<details><summary>As a table</summary>");
        table(chart.table(), chart.title());
        out.append("</details>\n</figure>\n");
    }

    private void table(DataTable table, String name) {
        int columns = table.head().size();
        boolean[] numeric = new boolean[columns];
        for (int i = 0; i < columns; i++) {
            int column = i;
            numeric[i] = table.rows().stream().allMatch(r -> NUMBER.matcher(r.get(column)).matches())
                    && table.rows().stream().anyMatch(r -> !r.get(column).isEmpty());
        }
        out.append("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"").append(text(name))
                .append("\"><table><thead><tr>");
        for (int i = 0; i < columns; i++) {
            out.append(numeric[i] ? "<th class=\"number\" scope=\"col\">" : "<th scope=\"col\">")
                    .append(text(table.head().get(i))).append("</th>");
        }
        out.append("</tr></thead><tbody>\n");
        for (List<String> row : table.rows()) {
            out.append("<tr>");
            for (int i = 0; i < columns; i++) {
                String cell = row.get(i);
                String kind = numeric[i] ? "number" : switch (cell) {
                    case "verified", "reached" -> "right";
                    case "wrong", "missed" -> "wrong";
                    case "not run" -> "missing";
                    default -> cell.length() > 40 ? "words" : "";
                };
                out.append(kind.isEmpty() ? "<td>" : "<td class=\"" + kind + "\">").append(text(cell)).append("</td>");
            }
            out.append("</tr>\n");
        }
        out.append("</tbody></table></div>");
    }

    private void element(String name, String content) {
        out.append('<').append(name).append('>').append(text(content)).append("</").append(name).append(">\n");
    }

    private static String text(String text) {
        return StringEscapeUtils.escapeHtml4(Objects.requireNonNull(text, "text"));
    }

    /** JSON in which nothing ends the element that it stands in. */
    private static String json(List<Chart> charts) {
        try {
            JsonMapper mapper = JsonMapper.builder().build();
            return mapper.writerFor(mapper.getTypeFactory().constructCollectionType(List.class, Chart.class))
                    .writeValueAsString(charts).replace("<", "\\u003c");
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("these charts have no JSON form", e);
        }
    }

    private static String resource(String name) {
        try (InputStream in = HtmlWriter.class.getResourceAsStream(name)) {
            return new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + name + " of this library", e);
        }
    }
}

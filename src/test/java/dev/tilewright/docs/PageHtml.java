package dev.tilewright.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.html.HtmlRenderer;

/** Documents as a code host shows them: tables and listings scroll, pictures are as wide as the page at most. */
final class PageHtml {
    private static final Pattern SOURCE = Pattern.compile("<img src=\"(?!https?:)([^\"]+)\"");
    private static final String HEAD = """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8"><title>Documents</title><link rel="icon" href="data:,">
            <style>
            body { font: 16px/1.5 system-ui, sans-serif; margin: 0; color: #1f2328; background: #ffffff; }
            article { max-width: 980px; margin: 0 auto; padding: 16px; border-bottom: 1px solid #d1d9e0; }
            table { display: block; overflow: auto; border-collapse: collapse; }
            td, th { border: 1px solid #d1d9e0; padding: 6px 13px; }
            h1, h2, h3, h4 { overflow-wrap: break-word; }
            pre { overflow: auto; padding: 16px; background: #f6f8fa; } code { font: 13.6px monospace; }
            img, svg { max-width: 100%; height: auto; } a { color: #0969da; }
            @media (prefers-color-scheme: dark) {
              body { color: #f0f6fc; background: #0d1117; } article, td, th { border-color: #3d444d; }
              pre { background: #151b23; } a { color: #4493f8; }
            }
            </style></head><body>
            """;

    private PageHtml() {
    }

    /** One page of all documents, an article each, whose identifier is its file's name. */
    static String ofDocuments(List<Path> documents) throws IOException {
        var extensions = List.of(TablesExtension.create());
        Parser parser = Parser.builder().extensions(extensions).build();
        HtmlRenderer renderer = HtmlRenderer.builder().extensions(extensions).build();
        StringBuilder page = new StringBuilder(HEAD);
        for (Path document : documents) {
            String html = renderer.render(parser.parse(Files.readString(document)));
            page.append("<article id=\"").append(document.getFileName()).append("\">")
                    .append(SOURCE.matcher(html).replaceAll(source -> "<img src=\"" + document
                            .resolveSibling(source.group(1)).toUri() + "\"")).append("</article>\n");
        }
        return page.append("</body></html>").toString();
    }

    /** One page of drawings, whose parts a script can look at. */
    static String ofDrawings(List<Path> drawings) throws IOException {
        StringBuilder page = new StringBuilder(HEAD);
        for (Path drawing : drawings) {
            // Rules of a drawing's own style sheet are for that drawing alone: a shadow root keeps them there.
            page.append("<article id=\"").append(drawing.getFileName()).append("\"><template shadowrootmode=\"open\">"
                    + "<style>svg { max-width: 100%; height: auto; }</style>")
                    .append(Files.readString(drawing).replaceFirst("(?s)^.*?<svg", "<svg"))
                    .append("</template></article>\n");
        }
        return page.append("</body></html>").toString();
    }
}

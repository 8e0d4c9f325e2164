package dev.tilewright.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.bench.report.Browser;
import dev.tilewright.explain.picture.Sight;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Documents and their drawings as a browser shows them, narrow and wide, light and dark; skipped where no browser is
 * installed. What they looked like is left in {@code target/pages}.
 */
class PagesInBrowserTest {
    private static final Path ROOT = Path.of(System.getProperty("tilewright.root", "."));
    private static final Path PICTURES = ROOT.resolve("target/pages");

    /** Texts and pictures that reach beyond the page, but for what scrolls. */
    private static final String TOO_WIDE = """
            const found = [], range = document.createRange();
            const note = (e, box, what) => { if (box.right > innerWidth + 1 && !e.closest('pre, table')) {
                found.push(e.closest('article').id + ': ' + what); } };
            for (const image of document.images) note(image, image.getBoundingClientRect(), image.src);
            const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
            for (let text = texts.nextNode(); text; text = texts.nextNode()) {
                if (!text.parentElement.closest('article') || text.data.trim() === '') continue;
                range.selectNodeContents(text);
                note(text.parentElement, range.getBoundingClientRect(), text.data.slice(0, 80));
            }
            return found;
            """;
    private static final String UNLOADED = """
            return [...document.images].filter(i => !i.complete || i.naturalWidth === 0).map(i => i.src);
            """;
    /** Of each text of a drawing: where, the text, its colour, and that of what is painted behind its middle. */
    private static final String TEXTS = """
            const hex = c => { const m = c.match(/^rgba?\\((\\d+), (\\d+), (\\d+)(?:, ([0-9.]+))?\\)$/);
                return m && m[4] !== '0' ? '#' + [1, 2, 3].map(i => (+m[i]).toString(16).padStart(2, '0')).join('')
                    : null; };
            const found = [];
            for (const article of document.querySelectorAll('article')) {
                const shapes = [...article.shadowRoot.querySelectorAll('rect, path, circle, polygon')]
                    .filter(s => !s.closest('defs, marker, clipPath, mask'));
                for (const text of article.shadowRoot.querySelectorAll('text')) {
                    if (text.textContent.trim() === '') continue;
                    const box = text.getBoundingClientRect();
                    const x = (box.left + box.right) / 2, y = (box.top + box.bottom) / 2;
                    let behind = hex(getComputedStyle(document.body).backgroundColor);
                    for (const shape of shapes) {
                        if (!(shape.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING)) continue;
                        const fill = hex(getComputedStyle(shape).fill), at = shape.getBoundingClientRect();
                        if (fill && at.left <= x && x <= at.right && at.top <= y && y <= at.bottom) {
                            const p = shape.ownerSVGElement.createSVGPoint(); p.x = x; p.y = y;
                            if (shape.isPointInFill(p.matrixTransform(shape.getScreenCTM().inverse()))) behind = fill;
                        }
                    }
                    found.push([article.id, text.textContent.trim().slice(0, 40), hex(getComputedStyle(text).fill),
                        behind]);
                }
            }
            return found;
            """;
    /** Of each drawing: the fills of its shapes, of whatever is drawn at all. */
    private static final String FILLS = """
            const hex = c => { const m = c.match(/^rgba?\\((\\d+), (\\d+), (\\d+)(?:, ([0-9.]+))?\\)$/);
                return m && m[4] !== '0' ? '#' + [1, 2, 3].map(i => (+m[i]).toString(16).padStart(2, '0')).join('')
                    : null; };
            return [...document.querySelectorAll('article')].map(a => [a.id, ...new Set(
                [...a.shadowRoot.querySelectorAll('rect, circle, polygon')]
                .filter(s => !s.closest('defs, marker, clipPath, mask'))
                .map(s => hex(getComputedStyle(s).fill)).filter(c => c))]);
            """;

    /** The least height of letters, in pixels, of drawings that are made to be read on a narrow screen. */
    private static final String SMALL = """
            const ours = /^(order-(ring|copy|proxy|wgmma)|path)\\./;
            return [...document.querySelectorAll('article')].filter(a => ours.test(a.id)).flatMap(a =>
                [...a.shadowRoot.querySelectorAll('text')].map(t => [a.id + ': ' + t.textContent,
                parseFloat(getComputedStyle(t).fontSize) * t.getScreenCTM().a])).filter(t => t[1] < 8);
            """;

    private static Browser browser;
    private static Path documents;
    private static Path drawings;

    @BeforeAll
    static void open(@TempDir Path folder) throws IOException {
        browser = Browser.start();
        documents = Files.writeString(folder.resolve("documents.html"), PageHtml.ofDocuments(files("docs", ".md",
                ROOT.resolve("README.md"), ROOT.resolve("CONTRIBUTING.md"), ROOT.resolve("CHANGELOG.md"))));
        drawings = Files.writeString(folder.resolve("drawings.html"),
                PageHtml.ofDrawings(files("docs/pictures", ".svg")));
    }

    @AfterAll
    static void close() throws IOException {
        if (browser != null) {
            browser.close();
        }
    }

    private static List<Path> files(String folder, String ending, Path... others) throws IOException {
        List<Path> files = new ArrayList<>(List.of(others));
        try (Stream<Path> inFolder = Files.list(ROOT.resolve(folder))) {
            inFolder.filter(f -> f.toString().endsWith(ending)).sorted().forEach(files::add);
        }
        return files;
    }

    private static List<?> list(String script) {
        return (List<?>) browser.run(script);
    }

    @ParameterizedTest
    @CsvSource({"400, false", "1400, true"})
    void pagesFit(int width, boolean dark) throws IOException {
        browser.open(documents, width, dark);
        assertEquals(List.of(), list(UNLOADED));
        assertEquals(List.of(), browser.log());
        assertEquals(List.of(), list(TOO_WIDE));
        assertEquals((long) width, browser.run("return document.documentElement.scrollWidth"));
    }

    @ParameterizedTest
    @CsvSource({"400, true", "1400, false", "1400, true"})
    void drawingsAreRead(int width, boolean dark) throws IOException {
        browser.open(drawings, width, dark);
        assertEquals(List.of(), browser.log());
        assertEquals((long) width, browser.run("return document.documentElement.scrollWidth"));
        assertEquals(List.of(), list(SMALL));
        List<String> faint = new ArrayList<>();
        List<?> texts = list(TEXTS);
        for (Object each : texts) {
            List<?> text = (List<?>) each;
            double contrast = Sight.contrast((String) text.get(2), (String) text.get(3));
            if (contrast < Sight.LEAST_CONTRAST) {
                faint.add(text + ": " + contrast);
            }
        }
        assertEquals(List.of(), faint);
        assertTrue(texts.size() > 40, "texts: " + texts.size());
        browser.picture(PICTURES.resolve("drawings-" + width + (dark ? "-dark" : "-light") + ".png"));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void everybodyTellsColoursApart(boolean dark) {
        browser.open(drawings, 1400, dark);
        Set<String> alike = new TreeSet<>();
        for (Object each : list(FILLS)) {
            List<?> fills = (List<?>) each;
            for (int i = 1; i < fills.size(); i++) {
                for (int j = 1; j < i; j++) {
                    for (String sight : Sight.all()) {
                        double distance = Sight.distance(sight, (String) fills.get(i), (String) fills.get(j));
                        if (distance < Sight.LEAST_DISTANCE) {
                            alike.add(fills.getFirst() + ": " + fills.get(i) + " and " + fills.get(j) + ", " + sight
                                    + ": " + distance);
                        }
                    }
                }
            }
        }
        assertEquals(Set.of(), alike);
    }

    /** The looks find what they are for: a wide word, a picture that is not there, text on its own colour. */
    @Test
    void whatIsWrongIsFound(@TempDir Path folder) throws IOException {
        Path page = Files.writeString(folder.resolve("wrong.md"), "a" + "b".repeat(200) + "\n\n![gone](gone.png)\n");
        Path drawing = Files.writeString(folder.resolve("wrong.svg"), "<svg xmlns='http://www.w3.org/2000/svg' "
                + "width='90' height='30'><rect width='90' height='30' fill='#777777'/><text y='20'>faint</text>"
                + "</svg>");
        browser.open(Files.writeString(folder.resolve("page.html"), PageHtml.ofDocuments(List.of(page))), 400, false);
        assertEquals(1, list(UNLOADED).size());
        assertEquals(1, browser.log().size());
        assertTrue(list(TOO_WIDE).toString().contains("wrong.md: abbb"));
        browser.open(Files.writeString(folder.resolve("svg.html"), PageHtml.ofDrawings(List.of(drawing))), 400, false);
        assertEquals("[[wrong.svg, faint, #000000, #777777]]", list(TEXTS).toString());
    }
}

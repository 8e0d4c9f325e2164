package dev.tilewright.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.bench.report.Browser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
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
    private static Browser browser;
    private static Path documents;
    private static Path drawings;

    @BeforeAll
    static void open(@TempDir Path folder) throws IOException {
        browser = Browser.start();
        documents = Files.writeString(folder.resolve("documents.html"), PageHtml.ofDocuments(files("docs", ".md",
                ROOT.resolve("README.md"), ROOT.resolve("CONTRIBUTING.md"), ROOT.resolve("CHANGELOG.md"))));
        drawings = Files.writeString(folder.resolve("drawings.html"),
                PageHtml.ofDrawings(files("docs/pictures", ".svg",
                files("docs/performance", ".svg").toArray(Path[]::new))));
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
        assertEquals(List.of(), Looks.small(browser));
        assertEquals(List.of(), Looks.faint(browser));
        assertTrue(list(Looks.TEXTS).size() > 40);
        browser.picture(PICTURES.resolve("drawings-" + width + (dark ? "-dark" : "-light") + ".png"));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void everybodyTellsColoursApart(boolean dark) {
        browser.open(drawings, 1400, dark);
        assertEquals(Set.of(), Looks.alike(browser));
    }

    /** The looks find what they are for: a wide word, a picture that is not there, text on its own colour or tiny. */
    @Test
    void whatIsWrongIsFound(@TempDir Path folder) throws IOException {
        Path page = Files.writeString(folder.resolve("wrong.md"), "a" + "b".repeat(200) + "\n\n![gone](gone.png)\n");
        Path drawing = Files.writeString(folder.resolve("wrong.svg"), "<svg xmlns='http://www.w3.org/2000/svg' "
                + "width='90' height='30'><rect width='90' height='30' fill='#666666'/><text y='20'>faint</text>"
                + "</svg>");
        browser.open(Files.writeString(folder.resolve("page.html"), PageHtml.ofDocuments(List.of(page))), 400, false);
        assertEquals(1, list(UNLOADED).size());
        assertEquals(1, browser.log().size());
        assertTrue(list(TOO_WIDE).toString().contains("wrong.md: abbb"));
        browser.open(Files.writeString(folder.resolve("svg.html"), PageHtml.ofDrawings(List.of(drawing))), 400, false);
        assertEquals("[[wrong.svg, faint, #000000, #666666]]", list(Looks.TEXTS).toString());
        assertEquals(1, Looks.faint(browser).size());
        assertEquals(List.of(), Looks.small(browser));
        browser.run("document.querySelector('article').shadowRoot.querySelector('svg').setAttribute('viewBox',"
                + " '0 0 180 60')");
        assertEquals(1, Looks.small(browser).size());
        browser.run("document.querySelector('article').shadowRoot.querySelector('rect').insertAdjacentHTML('afterend',"
                + " '<rect fill=\"#666677\" width=\"9\" height=\"9\"/>')");
        assertTrue(Looks.alike(browser).toString().contains("wrong.svg: #666666 and #666677")
                || Looks.alike(browser).toString().contains("wrong.svg: #666677 and #666666"));
    }
}

package dev.tilewright.bench.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.docs.Looks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The page as a browser shows it, narrow and wide, light and dark; skipped where no browser is installed. What it
 * looked like is left in {@code target/bench-page}.
 */
class HtmlPageTest {
    private static final Path PICTURES = Path.of(System.getProperty("tilewright.root", "."))
            .resolve("target/bench-page");

    /** Texts of charts that overlap, or that the chart cuts off. */
    private static final String UNREADABLE = """
            const found = [];
            for (const svg of document.querySelectorAll('.chart svg')) {
                const id = svg.closest('figure').id;
                const frame = svg.getBoundingClientRect();
                const texts = [...svg.querySelectorAll('text')].filter(t => t.textContent.trim() !== '')
                    .map(t => ({ text: t.textContent, box: t.getBoundingClientRect() }));
                texts.forEach((a, i) => {
                    if (a.box.left < frame.left - 1 || a.box.right > frame.right + 1 || a.box.top < frame.top - 1
                            || a.box.bottom > frame.bottom + 1) {
                        found.push(`${id}: '${a.text}' is cut off`);
                    }
                    texts.slice(i + 1).forEach(b => {
                        const wide = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
                        const high = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
                        if (wide > 2 && high > 4) {
                            found.push(`${id}: '${a.text}' and '${b.text}' overlap`);
                        }
                    });
                });
            }
            return found;
            """;

    /** Elements that overflow their parent and do not scroll. */
    private static final String TOO_WIDE = """
            return [...document.querySelectorAll('body *')].filter(e => !e.closest('.scroll') && !e.closest('svg')
                && e.getBoundingClientRect().right > innerWidth + 1).map(e => e.tagName + '.' + e.className + ' '
                + e.id);
            """;

    /**
     * Texts whose contrast with the page or figure behind them is below that of WCAG 2 AA; cells of heat maps are
     * painted.
     */
    private static final String FAINT = """
            const parts = c => c.match(/[0-9.]+/g).slice(0, 3).map(Number);
            const light = c => { const [r, g, b] = parts(c).map(v => v / 255)
                .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g
                + 0.0722 * b; };
            const behind = e => { for (let p = e; p; p = p.parentElement) { const c = getComputedStyle(p)
                    .backgroundColor;
                if (!/, 0\\)$|transparent/.test(c)) return c; } return 'rgb(255, 255, 255)'; };
            const found = [];
            const all = [...document.querySelectorAll('body *')].filter(e => e.closest('body') && !e.closest('script')
                && [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim() !== ''));
            for (const e of all) {
                const svg = e.closest('svg');
                if (svg && e.closest('figure').id.includes('-heat-')) continue;
                const a = light(svg ? getComputedStyle(e).fill : getComputedStyle(e).color);
                const b = light(behind(svg ? svg.parentElement : e));
                const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
                if (contrast < 4.5) found.push(contrast.toFixed(2) + ' ' + e.tagName + ' ' + e.textContent.slice(0,
                        60));
            }
            return found;
            """;

    /** Each figure: what is to be drawn, how many marks there are, and how many rows its table has. */
    private static final String FIGURES = """
            const charts = JSON.parse(document.getElementById('charts').textContent);
            return charts.map(c => {
                const figure = document.getElementById(c.id);
                const marks = c.cells || c.bars || c.series.flatMap(s => s.role === 'BASELINE' ? [s] : s.points);
                return [c.id, figure.dataset.drawn, marks.length,
                    figure.querySelectorAll('.chart svg path').length, figure.querySelectorAll('tbody tr').length,
                    figure.querySelector('figcaption p').textContent.length];
            });
            """;

    private static Browser browser;
    private static Path page;

    @BeforeAll
    static void open(@TempDir Path folder) throws IOException {
        browser = Browser.start();
        page = Files.writeString(folder.resolve("page.html"),
                new HtmlReport(Map.of("copy",
                "copies on the device by every mechanism, against cuMemcpy, C++ and the rating"))
                        .text(SampleReport.complete()));
    }

    @AfterAll
    static void close() throws IOException {
        if (browser != null) {
            browser.close();
        }
    }

    private static List<?> list(String script) {
        return (List<?>) browser.run(script);
    }

    @ParameterizedTest
    @CsvSource({"400, false", "400, true", "1400, false", "1400, true"})
    void itIsLegibleWithoutANetwork(int width, boolean dark) throws IOException {
        browser.open(page, width, dark);
        assertEquals(List.of(page.toUri().toString()), browser.requests());
        assertEquals(List.of(), browser.log());
        assertEquals((long) width, browser.run("return document.documentElement.scrollWidth"));
        assertEquals(List.of(), list(TOO_WIDE));
        for (Object figure : list(FIGURES)) {
            List<?> facts = (List<?>) figure;
            assertEquals("yes", facts.get(1), facts::toString);
            assertTrue((long) facts.get(2) > 0 && (long) facts.get(3) >= (long) facts.get(2), facts::toString);
            assertTrue((long) facts.get(4) > 0 && (long) facts.get(5) > 20, facts::toString);
        }
        assertEquals(List.of(), list(UNREADABLE));
        assertEquals(List.of(), Looks.small(browser));
        assertEquals(List.of(), list(FAINT));
        String shade = dark ? "rgb(15, 18, 22)" : "rgb(244, 246, 248)";
        assertEquals(shade, browser.run("return getComputedStyle(document.body).backgroundColor"));
        browser.picture(PICTURES.resolve(width + (dark ? "-dark" : "-light") + ".png"));
        assertEquals(List.of(), browser.log());
    }

    /** What the checks above are for, each put into the page. */
    @Test
    void theChecksFindWhatTheyLookFor() {
        browser.open(page, 400, false);
        browser.run("const text = document.querySelector('.chart svg text'); const twin = text.cloneNode(true); "
                + "text.after(twin); const out = text.cloneNode(true); "
                + "out.setAttribute('transform', 'translate(-50 9)'); text.after(out)");
        String unreadable = list(UNREADABLE).toString();
        assertTrue(unreadable.contains("overlap") && unreadable.contains("cut off"), unreadable);
        browser.run("document.querySelector('h2').style.color = '#bbbbbb'");
        assertTrue(list(FAINT).toString().contains("H2"));
        browser.run("document.querySelector('h1').style.width = '420px'; new Image().src = 'https://example.org/a.png';"
                + " console.error('a mistake')");
        assertTrue(list(TOO_WIDE).toString().contains("H1"));
        List<String> log = browser.log();
        assertTrue(log.toString().contains("a mistake") && log.toString().contains("Content Security Policy"),
                log::toString);
    }

    @Test
    void chartsFollowTheWindow() {
        browser.open(page, 1400, false);
        browser.resize(400);
        assertEquals(List.of(), list(TOO_WIDE));
        assertEquals(List.of(), list(UNREADABLE));
        assertEquals(List.of(), browser.log());
    }

    @Test
    void aSeriesIsHiddenAndShownByItsName() {
        browser.open(page, 1400, false);
        String marks = "return document.querySelectorAll('#copy-gigabytes-per-second-size .chart svg path').length";
        String press = "const b = document.querySelector('#copy-gigabytes-per-second-size .legend button'); b.click(); "
                + "return b.getAttribute('aria-pressed')";
        long before = (long) browser.run(marks);
        assertEquals("false", browser.run(press));
        assertTrue((long) browser.run(marks) < before, "a hidden series is drawn");
        assertEquals("true", browser.run(press));
        assertEquals(before, browser.run(marks));
        assertEquals(List.of(), browser.log());
    }

    @Test
    void withoutAnyRowThereIsAPageAsWell(@TempDir Path folder) throws IOException {
        Path empty = Files.writeString(folder.resolve("empty.html"),
                new HtmlReport(Map.of()).text(SampleReport.report(false, List.of())));
        browser.open(empty, 400, true);
        assertEquals(List.of(), browser.log());
        assertEquals(400L, browser.run("return document.documentElement.scrollWidth"));
    }
}

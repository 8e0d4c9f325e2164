package dev.tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.bench.report.Browser;
import dev.tilewright.docs.Looks;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Pages that the command writes, as a browser shows them, narrow and wide, light and dark; skipped where no browser is
 * installed. What they looked like is left in {@code target/pages}.
 */
class WrittenPagesTest {
    private static final Path PICTURES = Path.of(System.getProperty("tilewright.root", "."), "target/pages");
    private static final List<String> COMMANDS = List.of("timeline gemm --rows 50",
            "explain softmax --target sm_90a", "explain tensor-scale --target sm_90a",
            "swizzle --mode 128B --box 16x32", "swizzle --mode none --box 40x208 --type u8",
            "swizzle --mode 128B_ATOM_32B_FLIP_8B --box 16x32");
    private static final String EXPLAINED = "explain tensor-scale --target sm_90a";

    /** Elements that reach beyond the window, but for what scrolls. */
    private static final String TOO_WIDE = """
            return [...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1
                && !e.closest('.wide, svg')).map(e => e.tagName + ': ' + e.textContent.slice(0, 60));
            """;
    /** Of a step: whether its words and its lines are painted otherwise than the page. */
    private static final String MARKED = """
            const row = document.getElementById(arguments[0]);
            return getComputedStyle(row).backgroundColor + ' ' + row.querySelectorAll('section').length;
            """;

    private static Browser browser;
    private static final List<Path> PAGES = new ArrayList<>();

    @BeforeAll
    static void open(@TempDir Path folder) throws IOException {
        browser = Browser.start();
        PAGES.clear();
        for (String command : COMMANDS) {
            PipedCommand ran = PipedCommand.run("", (command + " --format html").split(" "));
            assertEquals(0, ran.code(), ran.err());
            PAGES.add(Files.writeString(folder.resolve("page" + PAGES.size() + ".html"), ran.out()));
        }
    }

    @AfterAll
    static void close() throws IOException {
        if (browser != null) {
            browser.close();
        }
    }

    @ParameterizedTest
    @CsvSource({"400, false", "400, true", "1400, false", "1400, true"})
    void areRead(int width, boolean dark) throws IOException {
        for (int i = 0; i < PAGES.size(); i++) {
            String command = COMMANDS.get(i);
            browser.open(PAGES.get(i), width, dark);
            assertEquals(List.of(PAGES.get(i).toUri().toString()), browser.requests(), command);
            assertEquals(List.of(), browser.log(), command);
            assertEquals((long) width, browser.run("return document.documentElement.scrollWidth"), command);
            assertEquals(List.of(), browser.run(TOO_WIDE), command);
            assertEquals(List.of(), Looks.small(browser), command);
            assertEquals(List.of(), Looks.faint(browser), command);
            assertEquals(Set.of(), Looks.alike(browser), command);
            if (dark == width < 1000) {
                browser.picture(PICTURES.resolve("written-" + i + "-" + width + ".png"));
            }
        }
    }

    /** A step and its lines are marked together: by keyboard, by the pointer, and from a link that names the step. */
    @ParameterizedTest
    @CsvSource({"400, true", "1400, false"})
    void aStepLeadsToItsLines(int width, boolean dark) {
        browser.open(PAGES.get(COMMANDS.indexOf(EXPLAINED)), width, dark);
        String plain = marked("step-5");
        browser.run("document.getElementById('step-4').focus()");
        assertNotEquals(plain, marked("step-4"));
        browser.press("ArrowDown");
        assertEquals("step-5", browser.run("return document.activeElement.id"));
        assertNotEquals(plain, marked("step-5"));
        assertEquals(plain, marked("step-4"));
        browser.press("ArrowUp");
        assertEquals("step-4", browser.run("return document.activeElement.id"));
        browser.run("document.activeElement.blur()");
        assertEquals(plain, marked("step-4"));
        for (String half : List.of("first", "last")) {
            browser.pointTo("#step-5 section:" + half + "-child");
            assertNotEquals(plain, marked("step-5"), half);
        }
        browser.run("document.querySelector('.facts a[href=\"#step-17\"]').click()");
        assertNotEquals(plain, marked("step-17"));
        // A browser scrolls by whole pixels, and a row's top may lie between two.
        assertEquals(true, browser.run("const box = document.getElementById('step-17').getBoundingClientRect();"
                + " return box.top > -1 && box.bottom < innerHeight + 1"));
        assertEquals(List.of(), browser.log());
    }

    private static String marked(String step) {
        return (String) browser.run(MARKED, step);
    }

    /** A step's words stand at the height of its lines, or above them where there is no room beside them. */
    @Test
    void stepsAndLinesAreAligned() {
        String above = """
                return [...document.querySelectorAll('.pair[id]')].filter(p => p.lastChild.firstChild).map(p => {
                    const [left, right] = [...p.querySelectorAll('section')].map(s => s.getBoundingClientRect());
                    return innerWidth < 960 ? right.top >= left.bottom - 1 : Math.abs(left.top - right.top) < 1;
                });
                """;
        for (int width : List.of(400, 1400)) {
            browser.open(PAGES.get(COMMANDS.indexOf(EXPLAINED)), width, false);
            List<?> all = (List<?>) browser.run(above);
            assertTrue(all.size() > 20 && all.stream().allMatch(Boolean.TRUE::equals), all::toString);
        }
    }
}

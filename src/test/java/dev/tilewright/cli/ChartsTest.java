package dev.tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.bench.report.Browser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The charts of {@code docs/performance} say what {@code bench --read} draws of their logs on a narrow page; skipped
 * where no browser is installed. {@code -Dtilewright.update=true} renews them. Letters are as wide as a machine's
 * fonts are, so texts are compared, not places.
 */
class ChartsTest {
    private static final Path ROOT = Path.of(System.getProperty("tilewright.root", "."));
    private static final Path FOLDER = ROOT.resolve("docs/performance");
    private static final int WIDTH = 440;
    private static final Pattern TEXT = Pattern.compile("<text[^>]*>([^<]*)</text>");

    /** Figures of the page below each other, with their keys, as one drawing on the page's ground. */
    private static final String TAKE = """
            const escape = text => text.replace(/&/g, '&amp;').replace(/</g, '&lt;');
            const font = 'font-family="system-ui, sans-serif" fill="#1b222b"';
            let y = 0, wide = 0, body = '';
            for (const id of arguments) {
                const figure = document.getElementById(id);
                const chart = figure.querySelector('.chart svg');
                wide = Math.max(wide, chart.width.baseVal.value);
                if (arguments.length > 1) {
                    body += `<text x="10" y="${y + 22}" font-size="15" font-weight="700" ${font}>`
                        + escape(figure.querySelector('h3').textContent) + '</text>';
                    y += 34;
                }
                for (const item of figure.querySelectorAll('.legend li')) {
                    const key = item.querySelector('svg').cloneNode(true);
                    key.setAttribute('x', 10); key.setAttribute('y', y + 6);
                    key.setAttribute('width', 30); key.setAttribute('height', 12);
                    key.querySelector('path').setAttribute('data-key', '');
                    body += new XMLSerializer().serializeToString(key)
                        + `<text x="46" y="${y + 16}" font-size="12" ${font}>` + escape(item.textContent.trim())
                        + '</text>';
                    y += 20;
                }
                y += 6;
                body += `<g transform="translate(0,${y})">` + chart.innerHTML + '</g>';
                y += chart.height.baseVal.value;
            }
            return `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="${wide}" `
                + `height="${y}" viewBox="0 0 ${wide} ${y}"><rect width="100%" height="100%" fill="#ffffff"/>${body}`
                + '</svg>\\n';
            """;

    private static Browser browser;

    @BeforeAll
    static void open() throws IOException {
        browser = Browser.start();
    }

    @AfterAll
    static void close() throws IOException {
        if (browser != null) {
            browser.close();
        }
    }

    static List<String> charts() throws IOException {
        return Files.readAllLines(FOLDER.resolve("list.txt"));
    }

    private static List<String> texts(String svg) {
        return TEXT.matcher(svg).results().map(MatchResult::group).map(text -> text.replaceAll("<[^>]*>", ""))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("charts")
    void isOfItsLog(String line, @TempDir Path folder) throws IOException {
        String[] words = line.split(" ");
        Path page = folder.resolve("page.html");
        PipedCommand command = PipedCommand.run("", "bench", "--read",
                ROOT.resolve("native-tests/logs/" + words[1] + ".json").toString(), "--html", page.toString());
        assertTrue(Files.exists(page), command::toString);
        browser.open(page, WIDTH, false);
        String svg = (String) browser.run(TAKE, (Object[]) Arrays.copyOfRange(words, 2, words.length));
        assertEquals(List.of(), browser.log());
        Path file = FOLDER.resolve(words[0]);
        if (Boolean.getBoolean("tilewright.update")) {
            Files.writeString(file, svg);
        }
        assertEquals(texts(svg), texts(Files.readString(file)), "run ChartsTest with -Dtilewright.update=true");
    }

    @Test
    void allAreListed() throws IOException {
        try (Stream<Path> files = Files.list(FOLDER)) {
            assertEquals(charts().stream().map(line -> line.split(" ")[0]).collect(Collectors.toSet()),
                    files.map(f -> f.getFileName().toString()).filter(f -> f.endsWith(".svg"))
                            .collect(Collectors.toSet()));
        }
    }
}

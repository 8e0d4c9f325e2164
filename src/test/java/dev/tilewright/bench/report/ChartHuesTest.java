package dev.tilewright.bench.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.explain.picture.Sight;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.commons.io.IOUtils;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Hues of charts' series are told apart by everybody, and stand out from the page, light and dark. */
class ChartHuesTest {
    private static final Pattern PAIR = Pattern.compile("\\[\"(#[0-9a-f]{6})\", \"(#[0-9a-f]{6})\"\\]");
    /** Of lines and symbols, WCAG 2.1. */
    private static final double LEAST_CONTRAST = 3;

    @ParameterizedTest
    @CsvSource({"1, #ffffff, #1b222b", "2, #171b21, #e6e9ee"})
    void everybodyTellsThemApart(int theme, String ground, String text) throws IOException {
        String script = IOUtils.resourceToString("/dev/tilewright/bench/report/charts.js", StandardCharsets.UTF_8);
        Matcher pairs = PAIR.matcher(script.substring(script.indexOf("HUES"), script.indexOf("SYMBOLS")));
        List<String> hues = pairs.results().map(pair -> pair.group(theme)).toList();
        assertEquals(8, hues.size());
        assertTrue(script.contains("ground: \"" + ground + "\"") && script.contains("text: \"" + text + "\""));
        for (String hue : hues) {
            assertTrue(Sight.contrast(hue, ground) >= LEAST_CONTRAST, hue);
            for (String other : hues) {
                for (String sight : Sight.all()) {
                    // The text's colour is that of the baseline.
                    assertTrue(hue.equals(other) || Sight.distance(sight, hue, other) >= Sight.LEAST_DISTANCE, () -> hue
                            + " and " + other + ", " + sight + ": " + Sight.distance(sight, hue, other));
                    assertTrue(Sight.distance(sight, hue, text) >= Sight.LEAST_DISTANCE, () -> hue + ", " + sight);
                }
            }
        }
    }
}

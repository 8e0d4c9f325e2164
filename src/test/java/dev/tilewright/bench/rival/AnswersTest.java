package dev.tilewright.bench.rival;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.tilewright.bench.result.Spread;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Scale;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.constraints.StringLength;

/** What rivals print, as figures. */
class AnswersTest {

    /** Rates are the amount over the times, whatever these are, and stay in order. */
    @Property(tries = 300)
    void ratesAreOfTheTimes(
            @ForAll @Size(min = 1, max = 30) List<@DoubleRange(min = 1e-4, max = 1e5) @Scale(6) Double> times,
            @ForAll @LongRange(min = 1, max = 1L << 50) long bytes) {
        String line = "{\"name\":\"k\",\"unit\":\"GB/s\",\"amount\":" + bytes + ",\"milliseconds\":"
                + times.stream().map(String::valueOf).collect(Collectors.joining(",", "[", "]")) + "}";
        Spread spread = Answers.figure(Answers.line(line, "k"), "k").orElseThrow().spread();
        double[] sorted = times.stream().mapToDouble(t -> bytes / (t * 1e6)).sorted().toArray();
        assertEquals(times.size(), spread.samples());
        assertEquals(sorted[0], spread.least(), 1e-9 * sorted[0]);
        assertEquals(sorted[sorted.length - 1], spread.most(), 1e-9 * sorted[sorted.length - 1]);
        assertTrue(Arrays.stream(sorted).anyMatch(rate -> Math.abs(rate - spread.median()) <= 1e-9 * rate));
    }

    /** Whatever a process prints is an object or a sentence about the line. */
    @Property(tries = 300)
    void anyLineIsAnObjectOrAnException(@ForAll @StringLength(max = 300) String line) {
        try {
            JsonNode node = Answers.line(line, "asked");
            assertTrue(node.isObject());
        } catch (RivalException e) {
            assertEquals(RivalException.Kind.FAILED, e.kind());
            assertTrue(e.getMessage().startsWith("'asked'"));
        }
    }

    /** A process may say anything in an error: it stays a kind and a sentence. */
    @Property(tries = 50)
    void errorsKeepTheirText(@ForAll("texts") String text, @ForAll RivalException.Kind kind) {
        JsonNode line = Answers.line("{\"error\":\"" + text + "\",\"kind\":\""
                + kind.name().toLowerCase(Locale.ROOT) + "\"}", "asked");
        RivalException e = assertThrows(RivalException.class, () -> Answers.isLast(line, "asked"));
        assertTrue(e.getMessage().endsWith(text));
        assertEquals(kind == RivalException.Kind.ABSENT ? RivalException.Kind.FAILED : kind, e.kind());
        assertFalse(Answers.isLast(Answers.line("{\"kernel\":\"x\"}", "asked"), "asked"));
    }

    @Provide
    Arbitrary<String> texts() {
        return Arbitraries.strings().withCharRange('a', 'z').withChars(' ', '.', ':', '\'').ofMaxLength(80);
    }
}

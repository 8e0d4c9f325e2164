package dev.tilewright.hazard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;

/** Compares what a report says with what it should say, to the letter but for lines. */
final class Messages {

    private Messages() {
    }

    /** Every message of a report, in order; {@code #} stands for lines of the emitted source and of Java. */
    static List<String> of(HazardReport report) {
        return report.findings().stream().map(f -> f.message().replaceAll("CUDA line \\d+(, \\w+\\.java:\\d+)?", "#"))
                .toList();
    }

    /** These are all messages. */
    static void are(HazardReport report, String... expected) {
        assertEquals(String.join("\n", expected), String.join("\n", of(report)));
    }

    /** This is one of the messages. */
    static void include(HazardReport report, String expected) {
        assertTrue(of(report).contains(expected), () -> "not among\n" + String.join("\n", of(report)));
    }

    /** This is the first message; what follows is said elsewhere. */
    static void begin(HazardReport report, String expected) {
        assertEquals(expected, of(report).getFirst());
    }
}

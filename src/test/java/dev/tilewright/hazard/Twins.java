package dev.tilewright.hazard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;

/** What is said of a kernel with a mistake, and of its twin without it. */
public final class Twins {

    private Twins() {
    }

    public static void clean(HazardReport report) {
        assertEquals(List.of(), report.findings(), report::toString);
        assertTrue(report.complete(), "the run came to no end");
    }

    /** The mistake is found. @param step the purpose of the step that is named */
    public static void found(HazardCode code, String step, HazardReport report) {
        assertTrue(report.findings().stream().anyMatch(f -> f.code() == code && f.location().purpose().equals(step)),
                report::toString);
    }
}

package dev.tilewright.hazard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;

/** What is said of a kernel with a mistake, and of its twin without it. */
final class Twins {

    private Twins() {
    }

    static void clean(HazardReport report) {
        assertEquals(List.of(), report.findings(), report::toString);
        assertTrue(report.complete(), "the run came to no end");
    }

    /** The mistake is found, and is the first that is said. @param step the purpose of the step that is named */
    static void found(HazardCode code, String step, HazardReport report) {
        assertTrue(!report.isClean(), "nothing was found");
        Finding first = report.findings().getFirst();
        assertEquals(code, first.code(), report::toString);
        assertEquals(step, first.location().purpose(), report::toString);
    }
}

package dev.tilewright.gputest.soak;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** A soak's verdict on what memory was read. */
class GrowthTest {
    private static final long MIB = 1L << 20;
    private static final Reading FIRST = new Reading(10, 900 * MIB, 5 * MIB, 80_000 * MIB);

    private static List<String> grown(long resident, long heap, long deviceFree) {
        return Growth.of(List.of(FIRST, new Reading(20, 9999 * MIB, 9999 * MIB, 0), new Reading(30,
                FIRST.resident() + resident, FIRST.heap() + heap, FIRST.deviceFree() + deviceFree)));
    }

    @Test
    void whatIsBetweenIsNotLookedAt() {
        assertEquals(List.of(), grown(0, 0, 0));
    }

    @Test
    void lessAndALittleMoreAreNoise() {
        assertEquals(List.of(), grown(-100 * MIB, -MIB, 100 * MIB));
        assertEquals(List.of(), grown(48 * MIB, MIB, -2 * MIB));
    }

    @Test
    void eachKindIsNamed() {
        assertTrue(grown(48 * MIB + 1, 0, 0).getFirst().startsWith("host memory grew by 48.0 MiB"));
        assertTrue(grown(0, MIB + 1, 0).getFirst().startsWith("the Java heap grew by 1.0 MiB"));
        assertTrue(grown(0, 0, -2 * MIB - 1).getFirst().startsWith("device memory grew by 2.0 MiB"));
        assertEquals(3, grown(100 * MIB, 2 * MIB, -4 * MIB).size());
    }
}

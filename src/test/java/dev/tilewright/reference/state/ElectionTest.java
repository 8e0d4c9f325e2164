package dev.tilewright.reference.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ElectionTest {

    @Test
    void theHighestLaneWithoutASeed() {
        assertEquals(31, Election.HIGHEST.lane(-1));
        assertEquals(4, Election.HIGHEST.lane(0b10110));
        assertEquals(0, Election.HIGHEST.lane(1));
    }

    @Test
    void withASeedTheSameLaneOfAMaskEveryTimeAndNeverTheLowest() {
        for (int mask : new int[] {-1, 0x80000000, 1, 0b110, 0xFFFF0000, 0b1010101}) {
            for (long seed = 0; seed < 50; seed++) {
                int lane = Election.of(seed).lane(mask);
                assertEquals(lane, Election.of(seed).lane(mask));
                assertTrue((mask >>> lane & 1) == 1, "in the mask");
                assertTrue(Integer.bitCount(mask) == 1 || lane != Integer.numberOfTrailingZeros(mask),
                        "not the lowest");
            }
        }
        assertTrue(IntStream.range(0, 50).map(seed -> Election.of(seed).lane(-1)).distinct().count() > 10, "many");
    }
}

package dev.tilewright.verify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tilewright.layout.ElementType;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** Where two arrays differ, and how that is said. */
class DifferenceTest {

    @Property
    void allDifferingBytesAreCounted(@ForAll @Size(40) byte[] a, @ForAll @Size(40) byte[] b) {
        long count = 0;
        int first = -1;
        for (int i = 39; i >= 0; i--) {
            if (a[i] != b[i]) {
                count++;
                first = i;
            }
        }
        Optional<Difference> expected = count == 0 ? Optional.empty()
                : Optional.of(new Difference(count, first, a[first], b[first]));
        assertEquals(expected, Difference.between(MemorySegment.ofArray(a), MemorySegment.ofArray(b)));
        assertEquals(Optional.empty(), Difference.between(MemorySegment.ofArray(a), MemorySegment.ofArray(a.clone())));
    }

    @Test
    void arraysOfTwoSizesAreNotCompared() {
        for (byte[] other : new byte[][] {{1, 2}, {9, 9}, {1, 2, 3, 4}, {9, 2, 3, 4}}) {
            assertEquals("arrays of 3 and " + other.length + " bytes cannot be compared",
                    assertThrows(IllegalArgumentException.class,
                    () -> Difference.between(MemorySegment.ofArray(new byte[] {1, 2, 3}), MemorySegment.ofArray(other)))
                    .getMessage());
        }
    }

    @Test
    void theElementIsNamedByItsIndex() {
        Difference d = new Difference(3, 2 * (5 * 7 * 1 + 7 * 2 + 6) + 1, (byte) 0x0A, (byte) 0xF0);
        assertEquals("3 bytes differ, the first at byte 111, in element [1, 2, 6]: expected 0x0A, got 0xF0",
                d.describe(ElementType.F16, List.of(3L, 5L, 7L)));
        assertEquals("1 byte differs, at byte 7, in element []: expected 0x00, got 0x01",
                new Difference(1, 7, (byte) 0, (byte) 1).describe(ElementType.F64, List.of()));
    }
}

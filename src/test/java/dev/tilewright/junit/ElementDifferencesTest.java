package dev.tilewright.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.layout.ElementType;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Optional;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a failed comparison says: coordinates, values, bits, how many. */
class ElementDifferencesTest {

    @Test
    void oneDifferenceIsNamedByItsCoordinates() {
        float[] expected = new float[24];
        float[] actual = expected.clone();
        expected[17] = 42;
        actual[17] = 21;
        assertEquals("1 of 24 elements differs, at [1, 1, 1]: expected 42.0 (0x42280000), got 21.0 (0x41A80000)",
                ElementDifferences.between(HostArray.of(expected, 2, 3, 4), HostArray.of(actual, 2, 3, 4)).orElseThrow()
                .toString());
        assertEquals("1 of 24 elements differs, at [17]: expected 42.0 (0x42280000), got 21.0 (0x41A80000)",
                ElementDifferences.between(HostArray.of(expected), HostArray.of(actual)).orElseThrow().toString());
    }

    @Test
    void bitsAreComparedNotNumbers() {
        assertEquals("1 of 1 element differs, at [0]: expected 0.0 (0x00000000), got -0.0 (0x80000000)",
                ElementDifferences.between(
                HostArray.of(new float[] {0}), HostArray.of(new float[] {-0f})).orElseThrow().toString());
        int[] nans = {0x7FC0_0000, 0x7FFF_FFFF};
        assertEquals("1 of 2 elements differs, at [1]: expected NaN (0x7FC00000), got NaN (0x7FFFFFFF)",
                ElementDifferences.between(
                HostArray.of(MemorySegment.ofArray(new int[] {nans[0], nans[0]}), ElementType.F32),
                HostArray.of(MemorySegment.ofArray(nans), ElementType.F32)).orElseThrow().toString());
    }

    @ParameterizedTest
    @CsvSource({"F16, 1.0 (0x3C00)", "BF16, 0.0078125 (0x3C00)", "I16, 15360 (0x3C00)", "U16, 15360 (0x3C00)"})
    void valuesAreShownAsTheirTypeHasThem(ElementType type, String shown) {
        ElementDifferences differences =
                ElementDifferences.between(HostArray.of(MemorySegment.ofArray(new short[] {0x3C00}), type),
                HostArray.of(MemorySegment.ofArray(new short[] {0}), type)).orElseThrow();
        assertTrue(differences.toString().contains("expected " + shown + ", got 0"), differences::toString);
    }

    @ParameterizedTest
    @CsvSource({"U8, 255 (0xFF)", "I8, -1 (0xFF)", "U16, 65535 (0xFFFF)", "I16, -1 (0xFFFF)",
            "U32, 4294967295 (0xFFFFFFFF)",
        "I32, -1 (0xFFFFFFFF)", "U64, 18446744073709551615 (0xFFFFFFFFFFFFFFFF)", "I64, -1 (0xFFFFFFFFFFFFFFFF)",
        "F64, NaN (0xFFFFFFFFFFFFFFFF)"})
    void signedAndUnsignedAreToldApart(ElementType type, String shown) {
        byte[] ones = new byte[type.bytes()];
        Arrays.fill(ones, (byte) -1);
        ElementDifferences differences = ElementDifferences.between(HostArray.of(MemorySegment.ofArray(ones), type),
                HostArray.of(MemorySegment.ofArray(new byte[type.bytes()]), type)).orElseThrow();
        assertTrue(differences.toString().contains("expected " + shown + ", got 0"), differences::toString);
    }

    @Property(tries = 200)
    void allThatWereChangedAreCounted(@ForAll ElementType type, @ForAll @IntRange(min = 1, max = 300) int count,
            @ForAll long seed) {
        Random random = new Random(seed);
        byte[] expected = new byte[count * type.bytes()];
        random.nextBytes(expected);
        byte[] actual = expected.clone();
        BitSet changed = new BitSet();
        for (int i = random.nextInt(4); i > 0; i--) {
            int at = random.nextInt(actual.length);
            actual[at] = (byte) (expected[at] + 1);
            changed.set(at / type.bytes());
        }
        Optional<ElementDifferences> found =
                ElementDifferences.between(HostArray.of(MemorySegment.ofArray(expected), type),
                HostArray.of(MemorySegment.ofArray(actual), type));
        assertEquals(changed.isEmpty(), found.isEmpty());
        found.ifPresent(d -> {
            assertEquals(changed.cardinality(), d.count());
            assertEquals(changed.nextSetBit(0), d.first());
            assertEquals(changed.length() - 1, d.last());
            assertEquals(count, d.of());
        });
    }

    @Test
    void arraysOfOtherShapesAreNoneToCompare() {
        assertEquals("arrays of f32 [4] and f32 [2, 2] cannot be compared", assertThrows(IllegalArgumentException.class,
                () -> ElementDifferences.between(HostArray.of(new float[4]), HostArray.of(new float[4], 2, 2)))
                .getMessage());
        assertEquals("an array of shape [3, 2] of f32 does not have 16 bytes",
                assertThrows(IllegalArgumentException.class, () -> HostArray.of(new float[4], 3, 2)).getMessage());
        assertThrows(IllegalArgumentException.class, () -> HostArray.of(new float[4], -2, -2));
        assertThrows(IllegalArgumentException.class, () -> HostArray.of(MemorySegment.ofArray(new byte[5]),
                ElementType.F32));
    }
}

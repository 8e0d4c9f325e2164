package dev.tilewright.verify;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.OrdinaryTries;
import dev.tilewright.builder.Presets;
import dev.tilewright.builder.Schedule;
import dev.tilewright.layout.ElementType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The check itself: a device that is right passes, and one byte that is wrong anywhere does not. */
class CopyCheckTest {
    /** 3 x 5 elements of 4 bytes, and what they are. */
    private static final CopyCase SMALL = new CopyCase(Presets.named("bulk-copy"), Schedule.DEFAULT, ElementType.F32,
            List.of(3L, 5L), 1, 0, 42);

    private static Optional<String> run(CopyCase c, DamagingDevice.Damage damage) {
        return CopyCheck.run(new DamagingDevice(damage), c);
    }

    private static int byteOf(CopyCase c, long at) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment expected = arena.allocate(c.bytes());
            DirectStep.apply(c.kernel().step(), c.type(), c.scalarBits(), c.data(arena), expected);
            return expected.get(JAVA_BYTE, at) & 0xFF;
        }
    }

    @Test
    void aDeviceThatIsRightPasses() {
        assertEquals(Optional.empty(), run(SMALL, (_, _) -> { }));
    }

    @Test
    void aWrongByteIsFound() {
        int right = byteOf(SMALL, 39);
        assertEquals(
                Optional.of("against a direct computation, 1 byte differs, at byte 39, in element [1, 4]: expected "
                + "0x%02X, got 0x%02X"
                .formatted(right, right ^ 0x10)),
                run(SMALL, (_, after) -> after.set(JAVA_BYTE, 39, (byte) (right ^ 0x10))));
    }

    @Test
    void aByteThatWasNotWrittenIsFound() {
        int right = byteOf(SMALL, 0);
        assertTrue(right != 0xCD, "a byte that happens to be the poison cannot be missed");
        assertEquals(
                Optional.of("against a direct computation, 1 byte differs, at byte 0, in element [0, 0]: expected "
                + "0x%02X, got 0xCD"
                .formatted(right)), run(SMALL, (before, after) -> after.set(JAVA_BYTE, 0, before.get(JAVA_BYTE, 0))));
    }

    @Test
    void aResultThatWasNotWrittenIsFound() {
        String complaint = run(SMALL, (before, after) -> after.copyFrom(before)).orElseThrow();
        assertTrue(complaint.startsWith("against a direct computation, ") && complaint.endsWith(", got 0xCD"),
                complaint);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 511})
    void aByteBehindTheEndIsFound(int behind) {
        assertEquals(Optional.of("byte " + behind + " after the end of the result was written"),
                run(SMALL, (_, after) -> after.set(JAVA_BYTE, 60 + behind, (byte) 0)));
    }

    /** The third launch of three goes wrong. @param referred the number of the grid that the reference runs, or -1 */
    @ParameterizedTest
    @ValueSource(ints = {-1, 1})
    void severalGridsAreCheckedAgainstWhatIsComputedOnce(int referred) {
        CopyCase large = new CopyCase(Presets.named("bulk-copy"), Schedule.parse("tile=64B"), ElementType.F32,
                List.of(1000L), 1, 0, 42);
        List<CopyCase> grids = IntStream.of(1, 3, 7).mapToObj(large::withTilesPerBlock).toList();
        OptionalInt reference = referred < 0 ? OptionalInt.empty() : OptionalInt.of(referred);
        int[] launches = {0};
        DamagingDevice good = new DamagingDevice((_, _) -> launches[0]++);
        DamagingDevice bad = new DamagingDevice((_, after) -> after.set(JAVA_BYTE, 39,
                launches[0]-- == 1 ? (byte) 1 : after.get(JAVA_BYTE, 39)));
        assertEquals(Optional.empty(), CopyCheck.run(good, grids, reference));
        assertEquals(3, launches[0]);
        String complaint = CopyCheck.run(bad, grids, reference).orElseThrow();
        assertTrue(complaint.startsWith(grids.getLast() + ": against a direct computation, 1 byte differs, at byte 39"),
                complaint);
        assertTrue(assertThrows(IllegalArgumentException.class,
                () -> CopyCheck.run(good, List.of(large, SMALL), OptionalInt.of(0))).getMessage()
                .startsWith("the cases differ in more than their grids: "));
    }

    @Test
    void whatADeviceThrowsComesOut() {
        RuntimeException fault = new IllegalStateException("the device fell over");
        try {
            run(SMALL, (_, _) -> {
                throw fault;
            });
            throw new AssertionError("it was swallowed");
        } catch (IllegalStateException e) {
            assertEquals(fault, e);
        }
    }

    @Property(tries = 60, shrinking = ShrinkingMode.OFF)
    @OrdinaryTries(8)
    void oneWrongBitAnywhereInAnyCaseIsFound(@ForAll long seed) {
        CopyCase c = new CopyCases(Presets.ALL, seed).next();
        SplittableRandom random = new SplittableRandom(seed);
        long at = random.nextLong(c.bytes() + 512);
        int bit = 1 << random.nextInt(8);
        Optional<String> found =
                run(c, (_, after) -> after.set(JAVA_BYTE, at, (byte) (after.get(JAVA_BYTE, at) ^ bit)));
        if (at < c.bytes()) {
            String start = "against a direct computation, 1 byte differs, at byte " + at + ", in element [";
            assertTrue(found.orElseThrow().startsWith(start), found.toString());
        } else {
            assertEquals(Optional.of("byte " + (at - c.bytes()) + " after the end of the result was written"), found);
        }
    }

    @Test
    void anEmptyArrayMayNotBeWrittenEither() {
        CopyCase empty = new CopyCase(Presets.named("tensor-copy"), Schedule.parse("step=add"), ElementType.F32,
                List.of(0L, 4L), 1, 0, 1);
        assertEquals(Optional.empty(), run(empty, (_, _) -> { }));
        assertEquals(Optional.of("byte 3 after the end of the result was written"),
                run(empty, (_, after) -> after.set(JAVA_BYTE, 3, (byte) 1)));
    }
}

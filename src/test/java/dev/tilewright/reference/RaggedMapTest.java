package dev.tilewright.reference;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.hazard.check.HazardCheck;
import dev.tilewright.program.RaggedKernels.Way;
import dev.tilewright.program.RaggedKernels;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Maps that describe far more than there is: what boxes touch is copied, checked, and refused where it is not there.
 */
class RaggedMapTest {

    @ParameterizedTest
    @EnumSource
    void everySequenceIsCopiedAndNothingElse(Way way) {
        byte[] source = TestData.bytes(RaggedKernels.bytes(), 1);
        byte[] result = new byte[source.length];
        Reference.run(RaggedKernels.launch(way, RaggedKernels.SEQUENCES, 0),
                List.of(MemorySegment.ofArray(source), MemorySegment.ofArray(result)));
        assertArrayEquals(source, result);
    }

    @ParameterizedTest
    @EnumSource
    void mapsInMemoryAreAsWide(Way way) {
        byte[] source = TestData.bytes(RaggedKernels.bytes(), 1);
        byte[] result = new byte[source.length];
        List<MemorySegment> memory = List.of(MemorySegment.ofArray(source), MemorySegment.ofArray(result),
                MemorySegment.ofArray(new long[128]));
        Reference.run(RaggedKernels.throughMapsInMemory(way), memory);
        assertArrayEquals(source, result);
        HazardReport report = HazardCheck.check(RaggedKernels.throughMapsInMemory(way), memory);
        assertTrue(report.isClean(), report::toString);
    }

    @ParameterizedTest
    @EnumSource
    void theCheckFollowsThem(Way way) {
        HazardReport report = HazardCheck.check(RaggedKernels.launch(way, RaggedKernels.SEQUENCES, 0), memory());
        assertTrue(report.isClean(), report::toString);
        assertEquals(2L * RaggedKernels.bytes() + 2L * RaggedKernels.SEQUENCES * 1024, report.checkedBytes());
    }

    @ParameterizedTest
    @EnumSource
    void twoBlocksThatStoreToTheSameBytesRace(Way way) {
        HazardReport report = HazardCheck.check(RaggedKernels.launch(way, RaggedKernels.SEQUENCES + 1, 0), memory());
        assertTrue(report.codes().contains(HazardCode.GLOBAL_RACE), report::toString);
    }

    @ParameterizedTest
    @EnumSource
    void rowsThatAreNotThereAreRefusedByTheirCoordinates(Way way) {
        int rows = RaggedKernels.start(RaggedKernels.SEQUENCES);
        int last = RaggedKernels.rows(RaggedKernels.SEQUENCES - 1);
        TestData.assertComplaint(Kind.OUT_OF_BOUNDS,
                "kernel 'ragged_copy', block 7, thread 0, step 'load': tensor map 'from': the "
                + "box at coordinates [0, " + ((1 << 30) - last) + ", " + (rows + 1) + ", " + coordinate(way)
                        + "] reads its row at [0, "
                + ((1 << 30) - 1) + ", " + (rows + 1) + ", " + coordinate(way) + "]: bytes " + rows * 128 + " to "
                        + (rows * 128 + 127)
                + " of 'from', which has " + rows * 128 + " bytes",
                () -> Reference.run(RaggedKernels.launch(way, RaggedKernels.SEQUENCES, 1), memory()));
        HazardReport report = HazardCheck.check(RaggedKernels.launch(way, RaggedKernels.SEQUENCES, 1), memory());
        assertTrue(report.findings().stream().anyMatch(f -> f.code() == HazardCode.FAULT
                && f.message().contains("reads its row at")),
                report::toString);
        TestData.assertComplaint(Kind.OUT_OF_BOUNDS,
                "kernel 'ragged_copy', block 0, thread 0, step 'load': tensor map 'from': the "
                + "box at coordinates [0, 1073741823, 0, " + coordinate(way) + "] reads its row at [0, 1073741823, 0, "
                        + coordinate(way)
                + "]: 128 bytes at address 0x7dffffffff80, where no memory of this launch lies",
                () -> Reference.run(RaggedKernels.launch(way, RaggedKernels.SEQUENCES, -1), memory()));
    }

    private static int coordinate(Way way) {
        return way == Way.WRAPS_AROUND ? 1 << 30 : 64;
    }

    private static List<MemorySegment> memory() {
        return List.of(MemorySegment.ofArray(new byte[RaggedKernels.bytes()]),
                MemorySegment.ofArray(new byte[RaggedKernels.bytes()]));
    }
}

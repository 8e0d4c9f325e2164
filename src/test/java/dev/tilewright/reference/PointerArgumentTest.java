package dev.tilewright.reference;

import static dev.tilewright.reference.TestData.assertComplaint;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.gpu.Gpu;
import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.hazard.check.HazardCheck;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Launch;
import dev.tilewright.program.OffsetKernels;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Pointers into the middle of a buffer, with an extent of their own. */
class PointerArgumentTest {
    private static final int BYTES = 4 * OffsetKernels.WORDS;

    private static Launch launch(int first, Argument from, Argument to) {
        return new Launch(OffsetKernels.copy(first), 1, List.of(from, to));
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "4, 0", "0, 128", "508, 256", "3, 64"})
    void whatLiesThereIsCopied(int from, int to) {
        byte[] source = TestData.bytes(1024, 1);
        byte[] result = new byte[1024];
        Launch launch = launch(0, new Argument.Buffer(0, from), new Argument.Buffer(1, to, BYTES));
        if (from % 4 != 0) {
            assertComplaint(Kind.MISALIGNED,
                    "kernel 'words', block 0, thread 0, step 'read': byte offset 0 of 'from', which starts at "
                    + "byte 3 of its buffer, must be a multiple of 4", () ->
                            Reference.run(launch, memory(source, result)));
            return;
        }
        Reference.run(launch, memory(source, result));
        byte[] expected = new byte[1024];
        System.arraycopy(source, from, expected, to, BYTES);
        assertArrayEquals(expected, result);
    }

    /** Both in one buffer: their addresses are as far apart as they say. */
    @Test
    void addressesCountFromTheBuffer() {
        byte[] all = TestData.bytes(8192, 2);
        byte[] before = all.clone();
        Reference.run(launch(0, new Argument.Buffer(0, 256), new Argument.Buffer(0, 256 + 4096)), memory(all));
        assertArrayEquals(Arrays.copyOfRange(before, 256, 256 + BYTES), Arrays.copyOfRange(all, 4352, 4352 + BYTES));
        assertArrayEquals(Arrays.copyOfRange(before, 256, 256 + BYTES),
                Arrays.copyOfRange(all, 4352 + BYTES, 4352 + 2 * BYTES));
    }

    /** What lies behind the extent is there, in the buffer, and still out of bounds. */
    @Test
    void theExtentBounds() {
        String sentence = "kernel 'words', block 0, thread 31, step 'read': bytes 124 to 127 are outside 'from', "
                + "which has 124 bytes";
        Launch late = launch(0, new Argument.Buffer(0, 64, BYTES - 4), new Argument.Buffer(1));
        assertComplaint(Kind.OUT_OF_BOUNDS, sentence, () -> Reference.run(late,
                memory(new byte[1024], new byte[1024])));
        HazardReport report = HazardCheck.check(late, memory(new byte[1024], new byte[1024]));
        assertEquals(java.util.Set.of(HazardCode.FAULT), report.codes());
        assertTrue(report.findings().getFirst().message().contains("outside 'from', which has 124 bytes"),
                report::toString);
        assertTrue(HazardCheck.check(launch(0, new Argument.Buffer(0, 64, BYTES), new Argument.Buffer(1)),
                memory(new byte[1024], new byte[1024])).isClean());
        assertComplaint(Kind.OUT_OF_BOUNDS,
                "kernel 'words', block 0, thread 0, step 'read': bytes -4 to -1 are outside 'from', which has "
                + "960 bytes", () -> Reference.run(launch(-1, new Argument.Buffer(0, 64), new Argument.Buffer(1)),
                        memory(new byte[1024], new byte[1024])));
    }

    /** Pointers into one buffer that overlap: what is written through one is read through the other. */
    @Test
    void theCheckSeesWhatTwoPointersShare() {
        HazardReport apart = HazardCheck.check(launch(0, new Argument.Buffer(0, 0), new Argument.Buffer(0, BYTES)),
                memory(new byte[1024]));
        assertTrue(apart.isClean(), apart::toString);
        HazardReport overlapping = HazardCheck.check(launch(0, new Argument.Buffer(0, 0), new Argument.Buffer(0, 4)),
                memory(new byte[1024]));
        assertEquals(java.util.Set.of(HazardCode.MISSING_BARRIER), overlapping.codes());
        // Bytes have the name of the pointer with the smallest extent that covers them.
        HazardReport named = HazardCheck.check(launch(0, new Argument.Buffer(0, 256),
                new Argument.Buffer(0, 260, BYTES)),
                memory(new byte[1024]));
        assertEquals("bytes 0 to 3 of 'to'", named.findings().getFirst().place().orElseThrow().toString());
    }

    @Test
    void aPointerBehindItsBufferIsRefusedEverywhere() {
        Launch behind = launch(0, new Argument.Buffer(0, 64), new Argument.Buffer(1, 900, BYTES));
        String sentence = "kernel 'words': parameter 'to' points to 128 bytes from byte 900 of buffer 1 on, which "
                + "has 1024 bytes";
        assertEquals(sentence, assertThrows(IllegalArgumentException.class,
                () -> Reference.run(behind, memory(new byte[1024], new byte[1024]))).getMessage());
        try (Gpu gpu = Gpu.emulated()) {
            assertEquals(sentence + ": give a larger one", assertThrows(IllegalArgumentException.class,
                    () -> gpu.run(behind, memory(new byte[1024], new byte[1024]))).getMessage());
        }
    }

    private static List<MemorySegment> memory(byte[]... arrays) {
        return Arrays.stream(arrays).map(MemorySegment::ofArray).toList();
    }
}

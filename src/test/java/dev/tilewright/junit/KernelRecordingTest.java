package dev.tilewright.junit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.BadRequestException;
import dev.tilewright.builder.ElementwiseKernel;
import dev.tilewright.builder.TensorCopy;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.io.NpyWriter;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.ElementStep;
import dev.tilewright.program.Scalars;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.AssertionFailedError;

/** Recordings of a project's own kernels: made on the reference executor here, in the place of a GPU. */
class KernelRecordingTest {
    private static final Scalars TWO = Scalars.of("scalar", 2);
    private static final RecordedArray DRAWN = RecordedArray.drawn(ElementType.F32, 42, 33, 64);

    @TempDir
    Path folder;

    private static ElementwiseKernel kernel(int rows, ElementStep step) {
        return TensorCopy.of(ElementType.F32).tile(rows, 32).step(step).build();
    }

    private static final ElementwiseKernel SCALE = kernel(8, ElementStep.SCALE);

    private Path recorded(boolean bytes) {
        Path file = folder.resolve("scale.jsonl");
        try (KernelRecording recording = KernelRecording.on(file, Gpu::emulated)) {
            if (bytes) {
                recording.keepingBytes();
            }
            recording.check("twice", SCALE, TWO, DRAWN);
            recording.check("of one row", SCALE, TWO, RecordedArray.drawn(ElementType.F32, 1, 1, 64));
        }
        return file;
    }

    private static void replay(Path file, String name, ElementwiseKernel kernel, Scalars scalars,
            RecordedArray source) {
        try (KernelRecording recording = KernelRecording.at(file)) {
            recording.check(name, kernel, scalars, source);
        }
    }

    @Test
    void whatWasRecordedIsReplayed() throws IOException {
        byte[] first = Files.readAllBytes(recorded(false));
        replay(recorded(false), "twice", SCALE, TWO, DRAWN);
        replay(recorded(true), "twice", SCALE, TWO, DRAWN);
        assertArrayEquals(first, Files.readAllBytes(recorded(false)));
    }

    @Test
    void anotherKernelLaunchOrInputIsStale() {
        Path file = recorded(true);
        String start = "the recording " + file + " is stale: case 'twice' was recorded on the reference executor, and ";
        String remedy = "; record it on a machine with a GPU, with -Dtilewright.record=true";
        assertEquals(start + "kernel 'tensor_copy' has changed since" + remedy,
                stale(file, kernel(16, ElementStep.SCALE), TWO, DRAWN));
        assertEquals(start + "the launch has other arguments, or another grid, now" + remedy,
                stale(file, SCALE, Scalars.of("scalar", 3), DRAWN));
        String message = stale(file, SCALE, TWO, RecordedArray.drawn(ElementType.F32, 43, 33, 64));
        assertTrue(message.startsWith(start + "its inputs were [f32 [33, 64], seed 42, ") && message.endsWith(remedy),
                message);
    }

    private static String stale(Path file, ElementwiseKernel kernel, Scalars scalars, RecordedArray source) {
        return assertThrows(StaleRecordingError.class, () -> replay(file, "twice", kernel, scalars, source))
                .getMessage();
    }

    /** A recording of hardware that does otherwise: its bytes, or its hash, are others. */
    @Test
    void anotherByteIsNoStaleRecording() throws IOException {
        for (boolean kept : List.of(true, false)) {
            Path file = altered(recorded(kept), kept);
            String message = assertThrows(AssertionFailedError.class, () -> replay(file, "twice", SCALE, TWO, DRAWN))
                    .getMessage();
            assertTrue(message.startsWith("case 'twice' of " + file + ": buffer 1 of kernel 'tensor_copy' is not what "
                    + "the"
                    + " reference executor left in it: " + (kept ? "byte 0 is 0x" : "the hash of its 8448 bytes is ")),
                    message);
        }
    }

    /** A copy of a recording with another result of its first case, and a hash that is right. */
    private Path altered(Path file, boolean bytes) throws IOException {
        var recording = dev.tilewright.recording.RecordingFile.read(file);
        Path other = folder.resolve("other.jsonl");
        var writer = new dev.tilewright.recording.RecordingWriter(other, recording.header().orElseThrow());
        for (var line : recording.rows()) {
            var row = (com.fasterxml.jackson.databind.node.ObjectNode) new com.fasterxml.jackson.databind.ObjectMapper()
                    .readTree(line.text());
            var output = (com.fasterxml.jackson.databind.node.ObjectNode) row.get("outputs").get(1);
            String field = bytes ? "bytes" : "fnv";
            String text = output.get(field).asText();
            output.put(field, (text.charAt(0) == '0' ? "1" : "0") + text.substring(1));
            writer.row(row);
        }
        writer.finish();
        return other;
    }

    @Test
    void whatIsNotThereIsNamed() {
        Path none = folder.resolve("none.jsonl.gz");
        assertEquals("there is no recording " + none + ": record it on a machine with a GPU, with "
                + "-Dtilewright.record=true", assertThrows(AssertionFailedError.class, () -> KernelRecording.at(none))
                .getMessage());
        Path file = recorded(false);
        assertEquals("the recording " + file + " has no case 'thrice', only [twice, of one row]: record it on a "
                + "machine with a"
                + " GPU, with -Dtilewright.record=true",
                assertThrows(AssertionFailedError.class, () -> replay(file, "thrice", SCALE, TWO, DRAWN)).getMessage());
    }

    @Test
    void aRecordingThatFailsWritesNothing() throws IOException {
        Path file = recorded(false);
        byte[] before = Files.readAllBytes(file);
        assertThrows(IllegalArgumentException.class, () -> {
            try (KernelRecording recording = KernelRecording.on(file, Gpu::emulated)) {
                recording.check("twice", SCALE, TWO, DRAWN);
                recording.check("twice", SCALE, TWO, DRAWN);
            }
        });
        assertArrayEquals(before, Files.readAllBytes(file));
        Path cut = Files.write(folder.resolve("cut.jsonl"), java.util.Arrays.copyOf(before, before.length - 9));
        assertTrue(assertThrows(BadRequestException.class, () -> KernelRecording.at(cut)).getMessage()
                .contains("is cut short"));
    }

    @Test
    void filesAreInputs() {
        Path array = folder.resolve("array.npy");
        float[] numbers = new float[33 * 64];
        numbers[7] = 7;
        NpyWriter.write(array, ElementType.F32, List.of(33L, 64L), MemorySegment.ofArray(numbers));
        Path file = folder.resolve("file.jsonl.gz");
        try (KernelRecording recording = KernelRecording.on(file, Gpu::emulated)) {
            recording.check("a file", SCALE, TWO, RecordedArray.file(array));
        }
        replay(file, "a file", SCALE, TWO, RecordedArray.file(array));
        numbers[5] = -5;
        NpyWriter.write(array, ElementType.F32, List.of(33L, 64L), MemorySegment.ofArray(numbers));
        assertTrue(assertThrows(StaleRecordingError.class, () -> replay(file, "a file", SCALE, TWO,
                RecordedArray.file(array)))
                .getMessage().contains("its inputs were [f32 [33, 64], file array.npy sha256 "));
    }

    /** A project's first recording has no folder yet. */
    @Test
    void theFolderIsMade() {
        Path file = folder.resolve("src/test/recordings/first.jsonl.gz");
        KernelRecording.on(file, Gpu::emulated).close();
        assertTrue(Files.isDirectory(file.getParent()), "no folder was made");
    }
}

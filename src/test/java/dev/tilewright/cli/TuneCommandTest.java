package dev.tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.gpu.device.Devices;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code tune} without a GPU: what is asked for is looked at first, then one sentence says that there is none. */
class TuneCommandTest {
    @TempDir
    Path folder;

    private PipedCommand tune(String... arguments) {
        List<String> all = new ArrayList<>(List.of("tune"));
        all.addAll(List.of(arguments));
        return PipedCommand.run("", all.toArray(String[]::new));
    }

    @Test
    void withoutAGpuItSaysSo() throws IOException {
        Assumptions.assumeTrue(Devices.probe().list().isEmpty(), "there is a GPU");
        Path file = folder.resolve("x.tuning");
        PipedCommand result = tune("bulk-copy", "--shape", "4096x4096", "--output", file.toString());
        assertEquals(3, result.code());
        assertEquals("", result.out());
        assertEquals(1, result.err().lines().count(), result::err);
        assertTrue(result.err().startsWith("tilewright: "), result::err);
        assertFalse(Files.exists(file));
        try (var files = Files.list(folder)) {
            assertEquals(0, files.count());
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', value = {
        "bulk-copi --shape 64x64; did you mean 'bulk-copy'?",
        "bulk-copy; preset 'bulk-copy' moves arrays: say what they have, with --shape ROWSxCOLS",
        "softmax --shape 64x64; --shape is of presets that move arrays: say the extents of a tile kernel's dimensions",
        "softmax --extents rows=4; kernel 'softmax' has dimension 'columns': say its extent too",
        "softmax --extents rows=4,columns=0; --extents columns=0: kernel 'softmax' has dimensions [rows, columns]",
        "softmax --type i8; preset 'softmax' has elements of f32, bf16, f16, f64, got i8",
        "bulk-copy --shape 64x64 --extents rows=4; --extents is of tile kernels, and there is none",
        "--program my.Kernels#softmax; --program my.Kernels#softmax needs --class-path PATH",
        "--shape 64x64; --shape is of presets that move arrays",
        "--time 5s; name a preset",
        "bulk-copy --shape 64x; --shape takes 1 to 5 dimensions of at least 1 such as 65536x4096, got '64x'",
        "bulk-copy --shape 0x64; got '0x64'",
        "bulk-copy --shape 2x2x2x2x2x2; got '2x2x2x2x2x2'",
        "bulk-copy --shape 999999999999x999999999999; at most 16 GiB",
        "bulk-copy --shape 3 --type u8; a multiple of 4 bytes, and 3 u8 has 3 bytes",
        "bulk-copy --shape 64x64 --time 0s; --time takes 1s to 24 hours, such as 30s or 5m, got '0s'",
        "bulk-copy --shape 64x64 --time 25h; got '25h'",
        "bulk-copy --shape 64x64 --time 99999m; got '99999m'",
        "bulk-copy --shape 64x64 --type f33; f33",
        "bulk-copy --shape 64x64 --gpu -1; --gpu takes an ordinal from 0, got -1",
        "bulk-copy --shape 64x64 --output /dev/null/x.tuning; the folder /dev/null cannot be made: "
        + "there is a file /dev/null already"})
    void whatIsWrongIsSaidFirst(String arguments, String message) {
        PipedCommand result = tune(arguments.split(" "));
        assertEquals(2, result.code(), result::toString);
        assertTrue(result.err().contains(message), result::err);
        assertEquals(1, result.err().lines().count(), result::err);
    }

    @Test
    void aDamagedTableIsRefusedBeforeAnythingIsMeasured() throws IOException {
        Path file = Files.writeString(folder.resolve("x.tuning"), "tilewright tuning 1\nNVIDIA H200 | sm_90a\n");
        PipedCommand result = tune("bulk-copy", "--shape", "64x64", "--output", file.toString());
        assertEquals(2, result.code(), result::toString);
        assertTrue(result.err().startsWith("tilewright: " + file + ", line 2: a schedule has 14 fields"), result::err);
        assertEquals("tilewright tuning 1\nNVIDIA H200 | sm_90a\n", Files.readString(file));
    }
}

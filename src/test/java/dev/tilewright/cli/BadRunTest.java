package dev.tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.layout.ElementType;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Requests to {@code run} that are wrong though the array is good. Nothing but the input is in the folder afterwards.
 */
class BadRunTest {
    @TempDir
    Path folder;
    private NpyFiles files;

    @BeforeEach
    void matrix() {
        files = new NpyFiles(folder);
        files.floats("x.npy", 6L, 30L);
    }

    private PipedCommand run(String options) {
        List<String> line = new ArrayList<>(List.of("run"));
        line.addAll(List.of(options.replace("$", folder + "/").split(" ")));
        return PipedCommand.run("", line.toArray(String[]::new));
    }

    private void refused(String message, String options) {
        assertEquals("tilewright: " + message.replace("$", folder + "/"), run(options).refusal());
        assertEquals(List.of("x.npy"), files.names());
    }

    /** The rest of a complete request. */
    private static String files(String options) {
        return options + " --input $x.npy --output $y.npy --executor reference";
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "bulk-copy --tile 65536 | a tile of 65536 f32 takes more than the 232448 bytes of shared memory that a block "
                + "can have: choose a smaller tile",
        "tensor-copy --tile 256x256 | a tile of 256x256 f32 takes more than the 232448 bytes of shared memory that a "
        + "block can have: choose a smaller tile", "cp-async-pipeline --stages 4 --tile 16384 | 4 stages of 65536 "
        + "bytes need 262144 bytes of shared memory with what else is in it, a block has at most 232448: use at most 3 "
        + "stages of this tile", "bulk-copy --tile 32768 --stages 2 | 2 stages of 131072 bytes need 262160 bytes of "
        + "shared memory with what else is in it, a block has at most 232448: use at most 1 stage of this tile",
        "bulk-copy --stages 99 | bulk-copy takes 1 to 8 stages, got 99",
        "bulk-copy --threads 48 | a block has a multiple of 32 threads, at most 1024, got 48",
        "bulk-copy --tile 5 | a bulk copy moves a multiple of 16 bytes, got a tile of 5 f32 = 20 bytes: use a multiple "
        + "of 4 elements", "bulk-copy --swizzle 128B | preset 'bulk-copy' has no option --swizzle; it has --tile, "
        + "--stages, --threads, --step, --walk, --roles, --wait, --cache",
        "bulk-copie | there is no preset 'bulk-copie': did you mean 'bulk-copy'?",
        "tensor-copy --swizzle 48B | --swizzle: '48B' is not a swizzle: choose none, 32B, 64B or 128B",
        "bulk-copy --type f64 | --type f64 has 8 bytes per element, $x.npy holds f32 with 4",
        "bulk-copy --scalar 3 | a copy takes no --scalar; add --step scale or add",
        "bulk-add | a step of add needs --scalar NUMBER",
        "cp-async-scale --scalar x | the scalar 'x' is not a number",
        "cp-async-scale --scalar 1e40 | the scalar '1e40' is beyond the largest f32, 3.4028235E38: write inf if "
        + "infinity is meant", "bulk-add --type i32 --scalar 1.5 | elements of type i32 take a whole number as scalar, "
        + "got '1.5'", "bulk-add --type i32 --scalar 1e10 | 'the scalar for elements of type i32 must be in "
        + "[-2147483648, 2147483647], got 1e10'"})
    void optionsThatWillNotDo(String options, String message) {
        refused(message, files(options));
    }

    @Test
    void rowsThatAreNoWholeChunks() {
        refused("rows of 30 f32, 120 bytes, are not a multiple of 16 bytes"
                + ", which tensor maps need: pad rows to 32 elements, "
                + "use a tile of one "
                + "extent (such as 128), or use bulk-copy or cp-async-pipeline, which take the array as one long row",
                files("tensor-copy"));
        refused("rows of 30 f32 = 120 bytes are not a multiple of the copy's 16 bytes: use a tile of one extent, such "
                + "as 4096, which takes "
                + "the array as one long row", files("cp-async-pipeline-2d"));
        // Each way out that the messages name is one.
        for (String way : List.of("tensor-copy --tile 32", "bulk-copy", "cp-async-pipeline",
                "cp-async-pipeline-2d --tile 4096", "cp-async-pipeline-2d --copy-bytes 8")) {
            assertEquals(0, run(files(way)).code(), way);
        }
    }

    @Test
    void anUnknownTypeListsThem() {
        String line = run(files("bulk-copy --type f33")).refusal();
        assertTrue(line.startsWith("tilewright: unknown element type 'f33': expected one of u8 (uint8), "), line);
    }

    @Test
    void whatIsMissing() {
        refused("name a preset (see 'tilewright list'), or a kernel of your own: --class-path PATH --program "
                + "CLASS#MEMBER", "--input $x.npy --output $y.npy");
        refused("name the array to load with --input X.npy", "bulk-copy --output $y.npy");
        refused("name the file for the result with --output Y.npy", "bulk-copy --input $x.npy");
    }

    @Test
    void anOutputThatCannotBe() {
        refused("cannot write $x.npy/y.npy: the folder $x.npy cannot be made: there is a file $x.npy already",
                "bulk-copy --input $x.npy --output $x.npy/y.npy --executor reference");
        assertEquals("tilewright: cannot write " + folder + ": it is a folder",
                PipedCommand.run("", "run", "bulk-copy", "--input", folder.resolve("x.npy").toString(), "--output",
                folder.toString(), "--executor", "reference").refusal());
        assertEquals(List.of("x.npy"), files.names());
    }

    @Test
    void whatThereWasBeforeIsKept() {
        files.floats("y.npy", 3L);
        assertEquals(2, run(files("bulk-copy --stages 99")).code());
        assertEquals(2, run(files("tensor-copy")).code());
        assertEquals(List.of(3L), files.shape("y.npy"));
        assertEquals(List.of("x.npy", "y.npy"), files.names());
    }

    @Test
    void commandLinesThatAreNone() {
        refused("Unknown option: '--inptu': did you mean '--input'? (see 'tilewright run --help')",
                "bulk-copy --inptu");
        refused("Missing required parameter for option '--input' (X.npy) (see 'tilewright run --help')",
                "bulk-copy --input");
        refused("Unmatched argument at index 2: 'tensor-copy' (see 'tilewright run --help')", "bulk-copy tensor-copy");
        refused("Invalid value for option '--executor': expected one of [AUTO, GPU, REFERENCE] (case-insensitive) but "
                + "was 'cpu' "
                + "(see 'tilewright run --help')", "bulk-copy --executor cpu");
    }

    @Test
    void aTypeOfAnotherSizeNamesBoth() {
        files.write("x.npy", ElementType.U16, MemorySegment.ofArray(new short[] {1, 2}), 2L);
        refused("--type u8 has 1 byte per element, $x.npy holds u16 with 2", files("bulk-copy --type u8"));
    }
}

package dev.tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.tilewright.emit.CudaEmitter;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.kernel.RowKernels;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The command's verbs take presets that are tile kernels. */
class TilePresetVerbsTest {
    private static final Path ARRAY =
            Path.of(System.getProperty("tilewright.root", "."), "examples", "interference.npy");

    @TempDir
    Path folder;

    private PipedCommand run(String words) {
        return PipedCommand.run("", words.replace("@", ARRAY.toString()).replace("%", folder + "/").split(" "));
    }

    @Test
    void isEmittedForItsOwnExtentsOrThoseThatAreSaid() {
        for (Map.Entry<String, Long> said : Map.of("", 4096L, " --extents columns=100", 100L).entrySet()) {
            assertEquals(new PipedCommand(0, CudaEmitter.emit(RowKernels.softmax(ValueType.BF16).lowered(Target.SM_80,
                    Map.of("columns", said.getValue())).program()).text(), ""),
                    run("emit softmax --type bf16 --target sm_80" + said.getKey()));
        }
    }

    @Test
    void isExplainedAndShownInTime() {
        PipedCommand command = run("explain softmax --type f16 --schedule threads=512 --target sm_90");
        assertEquals("tile kernel softmax for sm_90, schedule threads=512, for columns=4096",
                command.lines().getFirst());
        assertTrue(run("timeline softmax --rows 3").out().startsWith("softmax: tile kernel softmax\n"));
    }

    @Test
    void isChecked() {
        PipedCommand command = run("check softmax --type f64 --extents columns=33 --schedule threads=32");
        assertEquals(0, command.code(), command.toString());
        assertEquals("presets 1 clean 1 mutants 0 found 0 missed 0", command.lines().getLast());
        assertTrue(command.out().contains(" of 32 threads"), command.out());
    }

    @Test
    void runsOnAnArrayOfTheTypeThatItHas() {
        PipedCommand command = run("run softmax --input @ --output %y.npy --executor reference --check");
        assertEquals("softmax f32 200x320 on the CPU: 250 KiB written to " + folder + "/y.npy, every byte equals that"
                + " of the program for a GPU", command.out().strip());
        new NpyFiles(folder).write("words.npy", ElementType.U16, MemorySegment.ofArray(new byte[30]), 3L, 5L);
        PipedCommand words = run("run softmax --input %words.npy --output %z.npy --executor reference --type bf16");
        assertEquals(0, words.code(), words.toString());
        assertTrue(words.out().startsWith("softmax bf16 3x5 on the CPU"), words.out());
    }

    @Test
    void runWritesAFileForEachResult() throws JsonProcessingException {
        String line = "run top --input @ --output places=%p.npy --output values=%v.npy --executor reference --check";
        PipedCommand command = run(line);
        assertEquals("top 'places' i32 200x8, 'values' f32 200x8 on the CPU: 6.3 KiB written to " + folder + "/p.npy, "
                + "6.3 KiB written to " + folder + "/v.npy, every byte equals that of the program for a GPU",
                command.out().strip(), command.toString());
        String signature = run("explain top --target sm_90a").lines().stream().filter(each ->
                each.startsWith("signature ")).findFirst().orElseThrow().substring("signature ".length());
        for (String output : List.of("places=%p.npy", "values=%v.npy")) {
            assertEquals("audited 3 rows agreed 3 disagreed 0", run("audit top --signature " + signature
                    + " --inputs x=@ --output " + output + " --rows 0,7,199").out().strip());
        }
        JsonNode document = JsonMapper.builder().build().readTree(run(line.replace("--check", "--json")).out());
        assertEquals(List.of("places", "values"), document.get("results").findValuesAsText("array"));
        assertFalse(document.has("output"), document::toString);
    }

    @Test
    void runSaysWhatItReadsAndWrites() {
        String help = run("run softmax --help").out();
        for (String part : List.of("\n  in x: f32 [rows x columns]\n", "\n  out y: f32 [rows x columns]\n",
                "\n  --type            element type: f32, bf16, f16, f64 (default: the first input's)\n",
                "--schedule")) {
            assertTrue(help.contains(part), help);
        }
        assertFalse(help.contains("--stages"), help);
    }

    @Test
    void isVerified() {
        PipedCommand command = run("verify --presets softmax --cases 8 --executor reference");
        assertEquals(0, command.code(), command.toString());
        assertTrue(command.lines().getLast().startsWith("cases 28 passed 20 failed 0"), command.toString());
        PipedCommand one = PipedCommand.run("", "verify", "--executor", "reference", "--case",
                "tile preset=softmax type=f16 target=sm_80 extent.rows=3 extent.columns=70 schedule=threads=64 "
                        + "multiprocessors=2 seed=7");
        assertTrue(one.lines().getLast().startsWith("cases 1 passed 1 failed 0"), one.toString());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "emit softmax --stages 3|preset 'softmax' is a tile kernel and has no option --stages: say how its program is "
        + "made with --schedule, such as --schedule threads=256",
        "emit softmax --type i32|preset 'softmax' has elements of f32, bf16, f16, f64, got i32",
        "emit softmax --schedule threads=96|a tile kernel's schedule has threads=96: choose 32, 64, 128",
        "emit softmax --extents depth=3|--extents depth=3: softmax has dimensions [rows, columns], and no 'depth'",
        "emit softmax --extents columns=-4|--extents columns=-4: an extent is 0 or more",
        "emit softmax --extents columns=4294967296|kernel 'softmax' has tiles of extent 'columns', which is 4294967296 "
        + "here, and a tile has less than 2^31 elements along it: go along it in steps",
        "emit softmax --extents columns=2147483647|kernel 'softmax': a tile of [2147483647] elements of f32 takes ",
        "emit softmx|there is no preset 'softmx': did you mean 'softmax'?",
        "emit bulk-copy --schedule threads=64|--schedule is of tile kernels, and preset 'bulk-copy' is none",
        "emit bulk-copy --extents rows=64|--extents is of tile kernels, and preset 'bulk-copy' is none",
        "tune softmax --shape 3x4|--shape is of presets that move arrays",
        "check softmax --memory m|--memory belongs to --program, and there is none",
        "run softmax --input @|name the file for the result with --output Y.npy",
        "run softmax --output %y.npy|preset 'softmax' reads x: name the file of 'x' with --input x=X.npy",
        "run top --input @ --output %y.npy|preset 'top' writes values, places: say which --output %y.npy is, such as "
        + "--output values=%y.npy",
        "run top --input @ --output values=%y.npy|preset 'top' writes values, places: name the file for 'places' with "
        + "--output places=Y.npy",
        "run top --input @ --output values=%y.npy --output values=%z.npy|--output is given twice for 'values'",
        "run top --input @ --output values=%y.npy --output places=%y.npy|--output and --output name the same file",
        "run softmax --input @ --output y=@|--output @ is the file that is read as --input",
        "run softmax --input @ --output %y.npy --output %z.npy|--output is given twice for 'y': name one file",
        "run bulk-copy --input @ --output %y.npy --output %z.npy|--output is given 2 times, and takes one value here",
        "run softmax --input z=@ --output %y.npy|preset 'softmax' reads x, and no 'z'",
        "run softmax --input @ --output %y.npy --type bf16|--input x has elements of bf16, and @ holds f32",
        "run softmax --input @ --output %y.npy --bank-conflicts|--bank-conflicts is of presets",
        "run softmax --input @ --output %y.npy --scalar 2|--scalar 2 is none of preset 'softmax'"})
    void whatWillNotDoIsRefusedInASentence(String words, String refusal) {
        PipedCommand command = run(words);
        assertTrue(command.refusal().startsWith("tilewright: " + refusal.replace("@", ARRAY.toString()).replace("%",
                folder + "/")),
                command.toString());
        assertFalse(Files.exists(folder.resolve("y.npy")));
    }
}

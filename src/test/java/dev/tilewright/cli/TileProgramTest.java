package dev.tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.io.NpyReader;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The command takes tile kernels of the user's own. */
class TileProgramTest {
    private static final Path ROOT = Path.of(System.getProperty("tilewright.root", "."));
    private static final Path ARRAY = ROOT.resolve("examples/interference.npy");

    @TempDir
    static Path classes;

    @TempDir
    Path folder;

    @BeforeAll
    static void compile() {
        assertEquals(0, ToolProvider.getSystemJavaCompiler().run(null, null, null, "-cp",
                System.getProperty("java.class.path"), "-proc:none", "-d", classes.toString(),
                ROOT.resolve("examples/own-kernel/Tiles.java").toString(),
                ROOT.resolve("examples/own-kernel/Kernels.java").toString()));
    }

    private PipedCommand own(String verb, String words) {
        List<String> line = new ArrayList<>(List.of(verb, "--class-path", classes.toString(), "--program"));
        line.addAll(Arrays.asList(words.replace("@", ARRAY.toString()).replace("%", folder + "/").split(" ")));
        return PipedCommand.run("", line.toArray(String[]::new));
    }

    @Test
    void isExplained() {
        PipedCommand command = own("explain", "my.Tiles#SOFTMAX --extents columns=320 --schedule threads=64 "
                + "--target sm_90");
        assertEquals(0, command.code(), command.toString());
        assertEquals("tile kernel softmax for sm_90, schedule threads=64, for columns=320",
                command.lines().getFirst());
        for (String part : List.of("\nlayout ", "\nmechanism ", "\npipeline ", "\ngrid ", "\nepilogue ", "\nbounds ",
                "\nsignature ", "\nthreads   64 a block", "\nsm_90 ")) {
            assertTrue(command.out().contains(part), part + command.out());
        }
        PipedCommand json = own("explain", "my.Tiles#SOFTMAX --extents columns=320 --json");
        assertTrue(json.out().matches("(?s).*\"signature\" ?: ?\"[0-9a-f]{64}\".*"), json.out());
    }

    @Test
    void isEmittedAndChecked() {
        assertTrue(own("emit", "my.Tiles#WEIGHTED").out().contains("__global__"));
        assertTrue(own("emit", "my.Tiles#SOFTMAX --extents columns=100 --schedule threads=32").out()
                .contains("__launch_bounds__(32"));
        for (String kernel : List.of("my.Tiles#SOFTMAX", "my.Tiles#WEIGHTED", "my.Tiles#SOFTMAX --extents columns=7")) {
            PipedCommand command = own("check", kernel);
            assertEquals(0, command.code(), command.toString());
            assertEquals("presets 1 clean 1 mutants 0 found 0 missed 0", command.lines().getLast());
        }
    }

    @Test
    void runsOnArraysOfFiles() {
        PipedCommand softmax = own("run", "my.Tiles#SOFTMAX --input @ --output %y.npy --executor reference --check");
        assertEquals(0, softmax.code(), softmax.toString());
        assertTrue(softmax.out().startsWith("my.Tiles#SOFTMAX f32 200x320 on the CPU: ")
                && softmax.out().contains(", every byte equals that of the program for a GPU"), softmax.out());
        PipedCommand weighted = own("run", "my.Tiles#WEIGHTED --input a=@ --input b=%y.npy --output %z.npy --executor "
                + "reference --scalar 2 --json");
        assertEquals(0, weighted.code(), weighted.toString());
        try (Arena arena = Arena.ofShared()) {
            for (int i : new int[] {0, 321, 63999}) {
                assertEquals(at(ARRAY, i, arena) * 2 + at(folder.resolve("y.npy"), i, arena),
                        at(folder.resolve("z.npy"), i, arena), 0);
            }
        }
    }

    private static float at(Path file, int element, Arena arena) {
        return NpyReader.open(file, arena).data().getAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, element);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "explain|my.Tiles#SOFTMAX|kernel 'softmax' has tiles of extent 'columns', which its programs are made for",
        "explain|my.Tiles#SOFTMAX --extents depth=3|--extents depth=3: my.Tiles#SOFTMAX has dimensions [rows, columns]",
        "explain|my.Tiles#WEIGHTED --schedule depth=3|a tile kernel's schedule has no option 'depth'",
        "explain|my.Tiles#WEIGHTED --schedule many|options are such as",
        "emit|my.Kernels#square --schedule threads=64|--schedule is of tile kernels, and --program my.Kernels#square",
        "check|my.Tiles#SOFTMAX --memory memory|--memory is what a Launch's buffers hold",
        "run|my.Tiles#WEIGHTED --input @ --output %y.npy|--program my.Tiles#WEIGHTED reads a, b: say which --input",
        "run|my.Tiles#WEIGHTED --input a=@ --output %y.npy|--program my.Tiles#WEIGHTED reads a, b: name the file of ",
        "run|my.Tiles#WEIGHTED --input c=@ --output %y.npy|--program my.Tiles#WEIGHTED reads a, b, and no 'c'",
        "run|my.Tiles#WEIGHTED --input a=@ --input b=@ --output %y.npy --executor reference|kernel 'weighted': scalar "
        + "'weight' is not set", "run|my.Tiles#SOFTMAX --input @ --output %y.npy --scalar 3|--scalar 3 is none of",
        "run|my.Tiles#SOFTMAX --input @ --output %y.npy --type f32|--type is of presets",
        "run|my.Tiles#SOFTMAX --input x=@ --output @|--output @ is the file that is read as --input",
        "run|my.Kernels#rectify --input @ --input @ --output %y.npy|--input is given 2 times"})
    void whatWillNotDoIsRefusedInASentence(String verb, String words, String refusal) {
        PipedCommand command = own(verb, words);
        assertTrue(command.refusal().startsWith("tilewright: " + refusal.replace("@", ARRAY.toString())),
                command.toString());
        assertEquals(2, command.code());
    }
}

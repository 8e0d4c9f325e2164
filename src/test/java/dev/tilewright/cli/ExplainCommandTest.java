package dev.tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tilewright.MissingRequirementException;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.Presets;
import dev.tilewright.builder.Schedule;
import dev.tilewright.explain.Explanation;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.ptx.Target;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.tools.ToolProvider;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.commons.lang3.ArrayUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code explain}: what a program, its waits and its compiler say. */
class ExplainCommandTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    Path folder;

    /** All words about a kernel; what the compiler says of it is a number that a version may change. */
    @Test
    void theWords() {
        PipedCommand command = PipedCommand.run("", "explain", "bulk-copy", "--target", "sm_90a");
        assertEquals(0, command.code(), command.err());
        assertEquals("""
                bulk_copy: 1-D TMA copies of 4096 f32, 4 stages, wait by parity, step: copy
                threads   32 a block
                shared    65568 bytes a block (name, bytes, offset): ring 65536 at 0, full 32 at 65536 (4 mbarriers)
                in flight at most 65536 bytes a block, the size of what asynchronous copies fill: ring
                wait      step 8, line N, 'no thread touches a barrier before it is set up' (__syncthreads)
                          until all 32 threads of the block have arrived here
                          then each thread sees what the others wrote before
                wait      step 19, line N, 'all bytes of the stage have landed' \
                (mbarrier.try_wait.parity.shared::cta.b64)
                          until a phase of one of the 4 mbarriers 'full' completes, which takes 1 arrival and the \
                announced bytes
                          by step 15, 'announce its bytes' (mbarrier.arrive.expect_tx.shared::cta.b64): arrives
                          by step 16, 'start the copy' \
                (cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes): counts its bytes there, into 'ring'
                          then what the copies wrote to 'ring' may be read; what the arriving threads did before their \
                arrival is done
                wait      step 25, line N, 'the store of the stage's previous tile has read it' \
                (cp.async.bulk.wait_group.read)
                          until the sources of this thread's bulk groups have been read, but for the newest
                          by step 21, 'start the copy back' (cp.async.bulk.global.shared::cta.bulk_group): copies \
                'ring' to 'result'
                          then the copies of these groups have read their sources, which may be overwritten: 'ring'
                wait      step 27, line N, 'the block must not exit before its last tiles have been read' \
                (cp.async.bulk.wait_group.read)
                          until the sources of this thread's bulk groups have been read
                          by step 21, 'start the copy back' (cp.async.bulk.global.shared::cta.bulk_group): copies \
                'ring' to 'result'
                          then the copies of these groups have read their sources, which may be overwritten: 'ring'
                sm_90a    R registers, no spills; 3 blocks per multiprocessor, limited by shared memory (other limits: \
                blocks 32, threads 64, registers N); at most \
                196608 bytes in flight on it
                """, command.out().replaceAll("line \\d+", "line N")
                        .replaceAll("\\d+ registers", "R registers").replaceAll("registers \\d+", "registers N"));
        assertEquals("", command.err());
    }

    @Test
    void theDocument() throws IOException {
        PipedCommand command = PipedCommand.run("", "explain", "cp-async-pipeline", "--stages", "3", "--json",
                "--target", "sm_80");
        assertEquals(0, command.code(), command.err());
        JsonNode document = JSON.readTree(command.out());
        TileProgram program = Presets.named("cp-async-pipeline").build(ElementType.F32, 2, Schedule.parse("stages=3"))
                .program();
        assertEquals(program.shared().bytes(), document.get("sharedBytes").asInt());
        assertEquals(program.threads(), document.get("threads").asInt());
        assertEquals("[\"ring\"]", document.get("filled").toString());
        JsonNode target = document.at("/targets/0");
        assertTrue(target.get("registers").asInt() > 8, target::toString);
        int least = Integer.MAX_VALUE;
        for (JsonNode limit : target.get("limits")) {
            least = Math.min(least, limit.asInt());
        }
        assertEquals(least, target.get("blocksPerMultiprocessor").asInt());
        assertEquals(List.of("target", "registers", "stackBytes", "spillStoreBytes", "spillLoadBytes", "remarks",
                "blocksPerMultiprocessor", "limits"), target.properties().stream().map(Map.Entry::getKey).toList());
    }

    /** Without a compiler all is said that the program says, and why the rest is not. */
    @Test
    void withoutNvrtc() {
        for (Preset preset : Presets.ALL) {
            TileProgram program = preset.build(ElementType.F32).program();
            Explanation explained = Explanation.of(program, List.of(Target.SM_90A), () -> {
                throw new MissingRequirementException("there is no NVRTC here");
            });
            assertTrue(explained.lines().getLast()
                    .matches("sm_90a    at most \\d+ blocks? per multiprocessor, limited by .*; not compiled: there is "
                    + "no NVRTC here"), explained.lines()::getLast);
            assertTrue(program.shared().bytes() == 0 || explained.bytesInFlight() > 0
                    && explained.bytesInFlight() <= program.shared().bytes(), explained.lines()::toString);
            assertTrue(program.shared().bytes() == 0 || !explained.waits().isEmpty(), preset.name());
            // Nothing is named that could not be told.
            assertTrue(explained.lines().stream().noneMatch(line -> line.contains("computed")),
                    explained.lines()::toString);
        }
    }

    /** Every wait that takes copies in names them, and what they fill. */
    @Test
    void everyCopyIsWaitedFor() {
        for (Preset preset : Presets.ALL) {
            TileProgram program = preset.build(ElementType.F32).program();
            Explanation explained = Explanation.of(program, List.of(), () -> null);
            for (String filled : explained.filled()) {
                assertTrue(explained.waits().stream().anyMatch(w -> w.then().contains("'" + filled + "'")
                        && !w.by().isEmpty()), preset.name() + ": " + filled);
            }
        }
    }

    @Test
    void aKernelOfOnesOwn() {
        Path root = Path.of(System.getProperty("tilewright.root", "."));
        assertEquals(0, ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, "-cp", System.getProperty("java.class.path"), "-proc:none",
                "-d", folder.toString(), root.resolve("examples/own-kernel/Kernels.java").toString()));
        for (String member : List.of("rectify", "square", "launch")) {
            PipedCommand command = PipedCommand.run("", "explain", "--class-path", folder.toString(), "--program",
                    "my.Kernels#" + member, "--target", "sm_90a");
            assertEquals(0, command.code(), command.toString());
            assertTrue(command.lines().getLast().startsWith("sm_90a    ") && command.out().contains(" registers, "),
                    command.out());
        }
    }

    @Test
    void whatWillNotDo() {
        assertEquals("tilewright: preset 'bulk-copy' needs sm_90 or later, got --target sm_80",
                PipedCommand.run("", "explain", "bulk-copy", "--target", "sm_80").refusal());
        assertTrue(PipedCommand.run("", "explain").refusal().startsWith("tilewright: name a preset"));
        assertTrue(PipedCommand.run("", "explain", "bulk-cpy").refusal().contains("did you mean 'bulk-copy'?"));
        assertTrue(PipedCommand.run("", "explain", "bulk-copy", "--program", "a#b").refusal().contains("not both"));
    }

    /** The order of one tile has no step of another, and each arrow comes from above. */
    @Test
    void theOrderOfOneTile() {
        String svg = PipedCommand.run("", "explain", "tensor-scale", "--stages", "2", "--roles", "specialised",
                "--format", "svg").out();
        assertTrue(svg.contains(">wait full[0] phase 0 &lt;- ") && svg.contains(">store ring ("), svg);
        assertFalse(svg.contains(">wait full[0] phase 1"), svg);
        Matcher arrows = Pattern.compile("class=\"arrow\"[^>]* d=\"M\\d+ (\\d+)[LC][\\d ]* (\\d+)\"").matcher(svg);
        int count = 0;
        while (arrows.find()) {
            assertTrue(Integer.parseInt(arrows.group(1)) < Integer.parseInt(arrows.group(2)), arrows.group());
            count++;
        }
        assertTrue(count >= 3, svg);
    }

    /** A run takes the type of its file, so that the signature may be another's. */
    @Test
    void aPresetsTypeIsSaidWhereNoneIsAskedFor() {
        String usual = PipedCommand.run("", "explain", "swiglu", "--target", "sm_90a").out();
        assertTrue(usual.startsWith("elements of bf16; with --type: f16, f32\ntile kernel swiglu for sm_90a"), usual);
        String f32 = PipedCommand.run("", "explain", "swiglu", "--target", "sm_90a", "--type", "f32").out();
        assertTrue(f32.startsWith("tile kernel swiglu for sm_90a"), f32);
        assertNotEquals(signature(usual), signature(f32));
    }

    private static String signature(String text) {
        return text.lines().filter(line -> line.startsWith("signature ")).findFirst().orElseThrow();
    }

    /** A loop that is unrolled has many steps alike: they take one line, and what nothing beats another. */
    @Test
    void whatIsAlikeIsSaidOnce() {
        String text = PipedCommand.run("", "explain", "gemm", "--target", "sm_90a").out();
        assertTrue(Pattern.compile("\n          by steps \\d+ to \\d+, each, 'sums \\+= A B' \\(wgmma\\.").matcher(text)
                .find(), text);
        assertTrue(text.lines().filter(line -> line.contains("the lowering's choice")).count() <= 2L * text.lines()
                .filter(line -> line.contains("the lowering's choice")).map(line -> line.substring(10).split(",")[0])
                .distinct().count(), text);
    }

    /** {@code -o} takes what would be printed. */
    @ParameterizedTest
    @ValueSource(strings = {"explain tile-scale --format svg", "explain bulk-copy --target sm_90",
    "explain bulk-copy --json",
            "timeline bulk-copy", "timeline bulk-copy --format perfetto", "timeline bulk-copy --json",
            "swizzle --mode 32B --box 16x8", "swizzle --mode 32B --box 16x8 --format html", "emit bulk-copy"})
    void resultsGoToAFile(String line) throws IOException {
        Path file = folder.resolve("result");
        String[] words = line.split(" ");
        PipedCommand written = PipedCommand.run("", ArrayUtils.addAll(words, "-o", file.toString()));
        assertEquals(0, written.code(), written.err());
        assertEquals("", written.out());
        assertEquals(PipedCommand.run("", words).out(), Files.readString(file));
    }

    @Test
    void thePage() {
        String page = PipedCommand.run("", "explain", "tile-scale", "--format", "html").out();
        for (String part : List.of("<h1>scale</h1>", "What each pass chose", "The order of one tile",
                "Where elements are: %0", "Steps, and their lines of CUDA C++", "__global__ void",
                "<div class=\"pair\" id=\"step-1\" tabindex=\"0\">",
                "prefers-color-scheme: dark", "blocks per multiprocessor")) {
            assertTrue(page.contains(part), part);
        }
    }

    /** A kernel that does nothing. */
    public static Launch nothing() {
        return Launch.of(new TileProgram("nothing", "nothing", 32, List.of(), new SharedLayout(List.of()), List.of()),
                1, Map.of());
    }

    /** Of a kernel without a step there is a page without an order, and no drawing of one. */
    @Test
    void aKernelWithoutSteps() {
        String[] own = {"explain", "--class-path", "target/test-classes", "--program",
            ExplainCommandTest.class.getName() + "#nothing", "--format"};
        PipedCommand page = PipedCommand.run("", ArrayUtils.add(own, "html"));
        assertEquals(0, page.code(), page.toString());
        assertFalse(page.out().contains("The order of one tile"), page.out());
        assertTrue(PipedCommand.run("", ArrayUtils.add(own, "svg")).refusal().endsWith("#nothing performed no step in "
                + "this launch, and --format svg draws the order of a kernel that ran"));
        own[0] = "timeline";
        assertTrue(PipedCommand.run("", ArrayUtils.add(own, "perfetto")).refusal().endsWith("performed no step in this "
                + "launch, and a drawing or a trace is of a kernel that ran"));
    }

    @Test
    void picturesThatAreNotThere() {
        assertEquals("tilewright: give --json or --format, not both: got --json and --format HTML",
                PipedCommand.run("", "explain", "bulk-copy", "--json", "--format", "html").refusal());
        assertEquals("tilewright: --layout names what --format svg draws, and there is no --format svg",
                PipedCommand.run("", "explain", "tile-scale", "--layout", "%0").refusal());
        assertEquals("tilewright: --layout must be a tile that threads hold, of preset 'bulk-copy' none is, got '%0'",
                PipedCommand.run("", "explain", "bulk-copy", "--layout", "%0", "--format", "svg").refusal());
    }
}

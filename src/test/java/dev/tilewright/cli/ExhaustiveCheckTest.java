package dev.tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.tilewright.OrdinaryShare;
import dev.tilewright.docs.SourceFolder;
import dev.tilewright.hazard.explore.Explorer;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Dim3;
import dev.tilewright.program.Launch;
import dev.tilewright.program.ProgramBuilder;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.SharedArray;
import dev.tilewright.program.value.ValueType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code check --exhaustive}: presets, kernels of the user's own, the order that goes wrong, what is refused. */
class ExhaustiveCheckTest {
    private static final String CLASSES = "target/test-classes";

    /** Threads give numbers to their neighbours, and meet before they take them, or do not. */
    private static Launch exchange(int threads, boolean meet) {
        ProgramBuilder k = ProgramBuilder.of("exchange", threads).purpose("each thread's number to its neighbour");
        Parameter.Pointer to = k.output("to", ValueType.I32);
        SharedArray numbers = k.shared("numbers", ValueType.I32, threads);
        return Launch.named(k.build(b -> {
            Expr next = Builtin.THREAD.plus(1).modulo(threads);
            b.store(numbers, next, Builtin.THREAD.toValue());
            if (meet) {
                b.syncThreads();
            }
            b.store(to, Builtin.THREAD, b.load("mine", numbers, Builtin.THREAD));
        }), Dim3.of(1), Map.of("to", new Argument.Buffer(0, 0, 4L * threads)));
    }

    public static Launch met() {
        return exchange(32, true);
    }

    public static Launch unmet() {
        return exchange(2, false);
    }

    /** 64 threads write one word at once, the same: too many orders. */
    public static Launch crowd() {
        ProgramBuilder k = ProgramBuilder.of("crowd", 64).purpose("zero");
        Parameter.Pointer to = k.output("to", ValueType.I32);
        return Launch.named(k.build(b -> b.store(to, 0, Builtin.THREAD.minus(Builtin.THREAD).toValue())),
                Dim3.of(1), Map.of("to", new Argument.Buffer(0, 0, 4L)));
    }

    /** Larger buffers than fit. */
    public static Launch wide() {
        ProgramBuilder k = ProgramBuilder.of("wide", 32).purpose("zeros");
        Parameter.Pointer to = k.output("to", ValueType.I32);
        return Launch.named(k.build(b -> b.store(to, Builtin.THREAD, Builtin.THREAD.toValue())), Dim3.of(1),
                Map.of("to", new Argument.Buffer(0, 0, Explorer.mostBytes() / 4 / 16 * 16 + (1 << 20))));
    }

    /** More threads than are explored. */
    public static Launch many() {
        ProgramBuilder k = ProgramBuilder.of("many", 64).purpose("zeros");
        Parameter.Pointer to = k.output("to", ValueType.I32);
        return Launch.named(k.build(b -> b.store(to, Builtin.BLOCK.times(64).plus(Builtin.THREAD),
                Builtin.THREAD.toValue())), Dim3.of(32),
                Map.of("to", new Argument.Buffer(0, 0, 4L * 2048)));
    }

    /** Who follows the advice is not refused again: what a preset's launch is too large for has options or shapes. */
    @ParameterizedTest
    @OrdinaryShare(2)
    @ValueSource(strings = {"softmax --schedule threads=512", "rms-norm --schedule threads=1024"})
    void theAdviceOfAPresetHelps(String preset) {
        String line = "check " + preset + " --exhaustive";
        String refusal = PipedCommand.run("", line.split(" ")).refusal();
        String advice = refusal.substring(refusal.indexOf(": give ") + ": give ".length());
        PipedCommand followed = PipedCommand.run("", (line + " " + advice).split(" "));
        assertEquals(0, followed.code(), advice + " " + followed);
        assertTrue(followed.out().contains("  every order of "), followed.out());
    }

    /** What is not known is said at once, with its form, and the check is made all the same. */
    @Test
    void warpgroupsAreNotExplored() {
        PipedCommand gemm = PipedCommand.run("", "check", "gemm", "--exhaustive");
        assertEquals(3, gemm.code(), gemm.toString());
        assertTrue(gemm.out().contains("gemm: clean in ") && gemm.out().contains(
                "  not every order was tried: the explorer does not know wgmma.")
                && gemm.out().contains("check --help"), gemm.out());
        assertTrue(PipedCommand.run("", "check", "--help").out().replaceAll("\\s+", " ")
                .contains("Not explored: products of a warpgroup (wgmma), ldmatrix and stmatrix of bytes"));
    }

    private static PipedCommand own(String member, String... more) {
        String[] line = new String[6 + more.length];
        System.arraycopy(new String[] {"check", "--class-path", CLASSES, "--program",
            ExhaustiveCheckTest.class.getName() + "#" + member, "--exhaustive"}, 0, line, 0, 6);
        System.arraycopy(more, 0, line, 6, more.length);
        return PipedCommand.run("", line);
    }

    @Test
    void everyOrderGivesTheSame() {
        PipedCommand met = own("met");
        assertEquals(0, met.code(), met.toString());
        assertEquals("  every order of 32 threads in 1 block gives these bytes (1 state)", met.lines().get(1));
        PipedCommand preset = PipedCommand.run("", "check", "bulk-copy", "--threads", "32", "--tile", "64",
                "--exhaustive");
        assertEquals(0, preset.code(), preset.toString());
        assertTrue(preset.lines().get(1).startsWith("  every order of 96 threads in 3 blocks gives these bytes ("),
                preset.out());
        assertEquals("presets 1 clean 1 mutants 0 found 0 missed 0", preset.lines().getLast());
    }

    @Test
    void theOrderThatGoesWrongIsATable() throws IOException {
        PipedCommand unmet = own("unmet");
        assertEquals(1, unmet.code(), unmet.toString());
        assertTrue(unmet.out().contains("  an order of 2 threads in 1 block goes wrong: bytes that nothing wrote "
                + "are stored\n"), unmet.out());
        assertEquals(List.of("2    load numbers = unwritten bytes (in no order) 3     load mine",
                "3    store to = unwritten bytes 4     store a value",
                "4 store numbers = 0x00000001 (in no order)  1     store a value"), unmet.lines().stream()
                .filter(line -> line.matches("    \\d.*")).map(line -> line.strip().replaceAll(" {7,}", " ")).toList());
        assertTrue(unmet.out().indexOf("thread 0 ") < unmet.out().indexOf("thread 1  "), unmet.out());
        JsonNode order = new ObjectMapper().readTree(own("unmet", "--json").out()).at("/presets/0/exhaustive/order");
        assertEquals("bytes that nothing wrote are stored", order.get("fault").asText());
        assertEquals(2, order.get("roles").size());
    }

    /** The guide's transpose: 1,024 numbers by 32 threads, with its barrier and without. */
    @Test
    void thePageShowsTheOrderInWhichTheTransposeGoesWrong(@TempDir Path folder) throws IOException {
        Path docs = Path.of(System.getProperty("tilewright.root", ".")).resolve("docs");
        String source = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(docs.resolve("kernels.md"))).results().map(listing -> listing.group(1))
                .filter(listing -> listing.contains("class Transpose {")).findFirst().orElseThrow();
        new SourceFolder(folder).compile(Map.of("Transpose", source));
        String[] check = {"check", "--class-path", folder.toString(), "--program", "Transpose#withoutBarrier",
            "--memory", "memory", "--exhaustive"};
        PipedCommand wrong = PipedCommand.run("", check);
        assertEquals(1, wrong.code(), wrong.toString());
        String order = wrong.lines().stream().dropWhile(line -> !line.startsWith("  an order of ")).takeWhile(line ->
                line.startsWith(" ")).map(String::strip).collect(Collectors.joining("\n"));
        String page = Files.readString(docs.resolve("check.md"));
        assertTrue(page.contains("```text\n" + order + "\n```"), order);
        check[4] = "Transpose#launch";
        PipedCommand right = PipedCommand.run("", check);
        assertEquals("  every order of 32 threads in 1 block gives these bytes (1 state)", right.lines().get(1));
    }

    /** A thread for each of 1,024 numbers, which each gives to another. */
    public static Launch square() {
        return exchange(1024, true);
    }

    public static Launch brokenSquare() {
        return exchange(1024, false);
    }

    @Test
    void aBlockOfAllThreadsIsExplored() {
        PipedCommand right = own("square");
        assertEquals("  every order of 1024 threads in 1 block gives these bytes (1 state)", right.lines().get(1));
        PipedCommand wrong = own("brokenSquare");
        assertEquals(1, wrong.code(), wrong.toString());
        assertTrue(wrong.out().contains("  an order of 1024 threads in 1 block goes wrong: bytes that nothing wrote "
                + "are stored\n") && wrong.out().contains("load numbers = unwritten bytes (in no order)"), wrong.out());
    }

    @Test
    void whatIsTooLarge() {
        assertEquals("tilewright: softmax is too large for --exhaustive: its launch has 3 blocks of 512 threads, 1536 "
                + "together, and every order is tried of at most 1024: give --extents rows=1",
                PipedCommand.run("", "check", "softmax", "--schedule", "threads=512", "--exhaustive").err().strip());
        PipedCommand crowd = own("crowd", "--bound", "100");
        assertEquals(2, crowd.code(), crowd.toString());
        assertTrue(crowd.err().contains("it stopped after 100 states (--bound), and none of the orders so far goes "
                + "wrong. How many states there are is not known: each step that nothing orders multiplies them. Give "
                + "a larger --bound, or a launch of fewer threads, blocks or turns of its loops"), crowd.err());
        assertTrue(own("crowd", "--bound", "1").err().contains("after 1 state (--bound)"));
        assertEquals("tilewright: --bound is the most states of --exhaustive, and there is no --exhaustive",
                PipedCommand.run("", "check", "bulk-copy", "--bound", "7").refusal());
        String wide = own("wide").refusal();
        assertTrue(wide.contains("wide is too large for --exhaustive: its buffers have ") && wide.endsWith(
                "name a Launch of smaller buffers, or give it more (TILEWRIGHT_JAVA_OPTS=-Xmx8g)"), wide);
        String many = own("many").refusal();
        assertTrue(many.endsWith("32 blocks of 64 threads, 2048 together, and every order is tried of at most 1024: "
                + "name a Launch of fewer blocks, or a kernel of fewer threads"), many);
        assertEquals("tilewright: --bound must be at least 1, got 0", own("met", "--bound", "0").refusal());
        assertTrue(PipedCommand.run("", "check", "--all", "--exhaustive").refusal().contains("name one"));
    }
}

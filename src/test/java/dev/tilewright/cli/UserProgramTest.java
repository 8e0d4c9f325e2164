package dev.tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Thorough;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.apache.commons.io.file.PathUtils;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Kernels of a user's own, compiled by javac into an empty folder and named on the command line. */
class UserProgramTest {
    private static final Path ROOT = Path.of(System.getProperty("tilewright.root", "."));
    /** Members that will not do, each with its mistake. */
    private static final String WRONG = """
            package my;
            import dev.tilewright.builder.*;
            import dev.tilewright.layout.ElementType;
            import dev.tilewright.program.*;
            import dev.tilewright.program.expression.*;
            class Wrong {
                static final String TEXT = "no kernel";
                static Object nothing;
                final ElementwiseKernel instance = null;
                static ElementwiseKernel sized(int tile) { return null; }
                static ElementwiseKernel fails() {
                    System.out.println("is no result");
                    return deeper();
                }
                private static ElementwiseKernel deeper() {
                    return BulkCopy.of(ElementType.F32).tile(-1).build();
                }
                static ElementwiseKernel recursive() { return recursive(); }
                static Helper needs() { return new Helper(); }
                private static ElementwiseKernel hidden() { return VectorCopy.of(ElementType.F32).build(); }
                static Launch unsaid() {
                    Parameter.Pointer x = new Parameter.Pointer("x", true);
                    return new Launch(new TileProgram("p", "p", 32, java.util.List.of(x), new \
            SharedLayout(java.util.List.of()),
                            Body.steps(b -> { })), 1, java.util.List.of(new Argument.Buffer(0)));
                }
                static String memory(java.lang.foreign.Arena arena) { return ""; }
            }
            class Helper { }
            class Initialised {
                static final ElementwiseKernel KERNEL =
                        BulkCopy.of(ElementType.F32).stages(Integer.parseInt("two")).build();
            }
            class Memory {
                static final Parameter.Pointer X = new Parameter.Pointer("x", true);
                static Launch launch() {
                    return of(new Argument.Buffer(0, 0, 256));
                }
                static Launch beyond() {
                    return of(new Argument.Buffer(0, Long.MAX_VALUE, 256));
                }
                static Launch numbered() {
                    return of(new Argument.Buffer(Integer.MAX_VALUE, 0, 256));
                }
                static Launch of(Argument x) {
                    return new Launch(new TileProgram("p", "p", 32, java.util.List.of(X), new \
            SharedLayout(java.util.List.of()),
                            Body.steps(b -> { })), 1, java.util.List.of(x));
                }
                static TileProgram undefined() {
                    Register[] r = new Register[1];
                    return new TileProgram("p", "p", 32, java.util.List.of(), new \
            SharedLayout(java.util.List.of()), Body.steps(b -> {
                        b.when(Expr.Builtin.THREAD.isEqualTo(0), one -> r[0] = one.variable("q", 1));
                        b.assign(r[0], r[0].get());
                    }));
                }
                static Object pointer() { return X; }
                static java.util.List<java.lang.foreign.MemorySegment> fails(java.lang.foreign.Arena arena) {
                    return java.util.List.of(arena.allocate(Integer.parseInt("two")));
                }
                static Object tooShort(java.lang.foreign.Arena arena) {
                    return java.util.List.of(arena.allocate(16));
                }
                static Object none(java.lang.foreign.Arena arena) { return java.util.List.of(); }
                static Object nothing(java.lang.foreign.Arena arena) { return null; }
                static Object second(java.lang.foreign.Arena arena) {
                    return java.util.Arrays.asList(arena.allocate(256), null);
                }
                static Object texts(java.lang.foreign.Arena arena) {
                    return java.util.List.of(arena.allocate(256), "text");
                }
                static Object closed(java.lang.foreign.Arena arena) {
                    try (var own = java.lang.foreign.Arena.ofShared()) {
                        return java.util.List.of(own.allocate(256));
                    }
                }
                Object instance(java.lang.foreign.Arena arena) { return null; }
            }
            """;

    @TempDir
    static Path compiled;

    @TempDir
    Path folder;

    private Path classes;

    @BeforeAll
    static void compile() throws IOException {
        Path wrong = Files.writeString(compiled.resolve("Wrong.java"), WRONG);
        Path example = ROOT.resolve("examples/own-kernel/Kernels.java");
        Path tested = ROOT.resolve("examples/tested-kernel/src/main/java/kernels/Rectify.java");
        assertEquals(0, ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, "-cp", System.getProperty("java.class.path"), "-proc:none", "-d",
                compiled.toString(), wrong.toString(), example.toString(), tested.toString()));
        Files.delete(wrong);
    }

    /** Of its own for each test, as some of them change it. */
    @BeforeEach
    void copy() throws IOException {
        classes = folder.resolve("classes");
        PathUtils.copyDirectory(compiled, classes);
    }

    private PipedCommand own(String verb, String member, String... more) {
        List<String> line = new ArrayList<>(List.of(verb, "--class-path", classes.toString(), "--program", member));
        line.addAll(Arrays.asList(more));
        return PipedCommand.run("", line.toArray(String[]::new));
    }

    @ParameterizedTest
    @CsvSource({"my.Kernels#rectify", "my.Kernels#launch", "my.Kernels#launch --memory memory",
            "kernels.Rectify#KERNEL",
        "my.Wrong#hidden"})
    void isCheckedAsPresetsAre(String words) {
        String[] all = words.split(" ");
        PipedCommand command = own("check", all[0], Arrays.copyOfRange(all, 1, all.length));
        assertEquals(0, command.code(), command.toString());
        assertTrue(command.lines().getFirst().startsWith(all[0] + ": clean in "), command.out());
        assertEquals("presets 1 clean 1 mutants 0 found 0 missed 0", command.lines().getLast());
        assertEquals("", command.err());
    }

    /** The mistakes of a kernel of one's own are made and found, too. */
    @Test
    void itsMutantsAreTried() {
        PipedCommand command = own("check", "my.Kernels#rectify", "--mutants", "--seeds",
                Integer.toString(Thorough.of(1, 6)));
        assertTrue(command.lines().getLast().matches("presets 1 clean 1 mutants [1-9]\\d* found [1-9]\\d* missed 0"),
                command.toString());
        assertEquals(0, command.code());
    }

    @Test
    void isEmitted() {
        for (String member : List.of("my.Kernels#square", "my.Kernels#launch", "my.Kernels#rectify",
                "kernels.Rectify#KERNEL")) {
            PipedCommand command = own("emit", member);
            assertEquals(0, command.code(), command.toString());
            assertTrue(command.out().contains("__global__"), command.out());
        }
        assertEquals("tilewright: my.Kernels#rectify needs sm_90 or later, got --target sm_80",
                own("emit", "my.Kernels#rectify", "--target", "sm_80").refusal());
    }

    @Test
    void movesAnArray() {
        Path input = ROOT.resolve("examples/interference.npy");
        Path output = folder.resolve("y.npy");
        PipedCommand command = own("run", "my.Kernels#rectify", "--input", input.toString(), "--output",
                output.toString(), "--executor", "reference", "--check");
        assertEquals(0, command.code(), command.toString());
        assertTrue(command.out().startsWith("my.Kernels#rectify f32 ") && command.out().contains("every byte equals"),
                command.out());
        assertTrue(own("run", "my.Kernels#launch", "--input", input.toString(), "--output", output.toString()).refusal()
                .contains("run moves an array through an ElementwiseKernel"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "my.Kernels|--program takes CLASS#MEMBER such as my.Kernels#softmax, got 'my.Kernels'",
        "my.Kernel#x|there is no class my.Kernel in --class-path @",
        "my/Kernels#x|--program takes CLASS#MEMBER",
        "my.Kernels#rectfy|class my.Kernels has no field or method 'rectfy': it has launch, rectify, square",
        "my.Helper#x|class my.Helper has no field or method 'x'; none of its static members gives an ElementwiseKernel",
        "my.Wrong#instance|--program my.Wrong#instance is not static",
        "my.Wrong#sized|--program my.Wrong#sized takes parameters",
        "my.Wrong#TEXT|--program my.Wrong#TEXT gives a java.lang.String, and has to give an ElementwiseKernel, a "
        + "TileKernel, a TileProgram or a Launch",
        "my.Wrong#nothing|--program my.Wrong#nothing gives null, and has to give",
        "my.Wrong#unsaid|kernel 'p': parameter 'x' points to buffer 0 without an extent",
        "my.Kernels#square|--program my.Kernels#square gives a program, and what runs here is a launch of it",
        "my.Kernels#launch --memory no|--memory no: class my.Kernels has no method of that name that takes an Arena",
        "my.Wrong#unsaid --memory memory|--memory memory gives a java.lang.String, and has to give a "
        + "List<MemorySegment>, one for each buffer",
        "my.Memory#launch --memory nothing|--memory nothing gives null, and has to give a List<MemorySegment>",
        "my.Memory#launch --memory second|--memory second gives a list whose element 1 is null, and has to give",
        "my.Memory#launch --memory texts|--memory texts gives a list whose element 1 is a java.lang.String, and has",
        "my.Memory#launch --memory closed|--memory closed gives a list whose element 0 is memory of an arena that "
        + "is closed: allocate it from the one that the method is given",
        "my.Memory#launch --memory instance|--memory instance is not static: it is a static method that takes an "
        + "Arena",
        "my.Memory#launch --memory tooShort|--memory tooShort gives what does not suit the launch: kernel 'p': "
        + "parameter 'x' points to 256 bytes from byte 0 of buffer 0 on, which has 16 bytes",
        "my.Memory#launch --memory none|--memory none gives what does not suit the launch: kernel 'p': parameter 'x' "
        + "is buffer 0, and the launch is given 0 buffers",
        "my.Memory#beyond|kernel 'p': the buffers of this launch have more than 1073741824 bytes",
        "my.Memory#numbered|the launch has a buffer 2147483647, and the check makes at most 4096: number the buffers",
        "my.Memory#pointer|--program my.Memory#pointer gives a dev.tilewright.program.expression.Parameter.Pointer",
        "my.Kernels#rectify --memory memory|--memory is what a Launch's buffers hold",
        "my.Kernels#rectify --stages 3|--stages is an option of presets",
        "my.Kernels#rectify --type f16|--type is an option of presets",
        "my.Kernels#rectify --all|give --all or --program, not both",
        "my.Kernels#rectify bulk-copy|name a preset or give --program, not both"})
    void whatWillNotDoIsRefusedInASentence(String words, String refusal) {
        String[] all = words.split(" ");
        String said = own("check", all[0], Arrays.copyOfRange(all, 1, all.length)).refusal();
        assertTrue(said.startsWith("tilewright: " + refusal.replace("@", classes.toString())), said);
    }

    @Test
    void aClassPathIsLookedAt() throws IOException {
        Path text = Files.writeString(folder.resolve("text"), "no jar");
        assertEquals("tilewright: --class-path names " + folder.resolve("no") + ", and there is no such file or folder",
                PipedCommand.run("", "emit", "--class-path", folder.resolve("no") + ":" + classes, "--program",
                "my.Kernels#square").refusal());
        assertEquals("tilewright: --class-path names " + text + ", which is neither a folder nor a jar",
                PipedCommand.run("", "emit", "--class-path", text.toString(), "--program", "my.Kernels#square")
                .refusal());
        assertTrue(PipedCommand.run("", "emit", "--program", "my.Kernels#square").refusal()
                .contains("needs --class-path PATH"));
        assertTrue(PipedCommand.run("", "emit", "--class-path", text.toString(), "bulk-copy").refusal()
                .contains("there is no --program"));
    }

    @Test
    void aJarWillDo() throws IOException {
        Path jar = folder.resolve("my kernels.jar");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar)); Stream<Path> files =
                Files.walk(classes)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                out.putNextEntry(new JarEntry(classes.relativize(file).toString()));
                Files.copy(file, out);
            }
        }
        PipedCommand command = PipedCommand.run("", "emit", "--class-path", jar.toString(), "--program",
                "my.Kernels#square");
        assertEquals(own("emit", "my.Kernels#square"), command);
    }

    /** What the user's code prints is no result, and its failure is told down to the line of it that was at fault. */
    @Test
    void codeThatFailsIsShownWhere() {
        PipedCommand command = own("emit", "my.Wrong#fails");
        assertEquals(2, command.code());
        assertEquals("", command.out());
        List<String> said = command.err().lines().toList();
        assertEquals("is no result", said.getFirst());
        assertTrue(said.get(1).startsWith("tilewright: --program my.Wrong#fails failed: "), command.err());
        assertTrue(said.get(said.size() - 2).endsWith("my.Wrong.deeper(Wrong.java:16)"), command.err());
        assertTrue(said.getLast().endsWith("my.Wrong.fails(Wrong.java:13)"), command.err());
        PipedCommand initialised = own("emit", "my.Initialised#KERNEL");
        assertTrue(initialised.err().contains("failed: java.lang.NumberFormatException") && initialised.err().endsWith(
                "my.Initialised.<clinit>(Wrong.java:31)\n"), initialised.err());
        PipedCommand recursive = own("emit", "my.Wrong#recursive");
        assertTrue(recursive.err()
                .startsWith("tilewright: --program my.Wrong#recursive failed: java.lang.StackOverflowError\n"),
                recursive.err());
        assertTrue(recursive.err().lines().count() < 50, recursive.err());
    }

    /** Of the trace, what is the user's own: neither the library's lines nor the names of its private classes. */
    @Test
    void onlyLinesOfTheUsersAreShown() {
        assertEquals("""
                tilewright: --program my.Memory#undefined failed: java.lang.IllegalArgumentException: 'q' is used \
                where it is not defined (step: set q, added at Wrong.java:52)
                    at my.Memory.undefined(Wrong.java:50)
                """, own("emit", "my.Memory#undefined").err());
        PipedCommand memory = own("check", "my.Memory#launch", "--memory", "fails");
        assertEquals(2, memory.code());
        assertEquals("""
                tilewright: --memory fails of my.Memory failed: java.lang.NumberFormatException: For input string: "two"
                    at my.Memory.fails(Wrong.java:57)
                """, memory.err());
    }

    /** Whether it can be run at all is said before what it would be run on is asked for. */
    @Test
    void aLaunchIsNotAskedForAnArray() {
        for (String member : List.of("my.Kernels#launch", "my.Kernels#square")) {
            assertTrue(own("run", member).refusal().startsWith("tilewright: run moves an array through an "
                    + "ElementwiseKernel, and --program " + member + " gives something else"), member);
        }
        assertTrue(own("run", "my.Kernels#rectify").refusal().contains("--input X.npy"));
    }

    @Test
    void aClassThatLacksAnotherSaysWhich() throws IOException {
        Files.delete(classes.resolve("my/Helper.class"));
        String refusal = own("emit", "my.Wrong#needs").refusal();
        assertTrue(refusal.startsWith("tilewright: class my.Wrong needs what --class-path does not have: ")
                && refusal.contains("my/Helper"), refusal);
        assertFalse(refusal.contains("\n"), refusal);
    }

    @Test
    void aMethodThatIsThereNoMoreIsNamed() throws IOException {
        Path file = classes.resolve("my/Initialised.class");
        String bytes = Files.readString(file, StandardCharsets.ISO_8859_1);
        Files.writeString(file, bytes.replace("parseInt", "parseOld"), StandardCharsets.ISO_8859_1);
        String refusal = own("emit", "my.Initialised#KERNEL").refusal();
        assertTrue(refusal.startsWith("tilewright: class my.Initialised was compiled against other versions of "
                + "what it calls: ")
                && refusal.contains("parseOld"), refusal);
    }

    @Test
    void aNewerClassFileSaysSo() throws IOException {
        Path file = classes.resolve("my/Kernels.class");
        byte[] bytes = Files.readAllBytes(file);
        bytes[7] = (byte) 0xF0;
        Files.write(file, bytes);
        assertTrue(own("emit", "my.Kernels#square").refusal().contains("was compiled for a newer Java than this one"));
    }
}

package dev.tilewright;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.ToolProvider;
import jcuda.Pointer;
import org.apiguardian.api.API;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.platform.commons.JUnitException;
import org.openjdk.jmh.annotations.Benchmark;
import org.opentest4j.AssertionFailedError;

/** What CONTRIBUTING.md sends its reader to is there, and its recipes do, with all that a new member needs. */
@Order(8)
class ContributingTest {
    private static final Path ROOT = Path.of(System.getProperty("tilewright.root", "."));
    private static final Path SOURCES = ROOT.resolve("src/main/java/dev/tilewright");
    /** What the library is compiled with. */
    private static final String MODULES = ModuleTest.COMMAND_PATH + File.pathSeparator
            + ModuleTest.path(Test.class, AssertionFailedError.class, JUnitException.class, API.class, Benchmark.class,
            Pointer.class);
    /** The library's sources by their names in its folder, without the ending. */
    private static final Map<String, String> LIBRARY = new TreeMap<>();
    /** A file below src/main, or a type, between backticks. */
    private static final Pattern FILE = Pattern.compile("`([a-z0-9]+(?:/[a-z0-9]+)*/[A-Z]\\w+)(?:\\.java)?`");
    /** The subject of a recipe's commit, and a file of src/main that a commit touches. */
    private static final Pattern EXAMPLE = Pattern.compile("(?m)^Example: `(.+)`\\.$");
    private static final Pattern TOUCHED = Pattern.compile("(?m)^src/main/java/dev/tilewright/(.+)$");
    private static final Pattern TYPE = Pattern.compile("`([A-Z][a-z]+(?:[A-Z][a-z]+)+)`");

    @TempDir
    static Path folder;

    @Test
    void itsFilesAndTypesExist() throws IOException {
        String text = Files.readString(ROOT.resolve("CONTRIBUTING.md"));
        List<String> files = named(FILE, text);
        assertTrue(files.size() >= 8, files::toString);
        for (String file : files) {
            assertTrue(Files.exists(ROOT.resolve("src/main/java/dev/tilewright").resolve(file + ".java")), file);
        }
        Set<String> missing = new TreeSet<>(named(TYPE, text));
        assertTrue(missing.size() >= 15, missing::toString);
        try (Stream<Path> sources = Files.walk(ROOT.resolve("src"))) {
            missing.removeAll(sources.map(p -> p.getFileName().toString().replace(".java", ""))
                    .collect(Collectors.toSet()));
        }
        assertEquals(Set.of(), missing);
    }

    /** The commit that a recipe names is there, and touches no file of src/main that the recipe does not name. */
    @Test
    void examplesAreInTheHistory() throws Exception {
        assumeTrue(Files.exists(ROOT.resolve(".git")) && !Files.exists(ROOT.resolve(".git/shallow")), "no history");
        Map<String, String> sections = new TreeMap<>();
        for (String section : Files.readString(ROOT.resolve("CONTRIBUTING.md")).split("\n## ")) {
            named(EXAMPLE, section).forEach(subject -> sections.put(subject, section));
        }
        assertTrue(sections.size() >= 8, sections.keySet()::toString);
        List<String> command = new ArrayList<>(List.of("git", "log", "--format=subject %s", "--name-only", "-F"));
        sections.keySet().forEach(subject -> command.add("--grep=" + subject));
        Process git = new ProcessBuilder(command).directory(ROOT.toFile()).redirectErrorStream(true).start();
        String log = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, git.waitFor(), log);
        Set<String> found = new TreeSet<>();
        for (String commit : log.split("(?m)^subject ")) {
            for (String subject : sections.keySet()) {
                if (commit.startsWith(subject)) {
                    found.add(subject);
                    for (String file : named(TOUCHED, commit)) {
                        assertTrue(sections.get(subject).contains("`" + file + "`") || sections.get(subject).contains(
                                "`" + file.replaceFirst("/[A-Z][a-z]+(?=[A-Z])", "/*") + "`"), subject + ": " + file);
                    }
                }
            }
        }
        assertEquals(sections.keySet(), found);
    }

    /** What a recipe has one add: to files that it names, before a piece of text, or as a file of its own. */
    private record Recipe(String title, String family, Map<String, Map<String, String>> edits,
            Map<String, String> files) {
        /** Whether a file of the library may decide by the family's members, or gets one. */
        boolean decides(String file) {
            String source = LIBRARY.get(file);
            return edits.containsKey(file) || source.contains("switch (") && source.contains(family)
                    && Pattern.compile("\\b" + family + "\\b").matcher(source).find();
        }

        @Override
        public String toString() {
            return title;
        }
    }

    static Stream<Recipe> recipes() {
        return Stream.of(
                new Recipe("A PTX instruction: 3 files", "WarpInstruction", Map.of(
                        "ptx/warp/WarpInstruction", Map.of("Nanosleep, ReduxSync", "Naptime, "),
                        "reference/compile/InstructionCompiler", Map.of("            case Nanosleep _ ->",
                                "            case dev.tilewright.ptx.warp.Naptime _ -> List.of();\n")),
                        Map.of("ptx/warp/Naptime", """
                                package dev.tilewright.ptx.warp;

                                import dev.tilewright.ptx.About;
                                import dev.tilewright.ptx.Form;
                                import dev.tilewright.ptx.StepRole;

                                @About(section = "", role = StepRole.OTHER, summary = "")
                                public record Naptime() implements WarpInstruction {
                                    @Override
                                    public Form form() {
                                        return new Nanosleep().form();
                                    }
                                }
                                """)),
                new Recipe("A value node: 2 files", "Value", Map.of(
                        "program/expression/Value", Map.of("            case Unary u ->",
                                "            case Twice t -> new Twice(change.apply(t.value()));\n",
                                "    /** A comparison of two values of one type", """
                                    record Twice(Value value) implements Compound {
                                        @Override
                                        public ValueType type() {
                                            return value.type();
                                        }

                                        @Override
                                        public List<Value> parts() {
                                            return List.of(value);
                                        }

                                        @Override
                                        public long word(long... parts) {
                                            return 2 * parts[0];
                                        }
                                    }

                                """),
                        "emit/ValueText", Map.of("            case Value.Dp4a _ ->",
                                "            case Value.Twice _ -> \"(2 * \" + a[0] + \")\";\n")),
                        use("Value", "body.store(R.at(0), new Value.Twice(Value.i32(21)));", "(2 * 21)")),
                new Recipe("An operation: 4 files", "Operation", Map.of(
                        "program/Operation", Map.of("    /** Leaves the innermost loop", """
                                    record Raise(Register variable, Value by) implements Operation {
                                        @Override
                                        public String summary() {
                                            return "raise " + variable.name();
                                        }

                                        @Override
                                        public Stream<Value> parts() {
                                            return Stream.of(variable.get(), by);
                                        }

                                        @Override
                                        public List<Written> changes() {
                                            return List.of(new Written(variable, Expr.of(0), 1));
                                        }
                                    }

                                """),
                        "program/Body", Map.of("    /** Leaves the innermost loop. */", """
                                    public void raise(Register variable, Value by) {
                                        add(new Operation.Raise(variable, by));
                                    }

                                """),
                        "emit/StepText", Map.of("            case Operation.Guard(", """
                                            case Operation.Raise(Register variable, Value by) ->
                                                    out.line(names.of(variable) + " += " + values.of(by) + ";");
                                """),
                        "reference/compile/ProgramCompiler", Map.of("            case Operation.Guard guard ->", """
                                            case Operation.Raise(Register variable, Value by) ->
                                                    add(new ValueOps.Fill(slots.of(variable), 1,
                                                    expressions.values().word(variable.get().plus(by))));
                                """)),
                        use("Operation", """
                                var sum = body.variable("sum", Value.i32(40));
                                body.raise(sum, Value.i32(2));
                                body.store(R.at(0), sum.get());
                                """, "sum += 2;")),
                new Recipe("An input of an instruction: 3 files", "Input", Map.of(
                        "program/expression/Input", Map.of("    /**\n     * 128 bits.\n", """
                                    record Next(Expr value) implements Input {
                                        @Override
                                        public Predicate<Operand> fits() {
                                            return new Number(value).fits();
                                        }

                                        @Override
                                        public String title() {
                                            return "the next number";
                                        }

                                        @Override
                                        public Stream<Value> parts() {
                                            return Stream.of(new Value.Index(value));
                                        }
                                    }

                                """),
                        "emit/StepText", Map.of("            case Input.Wide(",
                                "            case Input.Next(Expr value) -> expressions.of(value) + \" + 1\";\n"),
                        "reference/compile/PlaceCompiler", Map.of(
                                "            case Input.Number(Expr value) -> expressions.index", """
                                            case Input.Next(Expr value) -> expressions.index(value.plus(1));
                                """)),
                        use("Input", """
                                body.issue(Red.relaxed(Scope.GPU, Space.GLOBAL, AtomicOp.ADD, DataType.U32),
                                        Input.of(R.at(0)), new Input.Next(Expr.of(41)));
                                """, "41 + 1")),
                new Recipe("A kind of address: 3 files", "Address", Map.of(
                        "program/expression/Address", Map.of("    /**\n     * An mbarrier.\n", """
                                    record Start(Parameter.Pointer pointer) implements Address {
                                        @Override
                                        public Optional<Object> memory() {
                                            return Optional.of(pointer);
                                        }

                                        @Override
                                        public List<Expr> numbers() {
                                            return List.of();
                                        }

                                        @Override
                                        public String title() {
                                            return "the start of '" + pointer.name() + "'";
                                        }
                                    }

                                """),
                        "emit/StepText", Map.of("            case Address.Global g ->",
                                "            case Address.Start(var pointer) -> \"&*\" + names.of(pointer);\n"),
                        "reference/compile/PlaceCompiler", Map.of(
                                "            case Address.Global a -> place(a);", """
                                            case Address.Start(var pointer) ->
                                                    place(new Address.Global(pointer, 0));
                                """)),
                        use("Address", "body.store(new Address.Start(R), Value.i32(42));", "&*r")),
                new Recipe("An operation of the tile language: 4 files", "TileNode", Map.of(
                        "tile/TileNode", Map.of("    /** A tile that a loop carries from turn to turn", """
                                    record Doubled(Tile of) implements OfOne {
                                        @Override
                                        public Doubled map(UnaryOperator<Tile> change) {
                                            return new Doubled(change.apply(of));
                                        }
                                    }

                                """),
                        "tile/Tile", Map.of("    // ---- products", """
                                    public Tile doubled() {
                                        return trace.add(type, shape, new TileNode.Doubled(this));
                                    }

                                """),
                        "tile/run/Worker", Map.of("            case TileNode.Reshape(Tile of) ->", """
                                            case TileNode.Doubled(Tile of) -> {
                                                Elements from = value(of);
                                                yield () -> ArrayMath.binary(BinaryOp.ADD, from, from, out,
                                                        out.count());
                                            }
                                """),
                        "tile/lower/TileSteps", Map.of("            case TileNode.Reshape(Tile of) ->", """
                                            case TileNode.Doubled(Tile of) -> {
                                                Held from = get(body, of);
                                                Held out = Registers.held(body, Held.name(tile), tile.type(),
                                                        from.layout(), extents);
                                                Registers.each(body, from.layout().registerCount(), (b, r) ->
                                                        b.assign(out.register().at(r), from.register().at(r)
                                                        .times(2)));
                                                yield out;
                                            }
                                """)),
                        Map.of("program/UseTileNode", """
                                package dev.tilewright.program;

                                import dev.tilewright.gpu.*;
                                import dev.tilewright.junit.*;
                                import dev.tilewright.program.value.ValueType;
                                import dev.tilewright.ptx.Target;
                                import dev.tilewright.tile.*;
                                import java.util.*;

                                public final class UseTileNode {
                                    private static final TileKernel KERNEL = TileKernel.of("use", k -> {
                                        Dim n = k.dim("n");
                                        Tensor x = k.in("x", ValueType.I32, n);
                                        Tensor y = k.out("y", ValueType.I32, n);
                                        k.forEachTile(List.of(k.steps(n, 32)), at ->
                                                y.store(at, x.tile(at).doubled()));
                                    });

                                    public static String result() {
                                        int[] x = {21};
                                        int[] cpu = new int[1];
                                        int[] gpu = new int[1];
                                        KERNEL.onCpu().set("x", x, 1).set("y", cpu, 1).run();
                                        try (Gpu one = Gpu.emulated(); ArrayKernel kernel = one.load(KERNEL)) {
                                            kernel.launch().set("x", x, 1).set("y", gpu, 1).run();
                                        }
                                        var report = HazardFree.assertHazardFree(KERNEL, Target.SM_90A,
                                                Map.of("x", HostArray.of(x), "y", HostArray.of(gpu)), Map.of());
                                        return (cpu[0] == gpu[0] && KERNEL.toString().contains("doubled %")) + " "
                                                + gpu[0] + " " + report.findings();
                                    }
                                }
                                """)));
    }

    /** A kernel that leaves 42 at the start of {@code r} by a new member, and what is to be in its source. */
    private static Map<String, String> use(String family, String steps, String text) {
        return Map.of("program/Use" + family, """
                package dev.tilewright.program;

                import dev.tilewright.program.expression.*;
                import dev.tilewright.program.value.ValueType;
                import dev.tilewright.ptx.*;
                import dev.tilewright.ptx.memory.Red;
                import java.util.*;

                public final class UseFAMILY {
                    private static final Parameter.Pointer R = Parameter.Pointer.writing("r", ValueType.I32);

                    public static String result() {
                        TileProgram program = new TileProgram("use", "a new member", 1, List.of(R),
                                new SharedLayout(List.of()), Body.steps(body -> {
                STEPS
                        }));
                        String source = dev.tilewright.emit.CudaEmitter.emit(program).text();
                        Launch launch = Launch.of(program, 1, Map.of(R, new Argument.Buffer(0)));
                        try (var arena = java.lang.foreign.Arena.ofConfined()) {
                            var memory = arena.allocate(256, 256);
                            var report = dev.tilewright.hazard.check.HazardCheck.check(launch, List.of(memory));
                            dev.tilewright.reference.Reference.run(launch, List.of(memory.fill((byte) 0)));
                            return source.contains("TEXT") + " " + memory.get(java.lang.foreign.ValueLayout.JAVA_INT, 0)
                                    + " " + report.findings();
                        }
                    }
                }
                """.replace("FAMILY", family).replace("STEPS", steps.indent(12)).replace("TEXT", text));
    }

    /**
     * Does what all recipes say in a copy, compiles that with everything that decides by members of their families, and
     * has the new members printed, run and checked. An ordinary run follows one recipe in six.
     */
    @Test
    void newMembersNeedNoFurtherFile() throws Exception {
        List<Recipe> all = recipes().filter(Thorough.share(6)).toList();
        Predicate<Object> share = Thorough.share(5);
        Path classes = Files.createDirectory(folder.resolve("classes"));
        assertEquals(List.of(), compile(all, "", "", classes,
                name -> all.stream().anyMatch(recipe -> recipe.decides(name)), "GENERATE"));
        List<URL> urls = new ArrayList<>(List.of(classes.toUri().toURL()));
        for (String path : MODULES.split(File.pathSeparator)) {
            urls.add(Path.of(path).toUri().toURL());
        }
        try (var loader = new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            for (Recipe recipe : all) {
                if (recipe.files.containsKey("program/Use" + recipe.family)) {
                    assertEquals("true 42 []", loader.loadClass("dev.tilewright.program.Use" + recipe.family)
                            .getMethod("result").invoke(null), recipe.title);
                } else {
                    assertEquals("WarpInstruction", recipe.family, "a use is missing");
                }
            }
        }
        // Each file of a recipe is needed, by itself or by another of them: these are compiled with all other classes.
        for (Recipe recipe : all) {
            Predicate<String> its = name -> recipe.edits.containsKey(name) || recipe.files.containsKey(name);
            // With all files they compile, as they did above; in a thorough run by themselves, too.
            if (Thorough.of(0, 1) == 1) {
                assertEquals(List.of(), compile(all, "", "", classes, its, "FLOW"), recipe.title);
            }
            for (String file : new TreeSet<>(recipe.edits.keySet())) {
                if (!file.endsWith("/" + recipe.family) && share.test(file)) {
                    assertFalse(compile(all, recipe.title, file, classes, its, "FLOW").isEmpty(), file);
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("recipes")
    void aRecipeNamesItsFiles(Recipe recipe) throws IOException {
        String text = Files.readString(ROOT.resolve("CONTRIBUTING.md"));
        int start = text.indexOf("## " + recipe.title);
        assertTrue(start >= 0, recipe.title);
        String section = text.substring(start, text.indexOf("\n## ", start + 1));
        recipe.edits.keySet().forEach(file -> assertTrue(section.contains("`" + file + ".java`"), file));
    }

    @BeforeAll
    static void read() throws IOException {
        try (Stream<Path> files = Files.walk(SOURCES).filter(f -> f.toString().endsWith(".java"))) {
            for (Path file : files.toList()) {
                LIBRARY.put(SOURCES.relativize(file).toString().replace(".java", ""), Files.readString(file));
            }
        }
    }

    /**
     * What the compiler finds wrong with these files, where all these recipes are followed but for one file of one.
     *
     * @param until the last of javac's phases: FLOW is the last that complains, GENERATE leaves classes
     */
    private static List<String> compile(List<Recipe> all, String recipe, String without, Path classes,
            Predicate<String> ofThese, String until) throws IOException {
        Map<String, String> sources = new LinkedHashMap<>();
        LIBRARY.keySet().stream().filter(ofThese).forEach(name -> {
            String source = LIBRARY.get(name);
            for (Recipe one : all) {
                for (var edit : one.title.equals(recipe) && name.equals(without) ? Map.<String, String>of().entrySet()
                        : one.edits.getOrDefault(name, Map.of()).entrySet()) {
                    assertTrue(source.contains(edit.getKey()), name + ": " + edit.getKey());
                    source = source.replaceFirst(Pattern.quote(edit.getKey()),
                            Matcher.quoteReplacement(edit.getValue() + edit.getKey()));
                }
            }
            sources.put(name, source);
        });
        all.forEach(one -> one.files.forEach((name, source) -> {
            if (until.equals("GENERATE") || ofThese.test(name)) {
                sources.put(name, source);
            }
        }));
        Path copy = Files.createTempDirectory(folder, "copy");
        List<Path> copied = new ArrayList<>();
        for (var source : sources.entrySet()) {
            Path file = copy.resolve("dev/tilewright").resolve(source.getKey() + ".java");
            Files.createDirectories(file.getParent());
            copied.add(Files.writeString(file, source.getValue()));
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> complaints = new DiagnosticCollector<>();
        try (var files = compiler.getStandardFileManager(complaints, Locale.ROOT, null)) {
            compiler.getTask(null, files, complaints, List.of("-d", classes.toString(), "-proc:none",
                    "-implicit:none", "-XDshould-stop.ifNoError=" + until, "--module-path", MODULES, "--patch-module",
                    "dev.tilewright=" + copy), null, files.getJavaFileObjectsFromPaths(copied)).call();
        }
        return complaints.getDiagnostics().stream().filter(c -> c.getKind() == Diagnostic.Kind.ERROR)
                .map(c -> (c.getSource() == null ? "" : c.getSource().getName() + ": ") + c.getMessage(Locale.ROOT))
                .toList();
    }

    private static List<String> named(Pattern pattern, String text) {
        return pattern.matcher(text).results().map((MatchResult r) -> r.group(1)).toList();
    }
}

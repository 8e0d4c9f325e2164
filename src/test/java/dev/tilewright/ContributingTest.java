package dev.tilewright;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.platform.commons.JUnitException;
import org.openjdk.jmh.annotations.Benchmark;
import org.opentest4j.AssertionFailedError;

/** What CONTRIBUTING.md sends its reader to is there, and its recipes name all that a new member needs. */
class ContributingTest {
    private static final Path ROOT = Path.of(System.getProperty("tilewright.root", "."));
    private static final Path SOURCES = ROOT.resolve("src/main/java/dev/tilewright");
    /** What the library is compiled with. */
    private static final String MODULES = ModuleTest.COMMAND_PATH + File.pathSeparator
            + ModuleTest.path(Test.class, AssertionFailedError.class, JUnitException.class, API.class, Benchmark.class,
            Pointer.class);
    /** A file below src/main, or a type, between backticks. */
    private static final Pattern FILE = Pattern.compile("`([a-z0-9]+(?:/[a-z0-9]+)*/[A-Z]\\w+)(?:\\.java)?`");
    private static final Pattern TYPE = Pattern.compile("`([A-Z][a-z]+(?:[A-Z][a-z]+)+)`");

    @TempDir
    Path folder;

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

    /** What a recipe has one add: to files that it names, before a piece of text, or as a file of its own. */
    private record Recipe(String title, String family, Map<String, Map<String, String>> edits,
            Map<String, String> files) {
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

                                import dev.tilewright.ptx.Form;

                                public record Naptime() implements WarpInstruction {
                                    @Override
                                    public Form form() {
                                        return new Nanosleep().form();
                                    }

                                    @Override
                                    public String summary() {
                                        return "";
                                    }

                                    @Override
                                    public String section() {
                                        return "";
                                    }
                                }
                                """)),
                new Recipe("A value node: 2 files", "Value", Map.of(
                        "program/expression/Value", Map.of("    /** A comparison of two values of one type", """
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
                                        public Value map(UnaryOperator<Value> change) {
                                            return new Twice(change.apply(value));
                                        }

                                        @Override
                                        public long word(long... parts) {
                                            return 2 * parts[0];
                                        }
                                    }

                                """),
                        "emit/ValueText", Map.of("            case Value.Dp4a _ ->",
                                "            case Value.Twice _ -> \"(2 * \" + a[0] + \")\";\n")), Map.of()));
    }

    /** Does what a recipe says in a copy, and compiles that with everything that decides by members of the family. */
    @ParameterizedTest
    @MethodSource("recipes")
    void aRecipeNamesEveryFileThatANewMemberNeeds(Recipe recipe) throws IOException {
        String text = Files.readString(ROOT.resolve("CONTRIBUTING.md"));
        int start = text.indexOf("## " + recipe.title);
        assertTrue(start >= 0, recipe.title);
        String section = text.substring(start, text.indexOf("\n## ", start + 1));
        recipe.edits.keySet().forEach(file -> assertTrue(section.contains("`" + file + ".java`"), file));
        assertEquals(List.of(), compile(recipe, ""));
        // Each file of it is needed.
        for (String file : recipe.edits.keySet()) {
            if (!file.endsWith("/" + recipe.family)) {
                assertFalse(compile(recipe, file).isEmpty(), file);
            }
        }
    }

    private List<String> compile(Recipe recipe, String without) throws IOException {
        Map<Path, String> sources = new LinkedHashMap<>();
        Pattern decides = Pattern.compile("\\b" + recipe.family + "\\b");
        try (Stream<Path> files = Files.walk(SOURCES).filter(f -> f.toString().endsWith(".java"))) {
            for (Path file : files.toList()) {
                String name = SOURCES.relativize(file).toString().replace(".java", "");
                String source = Files.readString(file);
                for (var edit : name.equals(without) ? Map.<String, String>of().entrySet()
                        : recipe.edits.getOrDefault(name, Map.of()).entrySet()) {
                    assertTrue(source.contains(edit.getKey()), name + ": " + edit.getKey());
                    source = source.replaceFirst(Pattern.quote(edit.getKey()),
                            Matcher.quoteReplacement(edit.getValue() + edit.getKey()));
                }
                if (recipe.edits.containsKey(name) || source.contains("switch (") && decides.matcher(source).find()) {
                    sources.put(SOURCES.relativize(file), source);
                }
            }
        }
        recipe.files.forEach((name, source) -> sources.put(Path.of(name + ".java"), source));
        Path copy = Files.createTempDirectory(folder, "copy");
        List<Path> copied = new ArrayList<>();
        for (var source : sources.entrySet()) {
            Path file = copy.resolve("dev/tilewright").resolve(source.getKey());
            Files.createDirectories(file.getParent());
            copied.add(Files.writeString(file, source.getValue()));
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> complaints = new DiagnosticCollector<>();
        try (var files = compiler.getStandardFileManager(complaints, Locale.ROOT, null)) {
            compiler.getTask(null, files, complaints, List.of("-d", copy.resolve("classes").toString(), "-proc:none",
                    "-implicit:none", "--module-path", MODULES, "--patch-module",
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

package dev.tilewright;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
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
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
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
import org.junit.platform.commons.JUnitException;
import org.openjdk.jmh.annotations.Benchmark;
import org.opentest4j.AssertionFailedError;

/** What CONTRIBUTING.md sends its reader to is there, and its recipes do, with all that a new member needs. */
@Order(8)
class ContributingTest {
    private static final Path ROOT = Path.of(System.getProperty("tilewright.root", "."));
    private static final Path SOURCES = ROOT.resolve("src/main/java/dev/tilewright");
    private static final Path TESTS = ROOT.resolve("src/test/java/dev/tilewright");
    /** What the library is compiled with. */
    private static final String MODULES = ModuleTest.COMMAND_PATH + File.pathSeparator
            + ModuleTest.path(Test.class, AssertionFailedError.class, JUnitException.class, API.class, Benchmark.class,
            Pointer.class);
    private static final String TEST_CLASSES = ModuleTest.path(ContributingTest.class, ParameterizedTest.class);
    /** The library's sources by their names in its folder, without the ending. */
    private static final Map<String, String> LIBRARY = new TreeMap<>();
    /** A type between backticks, or its file. */
    private static final Pattern TYPE = Pattern.compile(
            "`((?:[a-z0-9]+/)+[A-Z]\\w+|[A-Z][a-z]+(?:[A-Z][a-z]+)+)(?:\\.java)?`");
    /** The subject of a recipe's commit, and a file of src/main that a commit touches. */
    private static final Pattern EXAMPLE = Pattern.compile("(?m)^Example: `(.+)`\\.$");
    private static final Pattern TOUCHED = Pattern.compile("(?m)^src/main/java/dev/tilewright/(.+)$");

    @TempDir
    static Path folder;

    @Test
    void itsFilesAndTypesExist() throws IOException {
        Set<String> missing = new TreeSet<>(named(TYPE, Files.readString(ROOT.resolve("CONTRIBUTING.md"))));
        assertTrue(missing.size() >= 23, missing::toString);
        try (Stream<Path> sources = Files.walk(ROOT.resolve("src"))) {
            sources.forEach(source -> missing.removeIf(name -> source.endsWith(name + ".java")));
        }
        assertEquals(Set.of(), missing);
    }

    /** The commit that a recipe names is there, and touches no file of src/main that the recipe does not name. */
    @Test
    void examplesAreInTheHistory() throws Exception {
        assumeTrue(Files.exists(ROOT.resolve(".git")) && !Files.exists(ROOT.resolve(".git/shallow")), "no history");
        Map<String, String> sections = new TreeMap<>();
        recipeSections().values().forEach(section -> sections.put(named(EXAMPLE, section).getFirst(), section));
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
                        assertTrue(names(sections.get(subject), file), subject + ": " + file);
                    }
                }
            }
        }
        assertEquals(sections.keySet(), found);
    }

    static Stream<Recipe> recipes() {
        return Stream.concat(LanguageRecipes.all(), NamedRecipes.all());
    }

    /**
     * Does what recipes say in a copy, compiles that with everything that decides by members of their families, and
     * uses the new members. An ordinary run follows one recipe in six.
     */
    @Test
    void newMembersNeedNoFurtherFile() throws Exception {
        List<Recipe> all = recipes().filter(Thorough.share(6)).toList();
        Predicate<Object> share = Thorough.share(5);
        Path classes = Files.createTempDirectory(folder, "classes");
        assertEquals(List.of(), library(all, "", classes, name -> all.stream().anyMatch(recipe ->
                recipe.touches(name) || recipe.decides(LIBRARY.getOrDefault(name, "")))));
        Path uses = Files.createTempDirectory(folder, "uses");
        assertEquals(List.of(), uses(all, classes, uses));
        Path root = Files.createTempDirectory(folder, "root");
        write(root.resolve("docs"), ".md", edited(ROOT.resolve("docs"), ".md", all, Recipe::documents));
        for (Recipe recipe : all) {
            requireUse(recipe, root, classes, uses);
            if (!recipe.documents().isEmpty()) {
                assertTrue(failure(recipe, ROOT, classes, uses).isPresent(), recipe.title() + ": without the document");
            }
        }
        // Each file of a recipe is needed: without it the others do not compile, with all other classes, or do not do.
        for (Recipe recipe : all) {
            // With all files they compile, as they did above; in a thorough run without other recipes, too.
            if (Thorough.of(0, 1) == 1) {
                Path its = Files.createTempDirectory(folder, "its");
                assertEquals(List.of(), library(List.of(recipe), "", its, recipe::touches), recipe.title());
                requireUse(recipe, root, its, uses);
            }
            for (String file : new TreeSet<>(recipe.edits().keySet())) {
                if (!file.endsWith("/" + recipe.family()) && share.test(file)) {
                    Path without = Files.createTempDirectory(folder, "without");
                    assertFalse(library(List.of(recipe), file, without, recipe::touches).isEmpty()
                            && failure(recipe, root, without, uses).isEmpty(), file);
                }
            }
        }
    }

    /** All recipes are followed, and each says how many files it takes, and which. */
    @Test
    void recipesNameTheirFiles() throws IOException {
        Map<String, String> sections = recipeSections();
        assertEquals(sections.keySet(), recipes().map(Recipe::title).collect(Collectors.toCollection(TreeSet::new)));
        recipes().forEach(recipe -> {
            int count = recipe.edits().size() + recipe.files().size();
            assertTrue(count <= 4, recipe.title());
            assertEquals(count + (count == 1 ? " file" : " files") + (recipe.documents().isEmpty() ? ""
                    : " and the document"), recipe.title().split(": ")[1]);
            String section = sections.get(recipe.title());
            recipe.edits().keySet().forEach(file -> assertTrue(names(section, file + ".java"), file));
            recipe.documents().keySet().forEach(page -> assertTrue(section.contains("`docs/" + page + ".md`"), page));
        });
    }

    @BeforeAll
    static void read() throws IOException {
        try (Stream<Path> files = Files.walk(SOURCES).filter(f -> f.toString().endsWith(".java"))) {
            for (Path file : files.toList()) {
                LIBRARY.put(SOURCES.relativize(file).toString().replace(".java", ""), Files.readString(file));
            }
        }
    }

    /** What the compiler finds wrong with these files of the library, where recipes are followed but for one file. */
    private static List<String> library(List<Recipe> recipes, String without, Path classes, Predicate<String> ofThese)
            throws IOException {
        Map<String, String> sources = new LinkedHashMap<>();
        LIBRARY.keySet().stream().filter(ofThese).forEach(name -> sources.put(name, LIBRARY.get(name)));
        for (Recipe recipe : recipes) {
            recipe.edits().forEach((name, edits) -> sources.computeIfPresent(name, (_, source) ->
                    name.equals(without) ? source : edited(name, source, edits)));
            sources.putAll(recipe.files());
        }
        Path copy = Files.createTempDirectory(folder, "copy");
        return compile(write(copy.resolve("dev/tilewright"), ".java", sources), "-d", classes.toString(),
                "--module-path", MODULES, "--patch-module", "dev.tilewright=" + copy);
    }

    /** What the compiler finds wrong with what uses the new members, beside tests. */
    private static List<String> uses(List<Recipe> all, Path classes, Path uses) throws IOException {
        Map<String, String> sources = edited(TESTS, ".java", all, Recipe::tests);
        all.forEach(recipe -> sources.putAll(recipe.use()));
        Path copy = Files.createTempDirectory(folder, "copy").resolve("dev/tilewright");
        return compile(write(copy, ".java", sources), "-d", uses.toString(), "-classpath",
                classes + File.pathSeparator + MODULES + File.pathSeparator + TEST_CLASSES);
    }

    /** How the use of a new member fails with these classes, if it does. */
    private static Optional<Throwable> failure(Recipe recipe, Path root, Path... classes) throws Exception {
        List<URL> urls = new ArrayList<>();
        for (Path path : classes) {
            urls.add(path.toUri().toURL());
        }
        for (String path : (MODULES + File.pathSeparator + TEST_CLASSES).split(File.pathSeparator)) {
            urls.add(Path.of(path).toUri().toURL());
        }
        try (var loader = new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            loader.loadClass(recipe.useName()).getMethod("check", Path.class).invoke(null, root);
            return Optional.empty();
        } catch (InvocationTargetException e) {
            return Optional.of(e.getCause());
        } catch (LinkageError e) {
            return Optional.of(e);
        }
    }

    private static void requireUse(Recipe recipe, Path root, Path... classes) throws Exception {
        Optional<Throwable> failure = failure(recipe, root, classes);
        if (failure.isPresent()) {
            throw new AssertionError(recipe.title(), failure.get());
        }
    }

    private static String edited(String name, String source, Map<String, String> edits) {
        String result = source;
        for (var edit : edits.entrySet()) {
            assertTrue(result.contains(edit.getKey()), name + ": " + edit.getKey());
            result = result.replaceFirst(Pattern.quote(edit.getKey()),
                    Matcher.quoteReplacement(edit.getValue() + edit.getKey()));
        }
        return result;
    }

    /** The files of a folder that recipes edit, as they are then. */
    private static Map<String, String> edited(Path from, String ending, List<Recipe> all,
            Function<Recipe, Map<String, Map<String, String>>> edits) throws IOException {
        Map<String, String> files = new TreeMap<>();
        for (Recipe recipe : all) {
            for (var edit : edits.apply(recipe).entrySet()) {
                String name = edit.getKey();
                String text = files.containsKey(name) ? files.get(name) : Files.readString(from.resolve(name + ending));
                files.put(name, edited(name, text, edit.getValue()));
            }
        }
        return files;
    }

    private static List<Path> write(Path to, String ending, Map<String, String> files) throws IOException {
        List<Path> written = new ArrayList<>();
        for (var file : files.entrySet()) {
            Path path = to.resolve(file.getKey() + ending);
            Files.createDirectories(path.getParent());
            written.add(Files.writeString(path, file.getValue()));
        }
        return written;
    }

    private static List<String> compile(List<Path> sources, String... options) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> complaints = new DiagnosticCollector<>();
        List<String> all = new ArrayList<>(List.of("-proc:none", "-implicit:none"));
        all.addAll(List.of(options));
        try (var files = compiler.getStandardFileManager(complaints, Locale.ROOT, null)) {
            compiler.getTask(null, files, complaints, all, null, files.getJavaFileObjectsFromPaths(sources)).call();
        }
        return complaints.getDiagnostics().stream().filter(c -> c.getKind() == Diagnostic.Kind.ERROR)
                .map(c -> (c.getSource() == null ? "" : c.getSource().getName() + ": ") + c.getMessage(Locale.ROOT))
                .toList();
    }

    /** Whether a recipe names a file of src/main, itself or by its kind: {@code *Findings.java}. */
    private static boolean names(String section, String file) {
        return section.contains("`" + file + "`")
                || section.contains("`" + file.replaceFirst("/[A-Z][a-z]+(?=[A-Z])", "/*") + "`");
    }

    /** The sections that are recipes, by their titles. */
    private static Map<String, String> recipeSections() throws IOException {
        Map<String, String> sections = new TreeMap<>();
        for (String section : Files.readString(ROOT.resolve("CONTRIBUTING.md")).split("\n## ")) {
            if (EXAMPLE.matcher(section).find()) {
                sections.put(section.lines().findFirst().orElseThrow(), section);
            }
        }
        return sections;
    }

    private static List<String> named(Pattern pattern, String text) {
        return pattern.matcher(text).results().map((MatchResult r) -> r.group(1)).toList();
    }
}

package dev.tilewright.tile.lower;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Thorough;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.apache.commons.lang3.exception.ExceptionUtils;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Passes of the lowering that are broken on purpose fail the tests of drawn kernels: the pass is compiled again with
 * one edit, and the test runs on it, in a loader of their own.
 */
class BrokenPassesTest {
    private static final Path SOURCES = Path.of(System.getProperty("tilewright.root", "."), "src/main/java");
    private static final String METHOD = "programsLeaveTheExecutorsBytes";
    private static final String TILES = "dev.tilewright.tile.";

    @TempDir
    Path folder;

    /**
     * An edit.
     *
     * @param pass the class that has it, within {@code dev.tilewright.tile.lower}
     * @param test that must fail
     */
    private record Edit(String title, String pass, String from, String to, Class<?> test) {
        @Override
        public String toString() {
            return title;
        }
    }

    /** The first, which are quick, in an ordinary run, all in a thorough one. */
    static Stream<Edit> edits() {
        return Stream.of(
                new Edit("threads do not wait for what others have copied", "ring/ProductRing",
                        "StageBuffer.of(\"stages\", pattern.bytes())).build()", "StageBuffer.of(\"stages\", "
                                + "pattern.bytes())).readBy(GroupRing.Readers.THREAD).build()", DrawnRingsTest.class),
                new Edit("B's part of a stage lies on A's", "ring/RingPattern",
                        ".mapToInt(RingFactor::bytes).sum();\n    }\n}", ".mapToInt(RingFactor::bytes).sum() / 2;\n    "
                                + "}\n}", DrawnRingsTest.class),
                new Edit("a stage is read that was read before", "ring/ProductRing", "turn.plus(1).min(count.minus(1))",
                        "turn.min(count.minus(1))", DrawnRingsTest.class),
                new Edit("a wrong column of a swizzle", "ring/RingFragments", "alongK.xor(swizzle)",
                        "alongK.xor(swizzle).xor(1)", DrawnRingsTest.class),
                new Edit("the first copies overwrite what is exchanged", "ring/ProductRing",
                        "body.purpose(\"no thread needs what lies in the stages\").syncThreads();", "",
                        DrawnRingsTest.class),
                new Edit("a wrong column of a layout", "layout/WgmmaSums", "List.of(column(1), column(2), row(0)",
                        "List.of(column(2), column(1), row(0)", DrawnProductsTest.class),
                new Edit("a forgotten conversion", "Exchange",
                        "if (from.layout().equals(layout) && from.extents().equals(extents)) {",
                        "if (from.layout().registerCount() == layout.registerCount()\n"
                                + "&& from.extents().equals(extents)) {", DrawnLoweringsTest.class),
                new Edit("products of a stage too few are awaited", "ProductLoop",
                        "each.purpose(\"they are done\").issue(new WgmmaWaitGroup(0))",
                        "each.purpose(\"they are done\").issue(new WgmmaWaitGroup(1))", DrawnProductsTest.class))
                .limit(Thorough.of(5, 8));
    }

    @ParameterizedTest
    @MethodSource("edits")
    void itsTestFails(Edit edit) throws Exception {
        Path source = SOURCES.resolve(TILES.replace('.', '/')).resolve("lower").resolve(edit.pass() + ".java");
        String text = Files.readString(source);
        assertEquals(2, (text + " ").split(Pattern.quote(edit.from())).length,
                "there is one place to edit: " + edit.from());
        compile(source.getFileName().toString(), text.replace(edit.from(), edit.to()));
        try (Own loader = new Own(folder)) {
            Class<?> test = loader.loadClass(edit.test().getName());
            Method method = test.getDeclaredMethod(METHOD);
            method.setAccessible(true);
            var constructor = test.getDeclaredConstructor();
            constructor.setAccessible(true);
            Object instance = constructor.newInstance();
            Throwable failure = null;
            try {
                method.invoke(instance);
            } catch (InvocationTargetException e) {
                failure = e.getCause();
            }
            assertNotNull(failure, "no drawn kernel shows it");
            Throwable cause = ExceptionUtils.getRootCause(failure);
            assertTrue(cause instanceof AssertionError, () -> "it shows in another way: " + cause);
        }
    }

    private void compile(String name, String text) throws IOException {
        Path file = Files.writeString(Files.createDirectory(folder.resolve("source")).resolve(name), text);
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (var files = compiler.getStandardFileManager(null, null, null)) {
            assertTrue(compiler.getTask(null, files, null, List.of("-d", folder.toString(), "-proc:none",
                    "-implicit:none", "-cp", System.getProperty("java.class.path")), null,
                    files.getJavaFileObjects(file)).call());
        }
    }

    /** Has classes of tiles of its own, those in a folder before all others; the rest are the application's. */
    private static final class Own extends URLClassLoader {
        Own(Path folder) {
            super(Stream.concat(Stream.of(folder.toFile()), Arrays.stream(System.getProperty("java.class.path")
                    .split(File.pathSeparator)).map(File::new)).map(Own::url).toArray(URL[]::new),
                    BrokenPassesTest.class.getClassLoader());
        }

        private static URL url(File file) {
            try {
                return file.toURI().toURL();
            } catch (MalformedURLException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(name)) {
                if (!name.startsWith(TILES)) {
                    return super.loadClass(name, resolve);
                }
                Class<?> loaded = findLoadedClass(name);
                return loaded == null ? findClass(name) : loaded;
            }
        }
    }
}

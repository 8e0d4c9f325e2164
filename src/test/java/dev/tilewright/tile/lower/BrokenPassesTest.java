package dev.tilewright.tile.lower;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.OrdinaryShare;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.Field;
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
import java.util.stream.LongStream;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.apache.commons.lang3.exception.ExceptionUtils;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Passes of the lowering that are broken on purpose fail the tests of drawn kernels: the pass is compiled again with
 * one edit, and what the test does of a seed runs on it, in a loader of their own. The seed is one of an ordinary run.
 */
class BrokenPassesTest {
    private static final Path SOURCES = Path.of(System.getProperty("tilewright.root", "."), "src/main/java");
    private static final int SEARCHED = 40;
    private static final String TILES = "dev.tilewright.tile.";

    @TempDir
    Path folder;

    /**
     * An edit.
     *
     * @param pass the class that has it, within {@code dev.tilewright.tile.lower}
     * @param test that must fail
     * @param seed of a drawn kernel that shows it; if it no longer does, the message names one that does
     */
    private record Edit(String title, String pass, String from, String to, Class<?> test, long seed) {
        @Override
        public String toString() {
            return title;
        }
    }

    static Stream<Edit> edits() {
        return Stream.of(
                new Edit("threads do not wait for what others have copied", "ring/ProductRing",
                        "StageBuffer.of(\"stages\", pattern.bytes())).build()", "StageBuffer.of(\"stages\", "
                                + "pattern.bytes())).readBy(GroupRing.Readers.THREAD).build()",
                        DrawnRingsTest.class, 0),
                new Edit("B's part of a stage lies on A's", "ring/RingPattern",
                        ".mapToInt(RingFactor::bytes).sum();\n    }\n}", ".mapToInt(RingFactor::bytes).sum() / 2;\n    "
                                + "}\n}", DrawnRingsTest.class, 0),
                new Edit("a stage is read that was read before", "ring/ProductRing", "turn.plus(1).min(count.minus(1))",
                        "turn.min(count.minus(1))", DrawnRingsTest.class, 0),
                new Edit("a wrong column of a swizzle", "ring/RingFragments", "alongK.xor(swizzle)",
                        "alongK.xor(swizzle).xor(1)", DrawnRingsTest.class, 1),
                new Edit("the first copies overwrite what is exchanged", "ring/ProductRing",
                        "body.purpose(\"no thread needs what lies in the stages\").syncThreads();", "",
                        DrawnRingsTest.class, 2),
                new Edit("a wrong column of a layout", "layout/WgmmaSums", "List.of(column(1), column(2), row(0)",
                        "List.of(column(2), column(1), row(0)", DrawnProductsTest.class, 1),
                new Edit("a forgotten conversion", "exchange/Exchange",
                        "if (from.layout().equals(layout) && from.extents().equals(extents)) {",
                        "if (from.layout().registerCount() == layout.registerCount()\n"
                                + "&& from.extents().equals(extents)) {", DrawnLoweringsTest.class, 13),
                new Edit("products of a stage too few are awaited", "ProductLoop",
                        "body.purpose(\"the products are done\").wgmmaWait(0)",
                        "body.purpose(\"the products are done\").wgmmaWait(1)", DrawnProductsTest.class, 7),
                new Edit("a stage is released before its products are done", "ProductLoop",
                        "done\").wgmmaWait(1);", "done\").wgmmaWait(2);", DrawnLoweringsTest.class, 4));
    }

    @ParameterizedTest
    @OrdinaryShare(3)
    @MethodSource("edits")
    void itsTestFails(Edit edit) throws Exception {
        Path source = SOURCES.resolve(TILES.replace('.', '/')).resolve("lower").resolve(edit.pass() + ".java");
        String text = Files.readString(source);
        assertEquals(2, (text + " ").split(Pattern.quote(edit.from())).length,
                "there is one place to edit: " + edit.from());
        compile(source.getFileName().toString(), text.replace(edit.from(), edit.to()));
        try (Own loader = new Own(folder)) {
            Class<?> test = loader.loadClass(edit.test().getName());
            Method method = test.getDeclaredMethod("judge", long.class);
            method.setAccessible(true);
            var constructor = test.getDeclaredConstructor();
            constructor.setAccessible(true);
            Field usual = edit.test().getDeclaredField("USUAL");
            assertTrue(edit.seed() < usual.getInt(null), "an ordinary run does not come to seed " + edit.seed());
            Object instance = constructor.newInstance();
            Throwable failure = failure(method, instance, edit.seed());
            assertNotNull(failure, () -> "seed " + edit.seed() + " does not show it, and " + LongStream.range(0,
                    SEARCHED).filter(seed -> failure(method, instance, seed) != null).mapToObj(Long::toString)
                    .findFirst().orElse("none from 0 to " + (SEARCHED - 1)) + " does");
            Throwable cause = ExceptionUtils.getRootCause(failure);
            assertTrue(cause instanceof AssertionError, () -> "it shows in another way: " + cause);
        }
    }

    /** What a test finds of a seed; null for nothing. */
    private static Throwable failure(Method method, Object instance, long seed) {
        try {
            method.invoke(instance, seed);
            return null;
        } catch (InvocationTargetException e) {
            return e.getCause();
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
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

package dev.tilewright;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.docs.SourceFolder;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** What the README shows works as it stands there. */
@Isolated("what an example prints goes to System.out")
class ReadmeTest {
    private static final Path ROOT = Path.of(System.getProperty("tilewright.root", "."));
    private static final String README = readme();

    @TempDir
    Path folder;

    private static String readme() {
        try {
            return Files.readString(ROOT.resolve("README.md"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void theProductCompilesAndMultiplies() throws Exception {
        assertEquals("11.0\n", printed("Product", example("README.md")));
        assertTrue(README.contains("it prints `11.0`:"));
    }

    @Test
    void itIsShort() {
        assertTrue(README.lines().count() <= 250);
    }

    /** The loop that is shown is that of the kernel that is checked in, line by line. */
    @Test
    void theEmittedLoopIsThatOfTheKernel() throws IOException {
        String loop = README.substring(README.indexOf("```cuda\n") + 8, README.indexOf("\n```\n\nA separate warp"));
        assertTrue(loop.lines().count() > 20);
        assertTrue(Files.readString(ROOT.resolve("kernels/gemm.cu")).contains(loop.indent(12)), loop);
    }

    @Test
    void theFindingIsAsPrinted() throws Exception {
        String guide = Files.readString(ROOT.resolve("docs/kernels.md"));
        Matcher listing = Pattern.compile("```java\n([^`]*class Transpose [^`]*)```").matcher(guide);
        assertTrue(listing.find());
        String printed = printed("Transpose", listing.group(1).replace(".getFirst().code()", ".getFirst()"));
        String finding = printed.lines().skip(1).findFirst().orElseThrow();
        assertTrue(README.replace('\n', ' ').contains(finding), finding);
    }

    private String printed(String name, String text) throws Exception {
        SourceFolder classes = new SourceFolder(folder);
        classes.compile(Map.of(name, text));
        PrintStream out = System.out;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try (URLClassLoader loader = classes.loader()) {
            var main = loader.loadClass(name).getDeclaredMethod("main", String[].class);
            main.setAccessible(true);
            main.invoke(null, (Object) new String[0]);
        } finally {
            System.setOut(out);
        }
        return printed.toString(StandardCharsets.UTF_8);
    }

    @Test
    void ciRunsTheTestCommandOfTheReadme() throws IOException {
        assertTrue(Files.readAllLines(ROOT.resolve(".ci/steps/21-tests")).stream()
                .anyMatch(line -> line.matches("mvn -B verify( \\| .*)?")));
        assertTrue(Files.readString(ROOT.resolve("README.md")).contains("\n```sh\nmvn -B verify\n```\n"));
    }

    /** The first Java example of a page. */
    private static String example(String page) throws IOException {
        Matcher block = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(ROOT.resolve(page)));
        assertTrue(block.find(), page);
        return block.group(1);
    }
}

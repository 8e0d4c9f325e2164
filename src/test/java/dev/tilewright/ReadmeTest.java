package dev.tilewright;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** What the README shows works as it stands there. */
@Isolated("what an example prints goes to System.out")
class ReadmeTest {
    private static final Path ROOT = Path.of(System.getProperty("tilewright.root", "."));

    @TempDir
    Path folder;

    @Test
    void theJavaExampleCompilesAndScalesAnArray() throws Exception {
        assertEquals("42.0\n", printed("Scale", 0));
        assertTrue(Files.readString(ROOT.resolve("README.md")).contains("this prints `42.0`:"));
    }

    @Test
    void theTileKernelCompilesAndDividesRows() throws Exception {
        assertEquals("0.25\n", printed("Rows", 1));
        assertTrue(Files.readString(ROOT.resolve("README.md")).contains("This prints\n`0.25`:"));
    }

    private String printed(String name, int number) throws Exception {
        Path source = folder.resolve(name + ".java");
        Files.writeString(source, example(number));
        compile(source);
        PrintStream out = System.out;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try (URLClassLoader loader = new URLClassLoader(new URL[] {folder.toUri().toURL()},
                getClass().getClassLoader())) {
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
        assertTrue(Files.readAllLines(ROOT.resolve(".ci/steps/20-tests")).stream()
                .anyMatch(line -> line.matches("mvn -B verify( \\| .*)?")));
        assertTrue(Files.readString(ROOT.resolve("README.md")).contains("\n```sh\nmvn -B verify\n```\n"));
    }

    @Test
    void theTestOfAKernelCompilesAndPasses() throws Exception {
        Path source = folder.resolve("OrderTest.java");
        Files.writeString(source, example(2));
        compile(source);
        try (URLClassLoader loader = new URLClassLoader(new URL[] {folder.toUri().toURL()},
                getClass().getClassLoader())) {
            var constructor = loader.loadClass("OrderTest").getDeclaredConstructor();
            constructor.setAccessible(true);
            var test = constructor.getDeclaringClass().getDeclaredMethod("everyAccessIsOrdered");
            test.setAccessible(true);
            test.invoke(constructor.newInstance());
        }
    }

    /** The README's Java examples, in their order. */
    private static String example(int number) throws IOException {
        Matcher block = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(ROOT.resolve("README.md")));
        for (int i = 0; i <= number; i++) {
            assertTrue(block.find(), "the README has " + i + " Java examples");
        }
        return block.group(1);
    }

    private void compile(Path source) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter complaints = new StringWriter();
        try (var files = compiler.getStandardFileManager(null, null, null)) {
            boolean compiled = compiler.getTask(new PrintWriter(complaints), files, null,
                    List.of("-d", folder.toString(), "-cp", System.getProperty("java.class.path"), "-proc:none"), null,
                    files.getJavaFileObjects(source)).call();
            assertTrue(compiled, complaints::toString);
        }
    }
}

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
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** The first page of the documentation: its lines of code are those of the smallest application, which works. */
@Isolated("what the application prints goes to System.out")
class OverviewTest {
    private static final Path ROOT = Path.of(System.getProperty("tilewright.root", "."));
    private static final Path APPLICATION =
            ROOT.resolve("examples/application/src/main/java/application/Application.java");

    @TempDir
    Path folder;

    private static String overview() throws IOException {
        return Files.readString(ROOT.resolve("src/main/javadoc/overview.html"));
    }

    @Test
    void itsCodeIsTheApplications() throws IOException {
        String page = overview();
        String code = page.substring(page.indexOf("<pre>\n") + 6, page.indexOf("</pre>")).replace("&lt;", "<")
                .replace("&gt;", ">");
        String source = Files.readString(APPLICATION);
        int start = source.indexOf("(String[] args) {\n") + "(String[] args) {\n".length();
        assertEquals(source.substring(start, source.indexOf("\n    }\n}", start) + 1).indent(-8), code);
        assertTrue(code.lines().count() <= 12, code);
    }

    @Test
    void theApplicationRuns() throws Exception {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter complaints = new StringWriter();
        try (var files = compiler.getStandardFileManager(null, null, null)) {
            assertTrue(compiler.getTask(new PrintWriter(complaints), files, null,
                    List.of("-d", folder.toString(), "-proc:none"), null, files.getJavaFileObjects(APPLICATION)).call(),
                    complaints::toString);
        }
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        PrintStream standard = System.out;
        try (URLClassLoader loader = new URLClassLoader(new URL[] {folder.toUri().toURL()},
                getClass().getClassLoader())) {
            System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
            loader.loadClass("application.Application").getMethod("main", String[].class)
                    .invoke(null, (Object) new String[0]);
        } finally {
            System.setOut(standard);
        }
        assertEquals("42.0\n", printed.toString(StandardCharsets.UTF_8));
    }

    /** Rooms within rooms are described where the outer one is. */
    @Test
    void everyExportedRoomIsOnThePage() throws IOException {
        Set<String> named = Pattern.compile("<th scope=\"row\">\\{@link ([a-z.]+)}").matcher(overview()).results()
                .map((MatchResult r) -> r.group(1)).collect(Collectors.toCollection(TreeSet::new));
        Set<String> exported = Pattern.compile("^ *exports (dev\\.tilewright\\.[a-z]+);", Pattern.MULTILINE)
                .matcher(Files.readString(ROOT.resolve("src/main/java/module-info.java"))).results()
                .map((MatchResult r) -> r.group(1)).collect(Collectors.toCollection(TreeSet::new));
        assertEquals(exported, named);
    }
}

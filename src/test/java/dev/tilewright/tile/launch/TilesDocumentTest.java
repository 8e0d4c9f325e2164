package dev.tilewright.tile.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** The listing of docs/tiles.md that is a class compiles, and prints what stands behind it. */
@Isolated("what the listing prints goes to System.out")
class TilesDocumentTest {
    private static final Path ROOT = Path.of(System.getProperty("tilewright.root", "."));
    private static final Pattern LISTING = Pattern.compile(
            "```java\n([^`]*?^class (\\w+) [^`]*)```\n\n```text\n(.*?)```", Pattern.DOTALL | Pattern.MULTILINE);

    @TempDir
    Path folder;

    @Test
    void theListingPrintsWhatStandsBehindIt() throws Exception {
        List<MatchResult> listings = LISTING.matcher(Files.readString(ROOT.resolve("docs/tiles.md"))).results()
                .toList();
        assertEquals(1, listings.size());
        MatchResult listing = listings.getFirst();
        Path source = folder.resolve(listing.group(2) + ".java");
        Files.writeString(source, listing.group(1));
        compile(source);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        PrintStream before = System.out;
        try (URLClassLoader loader = new URLClassLoader(new URL[] {folder.toUri().toURL()},
                getClass().getClassLoader())) {
            var main = loader.loadClass(listing.group(2)).getDeclaredMethod("main", String[].class);
            main.setAccessible(true);
            System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
            main.invoke(null, (Object) new String[0]);
        } finally {
            System.setOut(before);
        }
        assertEquals(listing.group(3), out.toString(StandardCharsets.UTF_8).replace(System.lineSeparator(), "\n"));
    }

    private void compile(Path source) throws Exception {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter complaints = new StringWriter();
        try (var files = compiler.getStandardFileManager(null, null, null)) {
            assertTrue(compiler.getTask(new PrintWriter(complaints), files, null, List.of("-d", folder.toString(),
                    "-proc:none", "-cp", System.getProperty("java.class.path")), null,
                    files.getJavaFileObjects(source)).call(), complaints::toString);
        }
    }
}

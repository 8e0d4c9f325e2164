package dev.tilewright.emit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.hazard.check.HazardCheck;
import dev.tilewright.program.Launch;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every listing of docs/kernels.md compiles, prints what the guide says, is clean, and its kernel compiles. */
@Isolated("what a listing prints goes to System.out")
class GuideTest {
    private static final Path ROOT = Path.of(System.getProperty("tilewright.root", "."));
    private static final Pattern LISTING = Pattern.compile("```java\n(.*?)```\n\n```text\n(.*?)```", Pattern.DOTALL);

    @TempDir
    Path folder;

    record Listing(String name, String source, String prints) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Listing> listings() throws Exception {
        Matcher listing = LISTING.matcher(Files.readString(ROOT.resolve("docs/kernels.md")));
        return listing.results().map(r -> {
            Matcher name = Pattern.compile("^class (\\w+)", Pattern.MULTILINE).matcher(r.group(1));
            assertTrue(name.find(), r.group(1));
            return new Listing(name.group(1), r.group(1), r.group(2));
        });
    }

    @Test
    void everyListingIsOne() throws Exception {
        String guide = Files.readString(ROOT.resolve("docs/kernels.md"));
        assertEquals(guide.split("```java").length - 1, listings().count());
    }

    @ParameterizedTest
    @MethodSource("listings")
    void runs(Listing listing) throws Exception {
        Path source = folder.resolve(listing.name + ".java");
        Files.writeString(source, listing.source);
        compile(source);
        try (URLClassLoader loader = new URLClassLoader(new URL[] {folder.toUri().toURL()},
                getClass().getClassLoader())) {
            Class<?> listed = loader.loadClass(listing.name);
            assertEquals(listing.prints, printed(listed));
            Launch launch = (Launch) call(listed, "launch");
            CudaSource text = CudaEmitter.emit(launch.program());
            EmbeddedCompiler.kernels(EmbeddedCompiler.release("12.9"), text.text(), List.of(text.kernelName()),
                    launch.program().minimumTarget());
            try (Arena arena = Arena.ofShared()) {
                @SuppressWarnings("unchecked")
                List<MemorySegment> memory = (List<MemorySegment>) call(listed, "memory", arena);
                assertEquals(List.of(), HazardCheck.check(launch, memory).findings());
            }
        }
    }

    private static Object call(Class<?> listed, String name, Object... arguments) throws Exception {
        for (Method method : listed.getDeclaredMethods()) {
            if (method.getName().equals(name) && method.getParameterCount() == arguments.length) {
                method.setAccessible(true);
                return method.invoke(null, arguments);
            }
        }
        throw new AssertionError(listed + " has no method " + name);
    }

    private static String printed(Class<?> listed) throws Exception {
        PrintStream out = System.out;
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        try {
            call(listed, "main", (Object) new String[0]);
        } finally {
            System.setOut(out);
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }

    private void compile(Path source) throws Exception {
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

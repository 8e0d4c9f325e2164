package dev.tilewright.emit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.tilewright.docs.SourceFolder;
import dev.tilewright.hazard.check.HazardCheck;
import dev.tilewright.program.Launch;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Method;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every whole class that a page of docs/ lists compiles; a program prints what stands behind it, a test passes, and a
 * kernel with its launch is clean and compiles. (docs/gpu.md has a test of its own.)
 */
@Isolated("what a listing prints goes to System.out")
class GuideTest {
    private static final Path ROOT = Path.of(System.getProperty("tilewright.root", "."));
    private static final Pattern LISTING =
            Pattern.compile("```java\n(.*?)```\n(?:\n```text\n(.*?)```)?", Pattern.DOTALL);
    private static final Pattern CLASS = Pattern.compile("^(?:public )?class (\\w+)", Pattern.MULTILINE);

    @TempDir
    static Path folder;

    /** A class in a page. @param prints null if nothing stands behind it */
    record Listing(String page, String name, String source, String prints) {
        @Override
        public String toString() {
            return page + ": " + name;
        }
    }

    static List<Listing> listings() throws Exception {
        List<Listing> listings = new ArrayList<>();
        try (Stream<Path> pages = Files.list(ROOT.resolve("docs"))) {
            List<Path> files = pages.filter(p -> p.toString().endsWith(".md") && !p.endsWith("gpu.md")).sorted()
                    .toList();
            for (Path page : files) {
                LISTING.matcher(Files.readString(page)).results().forEach(listing -> {
                    Matcher name = CLASS.matcher(listing.group(1));
                    if (name.find()) {
                        listings.add(new Listing(page.getFileName().toString(), name.group(1), listing.group(1),
                                listing.group(2)));
                    }
                });
            }
        }
        return listings;
    }

    @BeforeAll
    static void compile() throws Exception {
        Map<String, String> sources = new LinkedHashMap<>();
        listings().forEach(l -> assertNull(sources.put(l.name, l.source), () -> l + " is there twice"));
        new SourceFolder(folder).compile(sources);
    }

    @Test
    void pagesHaveTheirListings() throws Exception {
        Map<String, Long> pages = listings().stream().collect(Collectors.groupingBy(Listing::page,
                Collectors.counting()));
        assertEquals(Set.of("check.md", "compute.md", "install.md", "kernels.md", "move.md", "start.md", "test.md",
                "tiles.md", "troubleshooting.md"), pages.keySet());
        assertEquals(4, pages.get("kernels.md"));
    }

    @ParameterizedTest
    @MethodSource("listings")
    void runs(Listing listing) throws Exception {
        try (URLClassLoader loader = new SourceFolder(folder).loader()) {
            Class<?> listed = loader.loadClass(listing.name);
            List<Method> methods = List.of(listed.getDeclaredMethods());
            if (methods.stream().anyMatch(m -> m.isAnnotationPresent(Test.class))) {
                runTests(listed, methods);
            } else {
                assertEquals(listing.prints, printed(listed));
            }
            if (methods.stream().anyMatch(m -> m.getName().equals("launch"))) {
                requireRightKernel(listed);
            }
        }
    }

    private static void runTests(Class<?> listed, List<Method> methods) throws Exception {
        for (Method test : methods.stream().filter(m -> m.isAnnotationPresent(Test.class)).toList()) {
            var constructor = listed.getDeclaredConstructor();
            constructor.setAccessible(true);
            test.setAccessible(true);
            test.invoke(constructor.newInstance());
        }
    }

    private static void requireRightKernel(Class<?> listed) throws Exception {
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
}

package dev.tilewright.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.gpu.cuda.JCudaHandles;
import java.io.File;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** JCuda is there for those who use it: everything else loads, is reflected on, compiles and runs without its jar. */
class WithoutJCudaTest {
    private static final Set<String> WITH_JCUDA = Set.of(JCudaInterop.class.getName(), JCudaHandles.class.getName(),
            JCudaHandles.class.getName() + "$Fields");

    /** An application whose every line makes the compiler look through a class's methods. */
    private static final String APPLICATION = """
            import dev.tilewright.gpu.*;
            import dev.tilewright.gpu.compile.*;
            import dev.tilewright.gpu.device.*;

            class Application {
                static String run() {
                    try (Gpu gpu = Gpu.emulated(); Buffer<float[]> x = gpu.upload(new float[] {1, 2, 3}); Stream \
            stream = gpu.stream();
                            Event event = gpu.event(); Buffer<float[]> y = gpu.floats(3)) {
                        stream.copy(x, y);
                        stream.record(event);
                        event.synchronize();
                        gpu.wrapStream(stream.handle()).synchronize();
                        return java.util.Arrays.toString(gpu.wrap(y.address(), ArrayType.FLOATS, 2).download());
                    }
                }
            }
            """;

    @TempDir
    Path folder;

    @Test
    void everyClassOfTheRuntimeLoadsAndIsReflectedOn() throws Exception {
        try (URLClassLoader loader = new URLClassLoader(urls().toArray(URL[]::new),
                ClassLoader.getPlatformClassLoader())) {
            assertThrows(ClassNotFoundException.class, () -> loader.loadClass("jcuda.driver.CUdeviceptr"));
            Set<String> failed = new TreeSet<>();
            int loaded = 0;
            for (String name : classes()) {
                try {
                    // Initialised, and so verified: a method that needs JCuda to be checked fails here.
                    Class<?> type = Class.forName(name, true, loader);
                    type.getDeclaredMethods();
                    type.getDeclaredConstructors();
                    type.getDeclaredFields();
                    type.getMethods();
                    loaded++;
                } catch (LinkageError e) {
                    failed.add(name);
                }
            }
            assertEquals(new TreeSet<>(WITH_JCUDA), failed);
            assertTrue(loaded > 100, "only " + loaded + " classes were there to load");
        }
    }

    @Test
    void anApplicationCompilesAndRuns() throws Exception {
        Path source = folder.resolve("Application.java");
        Files.writeString(source, APPLICATION);
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter complaints = new StringWriter();
        try (var files = compiler.getStandardFileManager(null, null, null)) {
            assertTrue(compiler.getTask(new PrintWriter(complaints), files, null,
                    List.of("-d", folder.toString(), "-Xlint:all", "-Werror", "-cp",
                    String.join(File.pathSeparator, classPath()), "-proc:none"), null, files.getJavaFileObjects(source))
                    .call(), complaints::toString);
        }
        List<URL> urls = new ArrayList<>(urls());
        urls.add(folder.toUri().toURL());
        try (URLClassLoader loader = new URLClassLoader(urls.toArray(URL[]::new),
                ClassLoader.getPlatformClassLoader())) {
            var run = loader.loadClass("Application").getDeclaredMethod("run");
            run.setAccessible(true);
            assertEquals("[1.0, 2.0]", run.invoke(null));
        }
    }

    /** The classes of gpu and of what is in it. */
    private static List<String> classes() throws Exception {
        Path home = Path.of(Gpu.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        try (Stream<Path> files = Files.walk(home.resolve("dev/tilewright/gpu"))) {
            return files.map(f -> home.relativize(f).toString()).filter(f -> f.endsWith(".class"))
                    .filter(f -> !f.endsWith("package-info.class"))
                    .map(f -> f.substring(0, f.length() - ".class".length()).replace(File.separatorChar, '.')).toList();
        }
    }

    /** What tests have, without JCuda's jars. */
    private static List<String> classPath() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !Path.of(entry).getFileName().toString().startsWith("jcuda")).toList();
    }

    private static List<URL> urls() throws Exception {
        List<URL> urls = new ArrayList<>();
        for (String entry : classPath()) {
            urls.add(Path.of(entry).toUri().toURL());
        }
        return urls;
    }
}

package dev.tilewright.docs;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.ToolProvider;

/** Java sources out of documents, compiled at once with what tests have. */
public final class SourceFolder {
    private final Path folder;

    public SourceFolder(Path folder) {
        this.folder = folder;
    }

    /** Compiles classes, warnings being errors. @param sources by the name of their public or only class */
    public void compile(Map<String, String> sources) {
        try {
            List<Path> files = new ArrayList<>();
            for (Map.Entry<String, String> source : sources.entrySet()) {
                files.add(Files.writeString(folder.resolve(source.getKey() + ".java"), source.getValue()));
            }
            JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
            StringWriter complaints = new StringWriter();
            try (var manager = compiler.getStandardFileManager(null, null, null)) {
                Iterable<? extends JavaFileObject> units = manager.getJavaFileObjectsFromPaths(files);
                boolean compiled = compiler.getTask(new PrintWriter(complaints), manager, null,
                        List.of("-d", folder.toString(), "-cp", System.getProperty("java.class.path"), "-proc:none",
                        "-Xlint:all,-processing,-try,-path", "-Werror"), null, units)
                        .call();
                assertTrue(compiled, complaints::toString);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Loads what was compiled. */
    public URLClassLoader loader() throws IOException {
        return new URLClassLoader(new URL[] {folder.toUri().toURL()}, getClass().getClassLoader());
    }
}

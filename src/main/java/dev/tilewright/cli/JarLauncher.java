package dev.tilewright.cli;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.MalformedURLException;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What {@code java -jar tilewright.jar} starts: the command, with the libraries that lie in {@code lib} beside the jar,
 * as the build leaves them. The manifest has no Class-Path, of which javac warns wherever the jar lies without that
 * folder. Compiled for Java 17, and without any library, so that an older Java and a jar that lies alone get a
 * sentence.
 */
public final class JarLauncher {
    private static final int JAVA_NEEDED = 25;
    private static final int MISSING = 3;
    /** A class of each library that the command needs. */
    private static final List<String> NEEDED = List.of("picocli.CommandLine",
            "com.fasterxml.jackson.databind.ObjectMapper", "org.apache.commons.lang3.StringUtils",
            "org.apache.commons.text.StringEscapeUtils", "org.apache.commons.io.FileUtils",
            "org.apache.commons.codec.digest.DigestUtils", "org.apache.commons.compress.archivers.zip.ZipFile");

    private JarLauncher() { }

    /** Starts the command. */
    public static void main(String[] args) throws ReflectiveOperationException, IOException {
        if (Runtime.version().feature() < JAVA_NEEDED) {
            end("Java " + JAVA_NEEDED + " or later is needed, and this is " + Runtime.version());
        }
        Path jar = jar();
        List<Path> classPath = new ArrayList<>(List.of(jar));
        Path libraries = jar.resolveSibling("lib");
        if (Files.isDirectory(libraries)) {
            try (Stream<Path> files = Files.list(libraries)) {
                files.filter(file -> file.toString().endsWith(".jar") && !sameName(file, jar)).sorted()
                        .forEach(classPath::add);
            }
        }
        ClassLoader loader = loader(classPath);
        List<String> missing = NEEDED.stream().filter(name -> !isThere(name, loader)).toList();
        if (!missing.isEmpty()) {
            end("the command needs libraries that are not in " + libraries + " (" + missing.get(0)
                    + (missing.size() == 1 ? ""
                    : " and " + (missing.size() - 1) + " more") + "): fetch them with 'mvn -f POM "
                    + "dependency:copy-dependencies"
                    + " -DincludeScope=runtime -DoutputDirectory=" + libraries + "', where POM is the jar's .pom, or "
                    + "use scripts/tilewright of a checkout");
        }
        // Processes that the command starts have the same.
        System.setProperty("java.class.path", classPath.stream().map(Path::toString)
                .collect(Collectors.joining(File.pathSeparator)));
        Thread.currentThread().setContextClassLoader(loader);
        try {
            loader.loadClass("dev.tilewright.cli.Main").getMethod("main", String[].class).invoke(null, (Object) args);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw e;
        }
    }

    private static Path jar() {
        try {
            return Path.of(JarLauncher.class.getProtectionDomain().getCodeSource().getLocation().toURI())
                    .toAbsolutePath();
        } catch (URISyntaxException e) {
            throw new IllegalStateException("the jar's own place is no path", e);
        }
    }

    private static boolean sameName(Path a, Path b) {
        return a.getFileName().equals(b.getFileName());
    }

    private static ClassLoader loader(List<Path> classPath) throws MalformedURLException {
        URL[] urls = new URL[classPath.size()];
        for (int i = 0; i < urls.length; i++) {
            urls[i] = classPath.get(i).toUri().toURL();
        }
        return new URLClassLoader("tilewright", urls, ClassLoader.getPlatformClassLoader());
    }

    private static boolean isThere(String name, ClassLoader loader) {
        return loader.getResource(name.replace('.', '/') + ".class") != null;
    }

    private static void end(String why) {
        System.err.println("tilewright: " + why);
        System.exit(MISSING);
    }
}

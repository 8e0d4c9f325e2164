package dev.tilewright.gpu.nvrtc.child;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** How the compiler's process is started: the Java that this process runs on, with nothing but this library. */
final class CompilerCommand {

    private static final List<String> FLAGS = List.of(
            // Started fast rather than run fast: what takes time is NVRTC.
            "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xms16m", "-Xshare:auto", "-XX:-UsePerfData",
            // A crash is told by the exit code alone; standard output carries answers.
            "-XX:+SuppressFatalErrorMessage", "-XX:-CreateCoredumpOnCrash", "-XX:+DisplayVMOutputToStderr",
            "-Xlog:disable",
            // Leaves SIGINT to the process.
            "-Xrs");

    /** Options for a Java, such as a debugger's port, are for the process that they were meant for. */
    private static final List<String> NOT_INHERITED =
            List.of("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "CLASSPATH");

    private CompilerCommand() { }

    /**
     * Empty where that cannot be: where this process's Java has no launcher, as in an application that is a program of
     * its own, or these classes lie in no file that a Java could be started with.
     */
    static Optional<ProcessBuilder> find() {
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        Optional<URI> found = place();
        if (!Files.isExecutable(java) || found.isEmpty()) {
            return Optional.empty();
        }
        URI place = found.get();
        List<String> command = new ArrayList<>(List.of(java.toString()));
        command.addAll(FLAGS);
        ProcessBuilder builder = new ProcessBuilder(command);
        NOT_INHERITED.forEach(builder.environment()::remove);
        if ("jrt".equals(place.getScheme())) {
            String module = CompilerMain.class.getModule().getName();
            command.addAll(List.of("--enable-native-access=" + module, "-m",
                    module + "/" + CompilerMain.class.getName()));
            return Optional.of(builder);
        }
        if (!"file".equals(place.getScheme())) {
            return Optional.empty();
        }
        Path classes = Path.of(place);
        String classPath = classes.toString();
        if (classPath.contains(File.pathSeparator)) {
            // A class path cannot name it, but from the folder above it can.
            builder.directory(classes.getParent().toFile());
            classPath = classes.getFileName().toString();
        }
        command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-cp", classPath, CompilerMain.class.getName()));
        return Optional.of(builder);
    }

    /** Where this class was loaded from; empty where its loader does not say. */
    private static Optional<URI> place() {
        CodeSource source = CompilerMain.class.getProtectionDomain().getCodeSource();
        if (source == null || source.getLocation() == null) {
            return Optional.empty();
        }
        try {
            URI place = source.getLocation().toURI();
            return Optional.of("file".equals(place.getScheme()) ? Path.of(place).toRealPath().toUri() : place);
        } catch (URISyntaxException | IOException e) {
            return Optional.empty();
        }
    }
}

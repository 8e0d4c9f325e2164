package dev.tilewright.verify.worker;

import java.io.File;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** How the process of a worker is started: by the Java, and with the classes and settings, of this one. */
public final class WorkerCommand {
    private static final String SETTINGS = "tilewright.";
    /** Of the machine's memory, for the heaps of all workers together. */
    private static final double HEAPS_PERCENT = 50;

    /** Options of this process that are as good for its workers: how far code is compiled, classes, and pages. */
    private static final Predicate<String> SHARED =
            Pattern.compile("-XX:((TieredStopAtLevel|AOTCache)=.+|\\+UseTransparentHugePages)").asMatchPredicate();

    private WorkerCommand() { }

    /** @param workers how many there are, which share the machine's memory */
    public static ProcessBuilder of(WorkerOptions options, int workers) {
        List<String> command =
                new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED", "-XX:+UseParallelGC",
                "-XX:MaxRAMPercentage=" + HEAPS_PERCENT / workers,
                // What the JVM itself has to say goes to standard error: standard output has results.
                "-Xlog:disable", "-Xlog:all=warning:stderr", "-Xlog:aot*=off:stderr", "-Xlog:cds*=off:stderr"));
        // ProcessHandle has no arguments of a command line of more than 4,096 bytes.
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream().filter(SHARED).forEach(command::add);
        System.getProperties().stringPropertyNames().stream().filter(name -> name.startsWith(SETTINGS)).sorted()
                .forEach(name -> command.add("-D" + name + "=" + System.getProperty(name)));
        command.addAll(List.of("-cp", classPath(), WorkerMain.class.getName()));
        command.addAll(options.arguments());
        return new ProcessBuilder(command);
    }

    /** Of this process; modules are found on it, too. */
    private static String classPath() {
        return Stream.of("java.class.path", "jdk.module.path").map(name -> System.getProperty(name, ""))
                .filter(path -> !path.isEmpty()).collect(Collectors.joining(File.pathSeparator));
    }
}

package dev.tilewright.bench.runtime;

import dev.tilewright.bench.result.Row;
import dev.tilewright.bench.result.Spread;
import dev.tilewright.bench.result.Unit;
import dev.tilewright.bench.result.Verdict;
import dev.tilewright.bench.rival.RivalProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;

/**
 * From process start to the first tile checked: {@link FirstTile} beside {@code first_tile}, by plain {@code java}
 * and with what a JVM has for a quick start.
 *
 * <p>C1 stands for -XX:TieredStopAtLevel=1, serial GC for -XX:+UseSerialGC, AOT cache for -XX:AOTCache=FILE, written by
 * a run with -XX:AOTCacheOutput=FILE.
 *
 * <p>All classes come from jars, as an application's do: HotSpot archives no others. A Java runtime that was linked
 * without the archive of its own classes that every JDK comes with is given one first.
 */
final class StartUp {
    private static final String MAIN = FirstTile.class.getName();

    private final Path folder;
    private final String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    private final String classPath;
    private final Map<String, List<String>> variants = new LinkedHashMap<>();

    /**
     * Packs and archives.
     *
     * @param folder for jars and archives
     */
    StartUp(Path folder) {
        this.folder = folder;
        this.classPath = jars();
        archiveOfTheJdk();
        variants.put("plain java", List.of());
        List<String> few = List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");
        variants.put("C1, serial GC", few);
        // Fills the kernel cache, so that training runs see what a warm start does.
        ProcessTimes.of(command(List.of()));
        Path cache = folder.resolve("first-tile.aot");
        ProcessTimes.of(command(List.of("-XX:AOTCacheOutput=" + cache)));
        variants.put("AOT cache", List.of("-XX:AOTCache=" + cache));
        Path quick = folder.resolve("first-tile-serial.aot");
        ProcessTimes.of(command(with(few, "-XX:AOTCacheOutput=" + quick)));
        variants.put("AOT cache, C1, serial GC", with(few, "-XX:AOTCache=" + quick));
    }

    private static List<String> with(List<String> flags, String flag) {
        List<String> all = new ArrayList<>(flags);
        all.add(flag);
        return all;
    }

    private List<String> command(List<String> flags) {
        List<String> command = new ArrayList<>();
        command.add(java);
        command.addAll(flags);
        command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-cp", classPath, MAIN));
        return command;
    }

    /** The class path of this process, its folder of classes packed into a jar. */
    private String jars() {
        List<String> jars = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(":")) {
            Path path = Path.of(entry).toAbsolutePath();
            if (Files.isDirectory(path) && !Files.exists(path.resolve(MAIN.replace('.', '/') + ".class"))) {
                // Classes of tests.
                continue;
            }
            if (Files.isDirectory(path)) {
                Path jar = folder.resolve("classes-" + jars.size() + ".jar");
                pack(path, jar);
                jars.add(jar.toString());
            } else if (Files.exists(path)) {
                jars.add(path.toString());
            }
        }
        return String.join(":", jars);
    }

    private static void pack(Path classes, Path jar) {
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar));
                Stream<Path> files = Files.walk(classes)) {
            for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile).sorted()::iterator) {
                out.putNextEntry(new JarEntry(classes.relativize(file).toString()));
                Files.copy(file, out);
                out.closeEntry();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void archiveOfTheJdk() {
        Path server = Path.of(System.getProperty("java.home"), "lib", "server");
        if (Files.exists(server.resolve("classes.jsa"))) {
            return;
        }
        try {
            Process dump = new ProcessBuilder(java, "-Xshare:dump").redirectErrorStream(true)
                    .redirectOutput(folder.resolve("dump.log").toFile()).start();
            if (dump.waitFor() != 0) {
                throw new IllegalStateException("java -Xshare:dump: exit code " + dump.exitValue());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /**
     * Runs all turn by turn.
     *
     * @param what how the subjects begin
     * @param demanded what the best that a JVM can do may take of C++'s time to the tile, at most; null for nothing
     */
    void run(int rounds, String what, Double demanded, RivalProcess rival, ContenderRows rows) {
        List<ProcessTimes> theirs = new ArrayList<>();
        Map<String, List<ProcessTimes>> ours = new LinkedHashMap<>();
        variants.keySet().forEach(v -> ours.put(v, new ArrayList<>()));
        if (rival.isPresent()) {
            ProcessTimes.of(rival.firstTile());
        }
        for (int round = 0; round < rounds; round++) {
            if (rival.isPresent()) {
                theirs.add(ProcessTimes.of(rival.firstTile()));
            }
            variants.forEach((name, flags) -> ours.get(name).add(ProcessTimes.of(command(flags))));
            rows.soFar(round + 1, rounds, some -> report(what, demanded, theirs, ours, some));
        }
        report(what, demanded, theirs, ours, rows);
    }

    private static void report(String what, Double demanded, List<ProcessTimes> theirs,
            Map<String, List<ProcessTimes>> ours,
            ContenderRows rows) {
        String best = ours.entrySet().stream().min(Comparator.comparingDouble(v -> checked(v.getValue()).median()))
                .orElseThrow().getKey();
        rows.theirs(what, Unit.MILLISECONDS, checked(theirs), Verdict.VERIFIED);
        rows.theirs(what + ", process ended", Unit.MILLISECONDS, whole(theirs), Verdict.VERIFIED);
        ours.forEach((name, walls) -> {
            rows.add(rows.row(what, Row.OURS, Unit.MILLISECONDS, checked(walls), Verdict.VERIFIED).with("jvm", name),
                    checked(theirs), name.equals(best) ? demanded : null);
            rows.add(rows.row(what + ", process ended", Row.OURS, Unit.MILLISECONDS, whole(walls), Verdict.VERIFIED)
                    .with("jvm", name), whole(theirs), null);
        });
    }

    /**
     * Runs a variant of the process that compiles its kernel first, in turns of its own. @param empty an empty folder
     */
    void runCold(int rounds, String subject, Path empty, ContenderRows rows) {
        runAlone(rounds, subject, Verdict.VERIFIED, rows, round -> ProcessTimes.of(command(List.of()),
                Map.of("TILEWRIGHT_CACHE", empty.resolve("" + round).toString())));
    }

    /** The process that opens the GPU and does nothing else. */
    void runDriver(int rounds, String subject, ContenderRows rows) {
        runAlone(rounds, subject, Verdict.NO_OUTPUT, rows,
                _ -> ProcessTimes.of(with(command(List.of()), FirstTile.DRIVER)));
    }

    private static void runAlone(int rounds, String subject, Verdict verdict, ContenderRows rows,
            IntFunction<ProcessTimes> turn) {
        List<ProcessTimes> walls = new ArrayList<>();
        Consumer<ContenderRows> report =
                some -> some.add(some.row(subject, Row.OURS, Unit.MILLISECONDS, checked(walls), verdict));
        for (int round = 0; round < rounds; round++) {
            walls.add(turn.apply(round));
            rows.soFar(round + 1, rounds, report);
        }
        report.accept(rows);
    }

    private static Spread checked(List<ProcessTimes> walls) {
        return walls.isEmpty() ? null : Spread.of(walls.stream().mapToDouble(ProcessTimes::checked).toArray());
    }

    private static Spread whole(List<ProcessTimes> walls) {
        return walls.isEmpty() ? null : Spread.of(walls.stream().mapToDouble(ProcessTimes::whole).toArray());
    }
}

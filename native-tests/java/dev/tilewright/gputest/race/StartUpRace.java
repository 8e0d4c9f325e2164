package dev.tilewright.gputest.race;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;

/**
 * From process start to the first tile checked: {@link FirstTile} beside {@code first_tile}, by plain {@code java}
 * and with what a JVM has for a quick start.
 *
 * <p>All classes come from jars, as an application's do: HotSpot archives no others. A Java runtime that was linked
 * without the archive of its own classes that every JDK comes with is given one first.
 */
final class StartUpRace {
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
    StartUpRace(Path folder) {
        this.folder = folder;
        this.classPath = jars();
        archiveOfTheJdk();
        variants.put("plain java", List.of());
        List<String> few = List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");
        variants.put("C1, serial GC", few);
        // Fills the kernel cache, so that those that train see what a warm start does.
        Wall.of(command(List.of()));
        Path cache = folder.resolve("first-tile.aot");
        Wall.of(command(List.of("-XX:AOTCacheOutput=" + cache)));
        variants.put("AOT cache", List.of("-XX:AOTCache=" + cache));
        Path quick = folder.resolve("first-tile-serial.aot");
        Wall.of(command(with(few, "-XX:AOTCacheOutput=" + quick)));
        variants.put("AOT cache, C1, serial GC", with(few, "-XX:AOTCache=" + quick));
    }

    /** Says what the variants' names stand for. */
    void explain() {
        System.out.println("""
                C1: -XX:TieredStopAtLevel=1; serial GC: -XX:+UseSerialGC; AOT cache: -XX:AOTCache=FILE, written by a run
                with -XX:AOTCacheOutput=FILE; classes come from jars, the kernel from its cache""");
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

    /** The class path of this process, its folders packed into jars, and test libraries left out. */
    private String jars() {
        List<String> jars = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(":")) {
            Path path = Path.of(entry).toAbsolutePath();
            if (Files.isDirectory(path)) {
                Path jar = folder.resolve("classes-" + jars.size() + ".jar");
                pack(path, jar);
                jars.add(jar.toString());
            } else if (Files.exists(path) && !path.getParent().endsWith("test-lib")) {
                jars.add(path.toString());
            }
        }
        return String.join(":", jars);
    }

    /** Of tests' classes only the race's are needed. */
    private static void pack(Path classes, Path jar) {
        boolean tests = Files.exists(classes.resolve(MAIN.replace('.', '/') + ".class"));
        Path root = tests ? classes.resolve(MAIN.substring(0, MAIN.lastIndexOf('.')).replace('.', '/')) : classes;
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar));
                Stream<Path> files = Files.walk(root)) {
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
     * Runs all turn by turn and prints rows for each.
     *
     * @param what how the rows begin
     * @param most what the best that a JVM can do may take of C++'s time, to the tile and to the process's end
     */
    void run(int rounds, String what, double most, Rival rival, Table table) {
        List<Wall> theirs = new ArrayList<>();
        Map<String, List<Wall>> ours = new LinkedHashMap<>();
        variants.keySet().forEach(v -> ours.put(v, new ArrayList<>()));
        if (rival.isPresent()) {
            Wall.of(rival.firstTile());
        }
        for (int round = 0; round < rounds; round++) {
            if (rival.isPresent()) {
                theirs.add(Wall.of(rival.firstTile()));
            }
            variants.forEach((name, flags) -> ours.get(name).add(Wall.of(command(flags))));
        }
        String best = ours.entrySet().stream().min(Comparator.comparingDouble(v -> checked(v.getValue()).median()))
                .orElseThrow().getKey();
        for (String name : variants.keySet()) {
            double bound = name.equals(best) ? most : 0;
            table.time(what + ", " + name, "ms", checked(ours.get(name)), checked(theirs), bound);
            table.time("  and the process ended", "ms", whole(ours.get(name)), whole(theirs), bound);
        }
    }

    private static Figure checked(List<Wall> walls) {
        return walls.isEmpty() ? null : Figure.of(walls.stream().mapToDouble(Wall::checked).toArray());
    }

    private static Figure whole(List<Wall> walls) {
        return walls.isEmpty() ? null : Figure.of(walls.stream().mapToDouble(Wall::whole).toArray());
    }
}

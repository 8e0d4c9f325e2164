package dev.tilewright;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The README's picture of the rooms: each room imports from those that its row names, and from those below them. */
class RoomsTest {
    private static final Path ROOT = Path.of(System.getProperty("tilewright.root", "."));
    private static final Path SOURCES = ROOT.resolve("src/main/java/dev/tilewright");
    private static final Pattern ROW = Pattern.compile("(?m)^ {6}(\\w+)/ .* \\(([^()]+)\\)$");
    private static final Pattern PACKAGE_IMPORT =
            Pattern.compile("(?m)^import (?:static )?dev\\.tilewright\\.([a-z0-9.]+)\\.([A-Z]\\w*)");
    private static final Pattern SEALED = Pattern.compile("\\bsealed interface \\w+[^{]*\\bpermits ([^{]+)\\{");
    /**
     * A value has a method for each elementary function, which is written with values; {@code HazardCheck} starts what
     * makes findings, which its package holds for users.
     */
    private static final Set<String> CLOSED = Set.of("program.expression -> program.function",
            "hazard -> hazard.analysis", "hazard -> hazard.report");
    private static final Pattern IMPORT = Pattern.compile("(?m)^import (?:static )?dev\\.tilewright\\.([a-z]\\w*)\\.");

    private final Map<String, List<String>> picture = picture();

    private static Map<String, List<String>> picture() {
        Map<String, List<String>> rows = new LinkedHashMap<>();
        ROW.matcher(read(ROOT.resolve("README.md"))).results().forEach(row -> rows.put(row.group(1),
                row.group(2).equals("depends on nothing") ? List.of()
                        : row.group(2).equals("all") ? List.copyOf(rows.keySet())
                        : Arrays.asList(row.group(2).split(", "))));
        return rows;
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** A room and all below it. */
    private Set<String> reach(String room, Set<String> reached) {
        if (reached.add(room)) {
            picture.get(room).forEach(below -> reach(below, reached));
        }
        return reached;
    }

    @Test
    void everyRoomIsInThePictureAndDependsOnlyOnRoomsAboveIt() throws IOException {
        try (Stream<Path> rooms = Files.list(SOURCES).filter(Files::isDirectory)) {
            assertEquals(rooms.map(room -> room.getFileName().toString()).collect(Collectors.toSet()),
                    picture.keySet());
        }
        Set<String> before = new HashSet<>();
        picture.forEach((room, below) -> {
            assertTrue(before.containsAll(below), () -> room + " depends on a room below it in the picture: " + below);
            before.add(room);
        });
    }

    @Test
    void importsFollowThePicture() throws IOException {
        Set<String> wrong = new TreeSet<>();
        for (String room : picture.keySet()) {
            Set<String> reach = reach(room, new HashSet<>());
            try (Stream<Path> files = Files.walk(SOURCES.resolve(room)).filter(f -> f.toString().endsWith(".java"))) {
                files.forEach(file -> IMPORT.matcher(read(file)).results().map(found -> found.group(1))
                        .filter(other -> !reach.contains(other))
                        .forEach(other -> wrong.add(SOURCES.relativize(file) + " -> " + other)));
            }
        }
        assertEquals(Set.of(), wrong);
    }

    /** What runs kernels knows none of what makes them. */
    @Test
    void theRuntimeKnowsNoBuilder() {
        assertFalse(reach("gpu", new HashSet<>()).contains("builder"));
    }

    /**
     * Packages do not import each other in circles, those of one room among them. A sealed family is none: its root
     * permits members in other packages, which import the root.
     */
    @Test
    void packagesImportEachOtherInNoCircles() throws IOException {
        Map<String, Set<String>> imports = new TreeMap<>();
        try (Stream<Path> files = Files.walk(SOURCES).filter(f -> f.toString().endsWith(".java"))) {
            files.forEach(file -> {
                String from = SOURCES.relativize(file.getParent()).toString().replace('/', '.');
                String text = read(file);
                Set<String> members = SEALED.matcher(text).results()
                        .flatMap(found -> Stream.of(found.group(1).strip().split("\\s*,\\s*")))
                        .collect(Collectors.toSet());
                PACKAGE_IMPORT.matcher(text).results().filter(found -> !members.contains(found.group(2)))
                        .map(found -> found.group(1)).filter(to -> !to.equals(from))
                        .filter(to -> !CLOSED.contains(from + " -> " + to))
                        .forEach(to -> imports.computeIfAbsent(from, _ -> new TreeSet<>()).add(to));
            });
        }
        // What imports nothing of the rest is taken away, again and again: circles hold what is left.
        boolean fewer;
        do {
            imports.values().forEach(to -> to.retainAll(imports.keySet()));
            fewer = imports.values().removeIf(Set::isEmpty);
        } while (fewer);
        assertEquals(Map.of(), imports);
    }

    @Test
    void noPackageOfTheseRoomsHasMoreThanFortyFiles() throws IOException {
        for (String room : List.of("ptx", "tensormap", "program", "emit", "reference", "gpu")) {
            try (Stream<Path> folders = Files.walk(SOURCES.resolve(room)).filter(Files::isDirectory)) {
                for (Path folder : folders.toList()) {
                    try (Stream<Path> files = Files.list(folder).filter(Files::isRegularFile)) {
                        assertTrue(files.filter(f -> !f.endsWith("package-info.java")).count() <= 40, folder::toString);
                    }
                }
            }
        }
    }
}

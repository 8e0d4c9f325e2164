package dev.tilewright;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The picture in docs/house.md: each room imports from the rooms of its row, and from what these import. */
class RoomsTest {
    private static final Path ROOT = Path.of(System.getProperty("tilewright.root", "."));
    private static final Path SOURCES = ROOT.resolve("src/main/java/dev/tilewright");
    private static final Pattern ROW = Pattern.compile("(?m)^ {6}(\\w+)/ .* \\(([^()]+)\\)$");
    private static final Pattern PACKAGE_IMPORT =
            Pattern.compile("(?m)^import (?:static )?dev\\.tilewright\\.([a-z0-9.]+)\\.([A-Z]\\w*)");
    private static final Pattern SEALED = Pattern.compile("\\bsealed interface (\\w+)[^{]*\\bpermits ([^{]+)\\{");
    /** Roots of sealed families whose members have packages of their own: the root permits them, and they import it. */
    private static final Set<String> FAMILIES = Set.of("ptx.PtxInstruction", "tile.TileKernel", "tile.CpuLaunch");
    /** A value has a method for each elementary function, and those are written with values. */
    private static final String VALUES = "program.expression.ElementArithmetic -> program.function.Functions";
    private static final Pattern PUBLIC =
            Pattern.compile("(?m)^public (?:[a-z-]+ )*(?:class|interface|record|enum|@interface) ");
    private static final Pattern IMPORT = Pattern.compile("(?m)^import (?:static )?dev\\.tilewright\\.([a-z]\\w*)\\.");
    private static final Pattern NAMED_IMPORT = Pattern.compile("(?m)^import (?:static )?[\\w.]+\\.(\\w+);$");
    /** A comment or a literal; what it begins with is looked for first, as there are few. */
    private static final Pattern NO_CODE = Pattern.compile("(?s)(?=[/\"'])(?:/\\*.*?\\*/|//[^\n]*|\"\"\".*?\"\"\""
            + "|\"(?:[^\"\\\\\n]|\\\\.)*+\"|'(?:[^'\\\\\n]|\\\\.)++')");
    private static final Pattern LINK =
            Pattern.compile("(?:\\{@(?:link|linkplain|value)|@throws|@see)\\s+([\\w.#]+(?:\\([^)]*\\))?)");

    private final Map<String, List<String>> picture = picture();

    private static Map<String, List<String>> picture() {
        Map<String, List<String>> rows = new LinkedHashMap<>();
        ROW.matcher(read(ROOT.resolve("docs/house.md"))).results().forEach(row -> rows.put(row.group(1),
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

    /** A package within a room is a word of the room's row, so that the picture tells where to look. */
    @Test
    void everyPackageIsNamedInTheRowOfItsRoom() throws IOException {
        String text = read(ROOT.resolve("docs/house.md"));
        Set<String> unnamed = new TreeSet<>();
        for (String room : picture.keySet()) {
            String row = text.substring(text.indexOf("\n      " + room + "/")).strip().split("\n(?! {20})", 2)[0];
            Set<String> words = new HashSet<>(Arrays.asList(row.split("\\W+")));
            try (Stream<Path> packages = Files.walk(SOURCES.resolve(room)).filter(Files::isDirectory).skip(1)) {
                packages.map(within -> within.getFileName().toString()).filter(within -> !words.contains(within))
                        .forEach(within -> unnamed.add(room + "/" + within));
            }
        }
        assertEquals(Set.of(), unnamed);
    }

    /** Public types, which one file may import together, have names of their own. */
    @Test
    void whatOneFileMayImportHasANameOfItsOwn() throws IOException {
        Map<String, String> names = new TreeMap<>();
        List<String> twice = new ArrayList<>();
        try (Stream<Path> files = Files.walk(SOURCES)) {
            files.filter(file -> file.toString().endsWith(".java")).filter(file -> PUBLIC.matcher(read(file)).find())
                    .forEach(file -> {
                        String name = file.getFileName().toString();
                        String folder = SOURCES.relativize(file.getParent()).toString();
                        String other = names.put(name, folder);
                        if (other != null) {
                            twice.add(other + " and " + folder + ": " + name);
                        }
                    });
        }
        assertTrue(names.size() > 900, () -> "only " + names.size());
        assertEquals(List.of(), twice);
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

    /** Packages do not import each other in circles, but for sealed families and a value's functions. */
    @Test
    void packagesImportEachOtherInNoCircles() throws IOException {
        Map<String, Set<String>> imports = new TreeMap<>();
        Set<String> exempt = new TreeSet<>();
        try (Stream<Path> files = Files.walk(SOURCES).filter(f -> f.toString().endsWith(".java"))) {
            files.forEach(file -> {
                String from = SOURCES.relativize(file.getParent()).toString().replace('/', '.');
                String name = from + "." + file.getFileName().toString().replace(".java", "");
                Map<String, String> roots = roots(from, read(file));
                PACKAGE_IMPORT.matcher(read(file)).results().filter(found -> !found.group(1).equals(from))
                        .forEach(found -> {
                            String arrow = name + " -> " + found.group(1) + "." + found.group(2);
                            if (roots.containsKey(found.group(2))) {
                                exempt.add(roots.get(found.group(2)));
                            } else if (arrow.equals(VALUES)) {
                                exempt.add(arrow);
                            } else {
                                imports.computeIfAbsent(from, _ -> new TreeSet<>()).add(found.group(1));
                            }
                        });
            });
        }
        Set<String> stated = new TreeSet<>(FAMILIES);
        stated.add(VALUES);
        assertEquals(stated, exempt);
        // What imports nothing of the rest is taken away, again and again: circles hold what is left.
        boolean fewer;
        do {
            imports.values().forEach(to -> to.retainAll(imports.keySet()));
            fewer = imports.values().removeIf(Set::isEmpty);
        } while (fewer);
        assertEquals(Map.of(), imports);
    }

    /** The sealed interface of a file that permits a class, by the class's name. */
    private static Map<String, String> roots(String room, String text) {
        Map<String, String> roots = new TreeMap<>();
        SEALED.matcher(text).results().forEach(family -> {
            for (String member : family.group(2).strip().split("\\s*,\\s*")) {
                roots.put(member, room + "." + family.group(1));
            }
        });
        return roots;
    }

    @Test
    void noPackageHasMoreThanFortyFiles() throws IOException {
        try (Stream<Path> folders = Files.walk(SOURCES).filter(Files::isDirectory)) {
            for (Path folder : folders.toList()) {
                try (Stream<Path> files = Files.list(folder).filter(Files::isRegularFile)) {
                    assertTrue(files.filter(f -> !f.endsWith("package-info.java")).count() <= 40, folder::toString);
                }
            }
        }
    }

    /** What a file imports, its code or a link of a comment uses. */
    @Test
    void everyImportIsUsed() throws IOException {
        Set<String> unused = new TreeSet<>();
        int files = 0;
        for (String root : List.of("src", "native-tests/java", "examples", "extensions/spark/src")) {
            try (Stream<Path> all = Files.walk(ROOT.resolve(root))) {
                for (Path file : all.filter(f -> f.toString().endsWith(".java")).toList()) {
                    files++;
                    unusedImports(read(file)).forEach(name -> unused.add(ROOT.relativize(file) + ": " + name));
                }
            }
        }
        int read = files;
        assertTrue(read > 2500, () -> "only " + read);
        assertEquals(Set.of(), unused);
        assertEquals(List.of("A", "D"), unusedImports("""
                import a.A;
                import static b.B.c;
                import d.D;
                import e.E;
                /* A, {@link E} */
                class F { String s = "D" + c; }
                """));
    }

    private static List<String> unusedImports(String text) {
        int end = text.indexOf(';', text.lastIndexOf("\nimport ")) + 1;
        String code = NO_CODE.matcher(text.substring(end)).replaceAll(found -> found.group().startsWith("/*") ? Matcher
                .quoteReplacement(LINK.matcher(found.group()).results().map(link -> link.group(1))
                .collect(Collectors.joining(" "))) : " ");
        return NAMED_IMPORT.matcher(text.substring(0, end)).results().map(found -> found.group(1))
                .filter(name -> !isWord(name, code)).toList();
    }

    private static boolean isWord(String name, String text) {
        for (int at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
            int end = at + name.length();
            if ((at == 0 || !Character.isJavaIdentifierPart(text.charAt(at - 1)))
                    && (end == text.length() || !Character.isJavaIdentifierPart(text.charAt(end)))) {
                return true;
            }
        }
        return false;
    }
}

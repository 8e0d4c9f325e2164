package dev.tilewright.hazard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The rooms within hazard have no circle: none imports, by way of others or not, from one that imports from it. */
class HazardRoomsTest {
    private static final Path ROOM = Path.of(System.getProperty("tilewright.root", "."),
            "src/main/java/dev/tilewright/hazard");
    private static final Pattern IMPORT = Pattern.compile("(?m)^import (?:static )?dev\\.tilewright\\.hazard\\."
            + "(?:([a-z]\\w*)\\.)?[A-Z]");

    @Test
    void noRoomImportsFromItselfByWayOfOthers() throws IOException {
        Map<String, Set<String>> from = new TreeMap<>();
        try (Stream<Path> files = Files.walk(ROOM).filter(f -> f.toString().endsWith(".java"))) {
            for (Path file : files.toList()) {
                String room = ROOM.relativize(file.getParent()).toString();
                Set<String> others = from.computeIfAbsent(room, _ -> new TreeSet<>());
                IMPORT.matcher(Files.readString(file)).results().map(m -> m.group(1) == null ? "" : m.group(1))
                        .filter(other -> !other.equals(room)).forEach(others::add);
            }
        }
        assertEquals(Set.of(), from.get(""), "what the room itself imports from its own rooms");
        from.keySet().forEach(room -> {
            Set<String> reached = new HashSet<>();
            from.get(room).forEach(other -> reach(from, other, reached));
            assertFalse(reached.contains(room), () -> room + " reaches itself by way of " + reached);
        });
    }

    /** Who reports words what others have decided: it looks at no other finding, and makes none. */
    @Test
    void whatWordsAFindingDoesNotDecide() throws IOException {
        Pattern decides = Pattern.compile("\\bFindings\\b");
        try (Stream<Path> files = Files.walk(ROOM.resolve("report")).filter(f -> f.toString().endsWith("Findings.java")
                && !f.endsWith("Findings.java"))) {
            List<Path> words = files.toList();
            assertFalse(words.isEmpty());
            for (Path file : words) {
                assertFalse(decides.matcher(Files.readString(file)).find(), file::toString);
            }
        }
    }

    private static void reach(Map<String, Set<String>> from, String room, Set<String> reached) {
        if (reached.add(room)) {
            from.get(room).forEach(other -> reach(from, other, reached));
        }
    }
}

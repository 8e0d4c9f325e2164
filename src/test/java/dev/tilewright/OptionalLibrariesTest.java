package dev.tilewright;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.builder.TileKernel;
import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.constantpool.ConstantPool;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.classfile.constantpool.Utf8Entry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * An application that depends on the library gets neither picocli nor Jackson nor JUnit nor Commons Text: no class names them
 * outside the rooms that are for the command, or for users' tests. Read from the class files, where every name of a class
 * that is used in any way (called, extended, in a signature, in an annotation) is text of the constant pool.
 */
class OptionalLibrariesTest {
    private static final Map<String, Set<String>> ROOMS = Map.of(
            "picocli/", Set.of("cli"),
            "com/fasterxml/", Set.of("cli", "json", "verify"),
            "org/apache/commons/text/", Set.of("cli", "json"),
            "org/junit/", Set.of("junit"),
            "org/opentest4j/", Set.of("junit"),
            // The rooms that need them are not reached from the others either.
            "dev/tilewright/bench/", Set.of("bench", "cli"),
            "dev/tilewright/cli/", Set.of("cli"),
            "dev/tilewright/json/", Set.of("cli", "json", "verify"),
            "dev/tilewright/verify/", Set.of("cli", "verify"));

    @Test
    void onlyTheirRoomsNameThem() throws Exception {
        Path classes = Path.of(TileKernel.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        Path home = classes.resolve("dev/tilewright");
        Map<String, Set<String>> rooms = new TreeMap<>();
        Set<String> wrong = new TreeSet<>();
        try (Stream<Path> files = Files.walk(home)) {
            for (Path file : files.filter(f -> f.toString().endsWith(".class")).toList()) {
                Path inside = home.relativize(file);
                String room = inside.getNameCount() == 1 ? "" : inside.getName(0).toString();
                for (String library : named(file)) {
                    rooms.computeIfAbsent(library, _ -> new TreeSet<>()).add(room);
                    if (!ROOMS.get(library).contains(room)) {
                        wrong.add(inside + " names " + library);
                    }
                }
            }
        }
        assertEquals(Set.of(), wrong);
        // The search finds what is there.
        assertTrue(rooms.get("picocli/").contains("cli") && rooms.get("com/fasterxml/").contains("json"), rooms::toString);
    }

    private static List<String> named(Path file) throws IOException {
        ConstantPool pool = ClassFile.of().parse(file).constantPool();
        Set<String> found = new TreeSet<>();
        for (PoolEntry entry : pool) {
            if (entry instanceof Utf8Entry text) {
                ROOMS.keySet().stream().filter(library -> text.stringValue().startsWith(library)
                        || text.stringValue().contains("L" + library)).forEach(found::add);
            }
        }
        return List.copyOf(found);
    }
}

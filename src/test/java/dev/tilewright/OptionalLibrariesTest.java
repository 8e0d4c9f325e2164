package dev.tilewright;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.builder.ElementwiseKernel;
import java.io.File;
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
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * An application that depends on the library gets neither picocli nor Jackson nor JUnit nor JMH nor Commons Text nor
 * JCuda: no class names them outside the rooms that are for the command, for users' tests, or for JCuda's types. Read
 * from the class files, where every name of a class that is used in any way (called, extended, in a signature, in an
 * annotation) is text of the constant pool.
 */
class OptionalLibrariesTest {
    private static final Map<String, Set<String>> ROOMS = Map.ofEntries(
            Map.entry("picocli/", Set.of("cli")),
            Map.entry("com/fasterxml/", Set.of("bench/report", "bench/rival", "cli", "json", "recording", "verify")),
            Map.entry("org/apache/commons/text/", Set.of("bench/report")),
            Map.entry("org/openjdk/jmh/", Set.of("jmh")),
            Map.entry("org/junit/", Set.of("junit")),
            Map.entry("org/opentest4j/", Set.of("junit")),
            Map.entry("jcuda/", Set.of("gpu/JCudaInterop", "gpu/cuda/JCudaHandles")),
            // The rooms that need them are not reached from the others either.
            Map.entry("dev/tilewright/bench/", Set.of("bench", "cli")),
            Map.entry("dev/tilewright/cli/", Set.of("cli")),
            Map.entry("dev/tilewright/json/", Set.of("cli", "json", "recording", "verify")),
            Map.entry("dev/tilewright/recording/", Set.of("cli", "junit", "recording", "verify")),
            // A case and an audit need none of the libraries; what reads recordings does.
            Map.entry("dev/tilewright/verify/", Set.of("junit/AuditAssertions",
                    "junit/VerifiedCase", "bench/tune", "cli", "verify")));

    private static final Map<String, String> LIBRARIES = ROOMS.keySet().stream()
            .collect(Collectors.toMap(library -> library, library -> "L" + library));

    @Test
    void onlyTheirRoomsNameThem() throws Exception {
        Path classes = Path.of(ElementwiseKernel.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        Path home = classes.resolve("dev/tilewright");
        Map<String, Set<String>> rooms = new TreeMap<>();
        Set<String> wrong = new TreeSet<>();
        try (Stream<Path> files = Files.walk(home)) {
            for (Path file : files.filter(f -> f.toString().endsWith(".class")).toList()) {
                Path inside = home.relativize(file);
                String name = inside.toString().replace(File.separatorChar, '/');
                for (String library : named(file)) {
                    rooms.computeIfAbsent(library, _ -> new TreeSet<>()).add(name.replaceAll("/.*$", ""));
                    if (ROOMS.get(library).stream().noneMatch(room -> name.startsWith(room + "/")
                            || name.startsWith(room + "$")
                            || name.equals(room + ".class"))) {
                        wrong.add(inside + " names " + library);
                    }
                }
            }
        }
        assertEquals(Set.of(), wrong);
        // The search finds what is there.
        assertTrue(rooms.get("picocli/").contains("cli") && rooms.get("com/fasterxml/").contains("json")
                && rooms.get("jcuda/").contains("gpu"), rooms::toString);
    }

    private static List<String> named(Path file) throws IOException {
        ConstantPool pool = ClassFile.of().parse(file).constantPool();
        Set<String> found = new TreeSet<>();
        for (PoolEntry entry : pool) {
            if (entry instanceof Utf8Entry text && text.stringValue().indexOf('/') > 0) {
                LIBRARIES.forEach((library, inDescriptors) -> {
                    if (text.stringValue().startsWith(library) || text.stringValue().contains(inDescriptors)) {
                        found.add(library);
                    }
                });
            }
        }
        return List.copyOf(found);
    }
}

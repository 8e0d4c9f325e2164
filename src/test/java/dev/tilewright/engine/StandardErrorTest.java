package dev.tilewright.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests beside each other share the process's standard output, so what they have to say goes to standard error. */
class StandardErrorTest {
    private static final Path ROOT = Path.of(System.getProperty("tilewright.root", "."));
    /** Programs that tests compile or start print what the tests read. */
    private static final Pattern PROGRAM = Pattern.compile("(?s)\"\"\".*?\"\"\"|void main\\(.*");
    private static final Pattern PRINTS = Pattern.compile("System\\.out(?:\\.print|::)");

    @Test
    void onlyProgramsPrintToStandardOutput() throws IOException {
        Set<String> wrong = new TreeSet<>();
        int programs = 0;
        for (String folder : List.of("src/test/java", "native-tests/java")) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(folder))) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    String source = Files.readString(file);
                    programs += PRINTS.matcher(source).find() ? 1 : 0;
                    if (PRINTS.matcher(PROGRAM.matcher(source).replaceAll("")).find()) {
                        wrong.add(file.getFileName().toString());
                    }
                }
            }
        }
        assertEquals(Set.of(), wrong);
        assertTrue(programs >= 20, "programs that print: " + programs);
    }
}

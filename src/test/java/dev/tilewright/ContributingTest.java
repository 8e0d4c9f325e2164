package dev.tilewright;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What CONTRIBUTING.md sends its reader to is there. */
class ContributingTest {
    private static final Path ROOT = Path.of(System.getProperty("tilewright.root", "."));
    /** A file below src/main, or a type, between backticks. */
    private static final Pattern FILE = Pattern.compile("`([a-z0-9]+(?:/[a-z0-9]+)*/[A-Z]\\w+)(?:\\.java)?`");
    private static final Pattern TYPE = Pattern.compile("`([A-Z][a-z]+(?:[A-Z][a-z]+)+)`");

    @Test
    void itsFilesAndTypesExist() throws IOException {
        String text = Files.readString(ROOT.resolve("CONTRIBUTING.md"));
        List<String> files = named(FILE, text);
        assertTrue(files.size() >= 8, files::toString);
        for (String file : files) {
            assertTrue(Files.exists(ROOT.resolve("src/main/java/dev/tilewright").resolve(file + ".java")), file);
        }
        Set<String> missing = new TreeSet<>(named(TYPE, text));
        assertTrue(missing.size() >= 15, missing::toString);
        try (Stream<Path> sources = Files.walk(ROOT.resolve("src"))) {
            missing.removeAll(sources.map(p -> p.getFileName().toString().replace(".java", ""))
                    .collect(Collectors.toSet()));
        }
        assertEquals(Set.of(), missing);
    }

    private static List<String> named(Pattern pattern, String text) {
        return pattern.matcher(text).results().map((MatchResult r) -> r.group(1)).toList();
    }
}

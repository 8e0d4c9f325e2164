package dev.tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The pictures of the documents are what their commands print: {@code scripts/update-docs} renews them. */
class PicturesTest {
    private static final Path FOLDER = Path.of(System.getProperty("tilewright.root", "."), "docs/pictures");
    private static final String BY_HAND = "path.svg";

    static List<String> pictures() throws IOException {
        return Files.readAllLines(FOLDER.resolve("list.txt"));
    }

    @ParameterizedTest
    @MethodSource("pictures")
    void isCurrent(String line) throws IOException {
        String[] words = line.split(" ");
        PipedCommand command = PipedCommand.run("", Stream.of(words).skip(1).toArray(String[]::new));
        assertEquals(0, command.code(), command.err());
        assertEquals(Files.readString(FOLDER.resolve(words[0])), command.out(), "run scripts/update-docs");
    }

    /** What the guide says that the picture of a product shows. */
    @Test
    void theProductReachesTheWaitForItsProducts() throws IOException {
        String picture = Files.readString(FOLDER.resolve("timeline-gemm.svg"));
        for (String shown : List.of(">threads 0-127<", ">threads 128-255<", ">wait wgmma groups &lt;- ",
                ">arrive empty[0] phase 0 by 4 threads<")) {
            assertTrue(picture.contains(shown), shown);
        }
        assertTrue(!picture.contains("..."), "something is cut");
    }

    @Test
    void allAreListed() throws IOException {
        Set<String> listed = pictures().stream().map(line -> line.split(" ")[0])
                .collect(Collectors.toCollection(TreeSet::new));
        listed.add(BY_HAND);
        try (Stream<Path> files = Files.list(FOLDER)) {
            Set<String> there = files.map(f -> f.getFileName().toString()).filter(f -> f.endsWith(".svg"))
                    .collect(Collectors.toCollection(TreeSet::new));
            assertTrue(there.containsAll(listed), () -> listed + " of " + there);
        }
    }
}

package dev.tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.tilewright.OrdinaryTries;
import dev.tilewright.Thorough;
import dev.tilewright.cli.annotate.SourceLines;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.apache.commons.io.FileUtils;

/** The line that a trace names: of a source below the roots, whatever else the trace says. */
class SourceLinesTest {
    private static final SourceLines.Place PLACE = new SourceLines.Place("src/test/java/a/b/C.java", 7);
    private static Path project;

    /** A source, a file and a folder outside the root, and links that lead there. */
    @BeforeContainer
    static void makeProject() throws IOException {
        project = Files.createTempDirectory("tilewright-sources").toRealPath();
        Path root = Files.createDirectories(project.resolve("src/test/java"));
        Files.createDirectories(root.resolve("a/b"));
        Files.writeString(root.resolve("a/b/C.java"), "");
        Files.writeString(Files.createDirectory(project.resolve("secret")).resolve("S.java"), "");
        Files.createSymbolicLink(root.resolve("linked"), project.resolve("secret"));
        Files.createSymbolicLink(root.resolve("a/b/Linked.java"), project.resolve("secret/S.java"));
    }

    @AfterContainer
    static void removeProject() throws IOException {
        FileUtils.deleteDirectory(project.toFile());
    }

    private static Optional<SourceLines.Place> first(String trace) {
        return SourceLines.in(project, List.of(project.resolve("src/test/java"))).first(trace);
    }

    /** Lines that lead nowhere, some of which look much like frames. */
    @Provide
    Arbitrary<String> oddLines() {
        Arbitrary<String> type = Arbitraries.of("a.b.C", "a.b", ".etc.x", "..", ".x", "x.", "a..b.C", "linked.S",
                ".a.b.C", "app//a.b.C", "m@1/a.b.C", "/a.b.C", "../a.b.C", "\0.C", "", "a b.C",
                project.toString().replace('/', '.') + ".secret.S");
        Arbitrary<String> file = Arbitraries.of("passwd", "S.java", "Linked.java", "..", ".",
                "../../../../secret/S.java", "/etc/passwd", "C\0.java", "", "D.java", "x".repeat(300), "Unknown Source",
                "Native Method");
        Arbitrary<String> line = Arbitraries.of("1", "0", "-1", "99999999999999999999", "2147483648", "", "7:7", "٣",
                "x");
        Arbitrary<String> frames = Combinators.combine(type, file, line).as((t, f, l) ->
                "\tat " + t + ".m(" + f + ":" + l + ")");
        return Arbitraries.frequencyOf(Tuple.of(4, frames),
                Tuple.of(1, Arbitraries.strings().ofMaxLength(30)),
                Tuple.of(1, Arbitraries.of("", "   ", "\tat", "at a.b.C.m(C.java:99999999999)", "at a.b.C.m(C.java)",
                        "at a.b.C(C.java:7)x")));
    }

    @Property(tries = 500)
    @OrdinaryTries(120)
    void theFirstSourceOfTheProjectWhateverStandsBefore(@ForAll("traces") List<String> before, @ForAll boolean isThere,
            @ForAll("loaders") String loader) {
        String trace = String.join("\n", before) + (isThere
                ? "\n\tat " + loader + "a.b.C.<init>(C.java:7)\n\tat a.b.C.m(C.java:8)" : "");
        assertEquals(isThere ? Optional.of(PLACE) : Optional.empty(), first(trace));
    }

    @Provide
    Arbitrary<List<String>> traces() {
        return oddLines().list().ofMaxSize(12);
    }

    @Provide
    Arbitrary<String> loaders() {
        return Arbitraries.of("", "app//", "m/", "app/m@1.2/", "m@1/");
    }

    /**
     * A megabyte of what a pattern might go over again and again: of each it took minutes, or would. An ordinary run
     * takes one in four.
     */
    @Example
    void noTraceTakesLong() {
        for (String piece : Stream.of("\n", " \n", "\r", " ", "\t", "at ", "at a.", "a.", "a/", ".", "/", "(",
                "at a.b.C.m(C.java:", "$", "9").filter(Thorough.share(4)).toList()) {
            String trace = "at " + piece.repeat((1 << 20) / piece.length());
            for (String whole : List.of(trace, trace.substring(3))) {
                assertTimeoutPreemptively(Duration.ofMinutes(1),
                        () -> assertEquals(Optional.of(PLACE), first(whole + "\nat a.b.C.m(C.java:7)")), piece);
            }
        }
    }
}

package dev.tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Thorough;
import dev.tilewright.builder.Presets;
import dev.tilewright.cli.option.NamedFiles;
import dev.tilewright.cli.option.Written;
import dev.tilewright.cli.terminal.Terminal;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.AnnotatedElement;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine;

/** No verb writes over what it reads, and no two results go to one file, by whatever names. */
class NamedFilesTest {
    private static final byte[] CONTENT = "what was read".getBytes();

    @TempDir
    Path folder;

    /** Another name of a file. */
    private enum Link {
        NONE {
            @Override
            Path to(Path file) {
                return file;
            }
        },
        DETOUR {
            @Override
            Path to(Path file) {
                return file.resolveSibling("links").resolve("..").resolve(file.getFileName());
            }
        },
        SYMBOLIC {
            @Override
            Path to(Path file) throws IOException {
                return Files.createSymbolicLink(file.resolveSibling("links/symbolic"),
                        Path.of("../" + file.getFileName()));
            }
        },
        TWICE {
            @Override
            Path to(Path file) throws IOException {
                Path first = Files.createSymbolicLink(file.resolveSibling("links/first"), file);
                return Files.createSymbolicLink(file.resolveSibling("links/second"), first);
            }
        },
        FOLDER {
            @Override
            Path to(Path file) throws IOException {
                return Files.createSymbolicLink(file.resolveSibling("links/folder"), file.getParent())
                        .resolve(file.getFileName());
            }
        },
        HARD {
            @Override
            Path to(Path file) throws IOException {
                return Files.createLink(file.resolveSibling("links/hard"), file);
            }
        };

        abstract Path to(Path file) throws IOException;
    }

    /** Each verb that reads a file and writes one, with each of its options that write: @ is read, % written. */
    private static final List<String> LINES = List.of("bench --read @ --html %", "bench --read @ --csv %",
            "annotate @ -o %", "annotate --format gitlab -o % other @", "annotate reports -o %",
            "replay @ --junit-xml %", "replay other @ --junit-xml %",
            "verify --executor reference --case @@ --junit-xml %",
            "run bulk-copy --executor reference --input @ --output %",
            "emit --class-path other:@ --program a.B#c -o %");

    private List<String> tree() throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.map(Path::toString).sorted().toList();
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatIsReadIsNotWritten(Link link) throws IOException {
        int number = link.ordinal();
        for (String line : LINES) {
            for (boolean swapped : new boolean[] {false, true}) {
                if (!Thorough.takes(number++, 3)) {
                    continue;
                }
                Path own = Files.createDirectory(folder.resolve("case" + LINES.indexOf(line) + swapped));
                Files.createDirectories(own.resolve("reports/links"));
                Files.createDirectory(own.resolve("links"));
                Files.write(own.resolve("other"), CONTENT);
                Path file = Files.write(own.resolve(line.contains("reports") ? "reports/r.xml" : "r.xml"), CONTENT);
                Path alias = link.to(file);
                Path read = swapped ? alias : file;
                Path written = swapped ? file : alias;
                List<String> before = tree();
                String[] args = Arrays.stream(line.split(" ")).map(word -> switch (word) {
                    case "@@" -> "@" + read;
                    case "@" -> read.toString();
                    case "%" -> written.toString();
                    case "other", "reports" -> own.resolve(word).toString();
                    case "other:@" -> own.resolve("other") + ":" + read;
                    default -> word;
                }).toArray(String[]::new);
                String refusal = PipedCommand.run("", args).refusal();
                assertTrue(refusal.contains("is the file that is read as ") && refusal.contains(written.toString()),
                        refusal);
                assertEquals(before, tree(), line);
                assertEquals(new String(CONTENT), Files.readString(file), line);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void twoResultsGoToTwoFiles(boolean isThere) throws IOException {
        for (Link link : Link.values()) {
            Path own = Files.createDirectories(folder.resolve(link + "/links")).getParent();
            Path file = own.resolve("x");
            if (isThere || link == Link.HARD || link == Link.TWICE) {
                Files.write(file, CONTENT);
            }
            Path alias = link.to(file);
            String refusal = PipedCommand.run("", "bench", "emit", "--json", file.toString(), "--csv", alias.toString())
                    .refusal();
            assertTrue(refusal.contains("--json and --csv name the same file, "), refusal);
        }
    }

    /** A link that leads to another file is no reason to refuse, nor are devices and pipes. */
    @Test
    void otherFilesAreTaken() throws IOException {
        Path report = Files.writeString(folder.resolve("r.xml"), "<testsuite/>");
        Path other = Files.writeString(folder.resolve("other"), "");
        Path link = Files.createSymbolicLink(folder.resolve("link"), other);
        for (Path output : List.of(other, link, Path.of("/dev/null"), folder.resolve("new"))) {
            PipedCommand command = PipedCommand.run("", "annotate", report.toString(), "--output", output.toString());
            assertEquals(new PipedCommand(0, "", ""), command);
        }
        assertEquals("<testsuite/>", Files.readString(report));
    }

    /** Every file of every verb is known as one that it reads or writes: a verb that comes to it has to say which. */
    @Test
    void everyFileOfEveryVerbIsKnown() {
        Terminal terminal = new Terminal(InputStream.nullInputStream(), System.out, System.err, false);
        Map<String, List<String>> written = new TreeMap<>();
        Map<String, List<String>> read = new TreeMap<>();
        collect("", Main.commandLine(terminal, () -> Presets.CATALOG, List.of()), written, read);
        assertEquals("{annotate=[--output], bench=[--csv, --html, --json], emit=[--output], explain=[--output], "
                + "record=[--out], replay=[--junit-xml], run=[--output], swizzle=[--output], timeline=[--output], "
                + "tune=[--output], verify=[--failures, --junit-xml]}", written.toString());
        assertEquals("{annotate=[--sources, REPORT], audit=[--class-path, --inputs, --output], "
                + "bench=[--compare, --read, --rivals], check=[--class-path], "
                + "emit=[--class-path], explain=[--class-path], replay=[FILE], run=[--class-path, --input], "
                + "tensormap check=[--spec, FILE], tensormap decode=[--spec, FILE], tensormap encode=[--spec, FILE], "
                + "timeline=[--class-path], tune=[--class-path]}", read.toString());
    }

    private static void collect(String verb, CommandLine line, Map<String, List<String>> written,
            Map<String, List<String>> read) {
        for (ArgSpec argument : line.getCommandSpec().args()) {
            Class<?> type = argument.typeInfo().isCollection() ? argument.auxiliaryTypes()[0] : argument.type();
            if (type == Path.class) {
                boolean isWritten = ((AnnotatedElement) argument.userObject()).isAnnotationPresent(Written.class);
                Collection<String> names = (isWritten ? written : read).computeIfAbsent(verb, _ -> new ArrayList<>());
                names.add(NamedFiles.name(argument));
            }
        }
        Stream.of(written, read).filter(files -> files.containsKey(verb)).forEach(files -> files.get(verb).sort(null));
        line.getSubcommands().forEach((name, sub) -> collect((verb + " " + name).strip(), sub, written, read));
    }
}

package dev.tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.builder.Presets;
import dev.tilewright.cli.terminal.Terminal;
import dev.tilewright.tile.kernel.TilePreset;
import dev.tilewright.tile.kernel.TilePresets;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine;

/**
 * The verbs and options that documents, CI templates and images name are there, also where nothing but a GPU could run
 * them.
 */
class DocumentedCommandsTest {
    private static final Path ROOT = Path.of(System.getProperty("tilewright.root", "."));
    private static final Pattern BLOCK = Pattern.compile("^```sh(?: gpu)?\n(.*?)^```$",
            Pattern.DOTALL | Pattern.MULTILINE);
    private static final Pattern FENCE = Pattern.compile("^```([^\n`]*)$", Pattern.MULTILINE);
    /** The command and its arguments, up to what the shell does with it. */
    private static final Pattern COMMAND =
            Pattern.compile("(?:^|[\\s/\"])scripts/tilewright\"? ((?:'[^'\n]*'|[^\n|;&>)'])*)");
    /** A kernel in a table. */
    private static final Pattern NAME = Pattern.compile("`([a-z0-9-]+)`");
    /** The command within a sentence or a table. */
    private static final Pattern SPAN = Pattern.compile("`(scripts/tilewright|tilewright|…) ([a-z][^`]*)`");
    private static final Pattern WORD = Pattern.compile("(?:'[^']*'|\"[^\"]*\"|[^\\s'\"])+");

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<Path> documents() throws IOException {
        List<Path> documents = new ArrayList<>(List.of(ROOT.resolve("README.md")));
        try (Stream<Path> pages = Files.list(ROOT.resolve("docs"))) {
            pages.filter(p -> p.toString().endsWith(".md")).sorted().forEach(documents::add);
        }
        return documents;
    }

    private static List<String> commands(String text) {
        return COMMAND.matcher(text.replace("\\\n", " ")).results().map(r -> r.group(1).strip()).toList();
    }

    private static void requireKnown(Path file, String command) {
        String plain = command.replaceAll("\\$\\{\\{[^}]*}}", "1").replaceAll("\"\\$\\w+\"", "1");
        try {
            List<String> words = WORD.matcher(plain).results().map(w -> w.group().replaceAll("['\"]", "")).toList();
            line(words).parseArgs(words.toArray(String[]::new));
        } catch (ParameterException e) {
            throw new AssertionError(file + ": scripts/tilewright " + command + ": " + e.getMessage(), e);
        }
    }

    private static CommandLine line(List<String> args) {
        Terminal terminal = new Terminal(new ByteArrayInputStream(new byte[0]),
                new PrintStream(OutputStream.nullOutputStream()), new PrintStream(OutputStream.nullOutputStream()),
                false);
        return Main.commandLine(terminal, () -> Presets.CATALOG, args);
    }

    @Test
    void ofDocuments() throws IOException {
        int seen = 0;
        for (Path document : documents()) {
            Matcher block = BLOCK.matcher(text(document));
            while (block.find()) {
                for (String command : commands(block.group(1))) {
                    requireKnown(document, command);
                    seen++;
                }
            }
        }
        assertTrue(seen >= 10, "commands in documents: " + seen);
    }

    @Test
    void ofTemplates() throws IOException {
        int seen = 0;
        for (String folder : List.of("ci", ".github", ".ci/steps")) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(folder))) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    for (String command : commands(text(file))) {
                        requireKnown(file, command);
                        seen++;
                    }
                }
            }
        }
        assertTrue(seen >= 15, "commands in templates: " + seen);
    }

    /** Each verb is in the first column of the table of commands; a row that several verbs share is of none. */
    @Test
    void everyVerbHasARow() {
        requireRows(ROOT);
    }

    static void requireRows(Path root) {
        Set<String> verbs = new TreeSet<>(line(List.of()).getSubcommands().keySet());
        verbs.remove("help");
        assertEquals(verbs, text(root.resolve("docs/command.md")).lines().filter(line -> line.startsWith("|"))
                .flatMap(row -> SPAN.matcher(row.split(" \\| ")[0]).results()).map(span -> span.group(2).split(" ")[0])
                .filter(verb -> !verb.contains("|")).collect(Collectors.toCollection(TreeSet::new)));
    }

    /** Each tile kernel that the command knows is in the table of kernels; {@code -nt} goes on a row's first name. */
    @Test
    void everyTileKernelHasARow() {
        requireKernelRows(ROOT);
    }

    static void requireKernelRows(Path root) {
        Set<String> missing = TilePresets.ALL.stream().map(TilePreset::name)
                .collect(Collectors.toCollection(TreeSet::new));
        text(root.resolve("docs/kernels-that-ship.md")).lines().filter(line -> line.startsWith("| `")).forEach(row -> {
            List<String> names = NAME.matcher(row.split(" \\| ")[0]).results().map(r -> r.group(1)).toList();
            names.forEach(name -> missing.remove(name.startsWith("-") ? names.getFirst() + name : name));
        });
        assertEquals(Set.of(), missing);
    }

    /** A verb that is named but gone, or lacks the option beside it, misleads. */
    @Test
    void ofRowsAndSentences() throws IOException {
        Map<String, CommandLine> verbs = line(List.of()).getSubcommands();
        for (Path document : documents()) {
            for (MatchResult span : SPAN.matcher(text(document)).results().toList()) {
                List<String> words = List.of(span.group(2).split(" +"));
                for (String verb : words.getFirst().split("[\\\\|]+")) {
                    assertTrue(verbs.containsKey(verb), () -> document + ": there is no verb '" + verb + "'");
                    words.stream().filter(word -> word.startsWith("--")).forEach(option ->
                            assertTrue(verbs.get(verb).getCommandSpec().optionsMap().containsKey(option),
                                    () -> document + ": " + verb + " has no option " + option));
                }
            }
        }
    }

    /** The verbs that take a kernel of the user's own, in the row of docs/command.md and in the guide's table. */
    @Test
    void ofOwnKernels() {
        List<String> taking = line(List.of()).getSubcommands().entrySet().stream()
                .filter(verb -> verb.getValue().getCommandSpec().optionsMap().containsKey("--program"))
                .map(Map.Entry::getKey).sorted().toList();
        assertTrue(text(ROOT.resolve("docs/command.md")).contains("| `… " + String.join("\\|", taking)
                + " --class-path PATH --program "), taking::toString);
        String head = text(ROOT.resolve("docs/kernels.md")).lines()
                .filter(line -> line.startsWith("| the member gives |")).findFirst().orElseThrow();
        assertEquals(taking, Pattern.compile("`(\\w+)`").matcher(head).results().map(r -> r.group(1)).sorted()
                .toList());
    }

    /** What a fence says decides whether CI runs the block: a word that nobody knows would leave it out. */
    @Test
    void fencesSayOneOfTheKnownWords() throws IOException {
        List<String> known = List.of("", "sh", "sh gpu", "java", "text", "xml", "cuda", "json", "yaml", "kotlin");
        for (Path document : documents()) {
            assertEquals(List.of(), FENCE.matcher(text(document)).results().map(r -> r.group(1))
                    .filter(w -> !known.contains(w)).toList(), document::toString);
        }
    }
}

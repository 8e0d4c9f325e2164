package dev.tilewright.cli.annotate;

import dev.tilewright.BadRequestException;
import dev.tilewright.cli.option.NamedFiles;
import dev.tilewright.cli.option.Verb;
import dev.tilewright.cli.option.Written;
import dev.tilewright.cli.terminal.ExitCode;
import dev.tilewright.cli.terminal.Failure;
import dev.tilewright.cli.terminal.GitHubAnnotations;
import dev.tilewright.cli.terminal.Json;
import dev.tilewright.cli.terminal.Terminal;
import dev.tilewright.cli.terminal.TextFile;
import dev.tilewright.io.FileProblem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code annotate}: what failed in JUnit reports, as GitHub and GitLab show it beside the lines of a change. */
@Command(name = "annotate", description = "Annotate failed tests of JUnit reports at their source lines, for GitHub or "
        + "GitLab.")
public final class AnnotateCommand extends Verb {
    /** Who shows them. */
    enum Format { GITHUB, GITLAB }

    @Parameters(arity = "1..*", paramLabel = "REPORT",
            description = "reports in JUnit's XML form, or folders of them, such as target/surefire-reports")
    List<Path> reports;

    @Option(names = "--format", defaultValue = "github",
            description = "github: workflow commands; gitlab: a code quality report; default ${DEFAULT-VALUE}")
    Format format;

    @Option(names = "--sources", paramLabel = "DIR",
            description = "a root of Java packages, such as src/test/java; several; default: all src/*/* below this "
                    + "folder")
    List<Path> sources = List.of();

    @Written
    @Option(names = {"-o", "--output"}, paramLabel = "FILE", description = "write there, not to standard output")
    Path output;

    AnnotateCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    public Integer call() {
        sources.stream().filter(folder -> !Files.isDirectory(folder)).findFirst().ifPresent(folder -> {
            throw new BadRequestException("--sources takes folders, and " + folder + " is none");
        });
        Path project = Path.of("");
        SourceLines lines = sources.isEmpty() ? SourceLines.of(project) : SourceLines.in(project, sources);
        List<Path> files = reports.stream().flatMap(report -> files(report).stream()).toList();
        NamedFiles named = new NamedFiles().writing("--output", output);
        files.forEach(file -> named.reading("REPORT", file));
        named.requireApart();
        if (output != null) {
            TextFile.requirePlace(output);
        }
        List<Failure> failures = files.stream().flatMap(file -> TestReport.failures(file, lines).stream()).toList();
        String text = switch (format) {
            case GITHUB -> String.join("", failures.stream().map(f -> GitHubAnnotations.error(f) + "\n").toList());
            case GITLAB -> Json.document(CodeQuality.of(failures, reports.getFirst().toString())) + "\n";
        };
        if (output == null) {
            terminal.text(text);
        } else {
            terminal.report(output, text);
        }
        return failures.isEmpty() ? ExitCode.OK : ExitCode.FOUND;
    }

    private static List<Path> files(Path report) {
        if (!Files.isDirectory(report)) {
            return List.of(report);
        }
        List<Path> inside = new ArrayList<>();
        try (Stream<Path> files = Files.list(report)) {
            files.filter(f -> f.getFileName().toString().endsWith(".xml")).sorted().forEach(inside::add);
        } catch (IOException e) {
            throw FileProblem.of("read", report, e);
        }
        if (inside.isEmpty()) {
            throw new BadRequestException("there is no report (*.xml) in " + report
                    + ": name the folder that the tests wrote theirs to");
        }
        return inside;
    }
}

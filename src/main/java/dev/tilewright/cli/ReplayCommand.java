package dev.tilewright.cli;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.tilewright.cli.option.JsonVerb;
import dev.tilewright.cli.option.Written;
import dev.tilewright.cli.terminal.ExitCode;
import dev.tilewright.cli.terminal.Failure;
import dev.tilewright.cli.terminal.Terminal;
import dev.tilewright.cli.terminal.TextFile;
import dev.tilewright.verify.JUnitXml;
import dev.tilewright.verify.RecordingReplay;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code replay}: encoder, rules and reference against recordings of real hardware. */
@Command(name = "replay", description = "Compare encoder, rules and reference with recordings of real hardware.",
        footer = {"",
                "Rows of all kinds may be mixed. Each row that disagrees is named with its file and line; rows of an "
                        + "unknown kind count as skipped. A file is refused if none of its rows can be replayed, or if "
                        + "it is cut short, altered or of a newer version. Recordings of a project's own kernels are "
                        + "only checked against their hash; its tests replay them."})
final class ReplayCommand extends JsonVerb {
    @Parameters(arity = "1..*", paramLabel = "FILE", description = "recordings: JSON lines, plain or gzip")
    List<Path> files;

    @Written
    @Option(names = "--junit-xml", paramLabel = "FILE", description = "also write a JUnit report")
    Path junitXml;

    /** How many rows were replayed, and how they went. */
    private record Rows(long replayed, long agreed, long disagreed, long skipped) {
        static Rows of(RecordingReplay.Count count) {
            return new Rows(count.replayed(), count.agreed(), count.disagreed(), count.skipped());
        }
    }

    /**
     * The document.
     *
     * @param kinds by kind, such as {@code load tile}
     * @param total of all kinds, in fields of its own
     */
    private record Report(SortedMap<String, Rows> kinds, @JsonUnwrapped Rows total,
            List<RecordingReplay.Disagreement> disagreements) {
        static Report of(RecordingReplay replay) {
            SortedMap<String, Rows> kinds = new TreeMap<>();
            replay.counts().forEach((kind, count) -> kinds.put(kind, Rows.of(count)));
            return new Report(kinds, Rows.of(replay.total()), replay.disagreements());
        }
    }

    ReplayCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    public Integer call() {
        if (junitXml != null) {
            TextFile.requirePlace(junitXml);
        }
        RecordingReplay replay = new RecordingReplay();
        files.forEach(replay::file);
        replay.disagreements().forEach(d -> terminal.annotate(Failure.of("replay, " + d.kind(), d.toString())));
        if (json) {
            terminal.json(Report.of(replay));
        } else {
            replay.counts().forEach((kind, count) -> terminal.result(line(kind, count)));
            replay.disagreements().forEach(d -> terminal.result(d.toString()));
            long more = replay.total().disagreed() - replay.disagreements().size();
            if (more > 0) {
                terminal.result("and " + more + " more");
            }
            terminal.result(replay.lastLine());
        }
        if (junitXml != null) {
            terminal.report(junitXml, JUnitXml.of("tilewright", replay.summary("replay"),
                    Map.of("rows", replay.lastLine())));
        }
        return replay.total().disagreed() == 0 ? ExitCode.OK : ExitCode.FOUND;
    }

    private static String line(String kind, RecordingReplay.Count count) {
        return String.format("%-18s ", kind)
                + (RecordingReplay.isOfProject(kind) ? "whole " + count.skipped() + ": replayed by its project's tests"
                : count.skipped() > 0 ? "skipped " + count.skipped() + ": no such kind is known"
                : "replayed " + count.replayed() + " agreed " + count.agreed() + " disagreed " + count.disagreed());
    }
}

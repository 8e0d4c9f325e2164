package dev.tilewright.cli;

import dev.tilewright.verify.RecordingReplay;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code replay}: encoder, rules and reference against recordings of real hardware. */
@Command(name = "replay", description = "Hold encoder, rules and reference against recordings of real hardware.",
        footer = {"", "Rows of all kinds may be mixed. Each row that comes out otherwise is named with its file and line;"
                + " rows of a kind that is not known are counted as skipped."})
final class ReplayCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    CommonOptions common;

    @Parameters(arity = "1..*", paramLabel = "FILE", description = "recordings: JSON lines, plain or gzip")
    List<Path> files;

    @Option(names = "--json", description = "print one JSON document")
    boolean json;

    ReplayCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        RecordingReplay replay = new RecordingReplay();
        files.forEach(replay::file);
        if (json) {
            terminal.json(document(replay));
        } else {
            replay.counts().forEach((kind, count) -> terminal.result(line(kind, count)));
            replay.disagreements().forEach(d -> terminal.result(d.toString()));
            long more = replay.total().disagreed() - replay.disagreements().size();
            if (more > 0) {
                terminal.result("and " + more + " more");
            }
            terminal.result(replay.lastLine());
        }
        return replay.total().disagreed() == 0 ? ExitCode.OK : ExitCode.FOUND;
    }

    private static String line(String kind, RecordingReplay.Count count) {
        return String.format("%-18s ", kind) + (count.skipped() > 0 ? "skipped " + count.skipped() + ": no such kind is known"
                : "replayed " + count.replayed() + " agreed " + count.agreed() + " disagreed " + count.disagreed());
    }

    private static Map<String, Object> document(RecordingReplay replay) {
        Map<String, Object> kinds = new LinkedHashMap<>();
        replay.counts().forEach((kind, count) -> kinds.put(kind, fields(count)));
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("kinds", kinds);
        document.putAll(fields(replay.total()));
        document.put("disagreements", replay.disagreements());
        return document;
    }

    private static Map<String, Object> fields(RecordingReplay.Count count) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("replayed", count.replayed());
        fields.put("agreed", count.agreed());
        fields.put("disagreed", count.disagreed());
        fields.put("skipped", count.skipped());
        return fields;
    }
}

package dev.tilewright.verify;

import dev.tilewright.BadRequestException;
import dev.tilewright.json.JsonFields;
import dev.tilewright.ptx.Target;
import dev.tilewright.recording.KernelCase;
import dev.tilewright.recording.RecordingFile;
import dev.tilewright.tensormap.TensorMapEncoder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Holds everything against recordings of any kinds mixed: encode rows against a tensor map encoder and its rules,
 * copies and tensor-core instructions against the reference. Rows of a kind that is not known are counted as skipped.
 * One replay takes any number of files and adds up.
 */
public final class RecordingReplay {

    /** Disagreements that are named; the others are only counted. */
    public static final int SHOWN = 20;

    /** How the rows of one kind went. */
    public record Count(long agreed, long disagreed, long skipped) {

        /** Rows that were replayed. */
        public long replayed() {
            return agreed + disagreed;
        }

        Count plus(Count other) {
            return new Count(agreed + other.agreed, disagreed + other.disagreed, skipped + other.skipped);
        }
    }

    /** A row that does not agree. @param place file and line */
    public record Disagreement(String place, String kind, String what) {
        @Override
        public String toString() {
            return place + ": " + what;
        }
    }

    private static final Count AGREED = new Count(1, 0, 0);
    private static final Count DISAGREED = new Count(0, 1, 0);
    private static final Count SKIPPED = new Count(0, 0, 1);

    private final EncodeReplay encodes;
    private final Replay copies = new Replay();
    private final MechanismReplay mechanisms = new MechanismReplay();
    private final SortedMap<String, Count> counts = new TreeMap<>();
    private final SortedMap<String, Double> seconds = new TreeMap<>();
    private final List<Disagreement> disagreements = new ArrayList<>();

    /** @param encoder what encode rows are held against. @param target what they were recorded on */
    public RecordingReplay(TensorMapEncoder encoder, Target target) {
        encodes = new EncodeReplay(encoder, target);
    }

    /** Holds the encoder in Java against recordings of sm_90. */
    public RecordingReplay() {
        this(TensorMapEncoder.java(), Target.SM_90);
    }

    /**
     * Replays all rows of a file, gzip or plain.
     *
     * @throws BadRequestException if it cannot be read, a line is no row, naming file, line and field, or no row of it
     *     can be replayed
     */
    public RecordingReplay file(Path file) {
        // Rows by themselves, on all processors; what came of them in their order, once all are known to be rows.
        List<Judged> judged = RecordingFile.read(file).rows().parallelStream()
                .map(line -> timed(file + ":" + line.number(), line.text())).toList();
        judged.stream().flatMap(j -> j.problem().stream()).findFirst().ifPresent(problem -> {
            throw problem;
        });
        if (judged.stream().allMatch(j -> j.count().equals(SKIPPED) && !isOfProject(j.kind()))) {
            String kinds = judged.stream().map(Judged::kind).distinct().sorted().collect(Collectors.joining(", "));
            throw new BadRequestException("no row of " + file + " can be replayed: "
                    + (kinds.isEmpty() ? "it has none" : "kinds that are not known: " + kinds));
        }
        for (Judged row : judged) {
            counts.merge(row.kind(), row.count(), Count::plus);
            seconds.merge(row.kind(), row.seconds(), Double::sum);
            if (row.difference().isPresent() && disagreements.size() < SHOWN) {
                disagreements.add(new Disagreement(row.place(), row.kind(), row.difference().get()));
            }
        }
        return this;
    }

    /** What came of a row. @param problem why it is none */
    private record Judged(String place, String kind, Count count, Optional<String> difference,
            Optional<BadRequestException> problem, double seconds) {

        Judged(String place, String kind, Count count, Optional<String> difference, Optional<BadRequestException> problem) {
            this(place, kind, count, difference, problem, 0);
        }

        Judged took(double time) {
            return new Judged(place, kind, count, difference, problem, time);
        }
    }

    private Judged timed(String place, String text) {
        long begin = System.nanoTime();
        return judged(place, text).took((System.nanoTime() - begin) / 1e9);
    }

    private Judged judged(String place, String text) {
        try {
            RecordingsRow row = Recordings.row(place, text);
            RowShape.check(row);
            if (row.kind().equals(KernelCase.KIND)) {
                return kernel(row);
            }
            if (row.kind().equals("encode")) {
                return judged(row, "encode " + row.mode(), encodes.row(place, row.fields()));
            }
            if (MechanismReplay.isFor(row)) {
                return judged(row, MechanismReplay.kind(row), mechanisms.disagreement(row));
            }
            Optional<String> skipped = Replay.notReplayed(row);
            return skipped.isPresent() ? new Judged(place, skipped.get(), SKIPPED, Optional.empty(), Optional.empty())
                    : judged(row, Replay.kind(row), copies.disagreement(row, Replay.ReplayMode.BOX));
        } catch (BadRequestException e) {
            return new Judged(place, "", SKIPPED, Optional.empty(), Optional.of(e));
        }
    }

    /** A project's own kernel is not in the row: it is well formed, and left to the project's tests. */
    private static Judged kernel(RecordingsRow row) {
        try {
            KernelCase held = KernelCase.of(new JsonFields(row.fields()));
            return new Judged(row.place(), KernelCase.KIND + " " + held.kernel(), SKIPPED, Optional.empty(), Optional.empty());
        } catch (BadRequestException e) {
            throw new BadRequestException(row.place() + ": " + e.getMessage(), e);
        }
    }

    /** Whether rows that are counted as this are replayed by the tests of a project, and not here. */
    public static boolean isOfProject(String kind) {
        return kind.startsWith(KernelCase.KIND + " ");
    }

    private static Judged judged(RecordingsRow row, String kind, Optional<String> difference) {
        return new Judged(row.place(), kind, difference.isEmpty() ? AGREED : DISAGREED, difference, Optional.empty());
    }

    /** By kind, such as {@code encode tile}, {@code load tile} or {@code reduce add}. */
    public SortedMap<String, Count> counts() {
        return Collections.unmodifiableSortedMap(counts);
    }

    /** All kinds together. */
    public Count total() {
        return counts.values().stream().reduce(new Count(0, 0, 0), Count::plus);
    }

    /** The first {@value #SHOWN} rows that disagree. */
    public List<Disagreement> disagreements() {
        return List.copyOf(disagreements);
    }

    /** All rows as checks of one group: a family for each kind, the rows that disagree by themselves as far as they are named. */
    public CheckSummary summary(String group) {
        CheckSummary summary = new CheckSummary();
        counts.forEach((kind, count) -> {
            summary.add(group, kind, CheckSummary.Outcome.PASSED, count.agreed(), seconds.get(kind));
            if (count.skipped() > 0) {
                summary.skip(group, kind, count.skipped(), isOfProject(kind) ? "replayed by its project's tests"
                        : "no such kind is known");
            }
            List<Disagreement> named = disagreements.stream().filter(d -> d.kind().equals(kind)).toList();
            named.forEach(d -> summary.add(new CheckSummary.Entry(group, kind, d.place(), CheckSummary.Outcome.FAILED,
                    d.what(), 0, "", "")));
            summary.add(group, kind, CheckSummary.Outcome.FAILED, count.disagreed() - named.size(), 0);
        });
        return summary;
    }

    /** {@code replayed N agreed N disagreed K}. */
    public String lastLine() {
        Count total = total();
        return "replayed " + total.replayed() + " agreed " + total.agreed() + " disagreed " + total.disagreed();
    }
}

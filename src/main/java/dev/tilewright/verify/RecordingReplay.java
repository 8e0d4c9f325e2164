package dev.tilewright.verify;

import dev.tilewright.BadRequestException;
import dev.tilewright.json.JsonFields;
import dev.tilewright.recording.KernelCase;
import dev.tilewright.recording.RecordingFile;
import dev.tilewright.recording.mechanism.Mechanisms;
import dev.tilewright.recording.mechanism.RowKind;
import dev.tilewright.reference.fault.Fault;
import dev.tilewright.reference.fault.ReferenceException;
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
    private static final Mechanisms MECHANISMS = new Mechanisms();

    private final SortedMap<String, Count> counts = new TreeMap<>();
    private final SortedMap<String, Double> seconds = new TreeMap<>();
    private final List<Disagreement> disagreements = new ArrayList<>();

    /**
     * Replays all rows of a file, gzip or plain.
     *
     * @throws BadRequestException if it cannot be read, a line is no row, naming file, line and field, or no row of it
     *     can be replayed
     */
    public RecordingReplay file(Path file) {
        // Rows by themselves, on all processors; what came of them in their order, once all are known to be rows.
        List<Judged> judged = RecordingFile.read(file).rows().parallelStream()
                .map(line -> judged(file + ":" + line.number(), line.text())).toList();
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
            Optional<BadRequestException> problem, double seconds) { }

    private Judged judged(String place, String text) {
        long begin = System.nanoTime();
        String kind = "";
        Count count = SKIPPED;
        Optional<String> difference = Optional.empty();
        Optional<BadRequestException> problem = Optional.empty();
        try {
            JsonFields row = JsonFields.parse(text, "row", Integer.MAX_VALUE);
            if (!row.object().path("kind").isTextual()) {
                throw new BadRequestException("no row of a recording: it has no \"kind\"");
            }
            Optional<RowKind> known = MECHANISMS.of(row);
            if (known.isPresent()) {
                row.requireOnly(known.get().fields(row), "a row of kind " + row.text("kind"));
                difference = difference(known.get(), row);
                count = difference.isEmpty() ? AGREED : DISAGREED;
                kind = known.get().counted(row);
            } else {
                // A project's own kernel is not in its row, which is well formed, and left to the project's tests.
                kind = row.text("kind").equals(KernelCase.KIND) ? KernelCase.KIND + " " + KernelCase.of(row).kernel()
                        : (row.text("kind") + " " + row.object().path("mode").asText()).strip();
            }
        } catch (BadRequestException e) {
            problem = Optional.of(new BadRequestException(place + ": " + e.getMessage(), e));
        }
        return new Judged(place, kind, count, difference, problem, (System.nanoTime() - begin) / 1e9);
    }

    private static Optional<String> difference(RowKind kind, JsonFields row) {
        try {
            return kind.difference(row);
        } catch (BadRequestException e) {
            throw e;
        } catch (ReferenceException | Fault e) {
            return Optional.of("the reference refuses it: " + e.getMessage());
        } catch (IllegalArgumentException | ArithmeticException | IndexOutOfBoundsException
                | NegativeArraySizeException e) {
            throw new BadRequestException("these numbers are of no instruction that can be run: " + e.getMessage(), e);
        }
    }

    /** Whether rows that are counted as this are replayed by the tests of a project, and not here. */
    public static boolean isOfProject(String kind) {
        return kind.startsWith(KernelCase.KIND + " ");
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

    /**
     * All rows as checks of one group: a family for each kind, the rows that disagree by themselves as far as they are
     * named.
     */
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

package dev.tilewright.bench.result;

import dev.tilewright.Counted;
import dev.tilewright.NotNull;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * One measurement of one side.
 *
 * @param suite what it belongs to, such as {@code copy}
 * @param subject what was measured, such as {@code bulk-copy}; every side that does the same work has the same subject
 * @param side whose work it is: {@link #OURS}, {@code cuMemcpy}, {@code C++}, {@code PyTorch}, {@code Triton}, {@code
 *         cuBLAS}
 * @param parameters what it was measured with, such as {@code size} in bytes, {@code tile}, {@code stages}; as text
 * @param bytes read plus written, by one piece of work; 0 where that says nothing
 * @param operations arithmetic ones, of one piece of work; 0 where there are none
 * @param unit of the figure
 * @param figure what was measured; null where nothing was
 * @param verdict what is known of its output
 * @param note why it was not run, what was wrong, or what bounds it; else empty
 * @param ratios to others of the same run
 */
public record Row(String suite, String subject, String side, Map<String, String> parameters, long bytes,
        double operations, Unit unit, Spread figure, Verdict verdict, String note, List<Ratio> ratios) {

    /** The side that is this library. */
    public static final String OURS = "tilewright";
    /** The side of the device's own copy. */
    public static final String MEMCPY = "cuMemcpy";
    /** The side of programs in CUDA C++ that do the same work. */
    public static final String CPP = "C++";
    /** The parameter of C++ kernels that says how they do it. */
    public static final String MECHANISM = "mechanism";

    /** The parameters, beside presets' options, by which suites say how work was done, and not which. */
    public static final Set<String> SCHEDULE = Set.of("tiles", "blocks", "block", "grid", "schedule", "hints", "hint",
            "unroll", "source", "kernel", "algorithm", "band", "conflicts");

    /** How the note of a row begins that was measured before its times were alike. */
    public static final String NOT_SETTLED = "not settled";

    public Row {
        NotNull.all("suite, subject, side, unit, verdict, note", suite, subject, side, unit, verdict, note);
        parameters = Collections.unmodifiableMap(new LinkedHashMap<>(parameters));
        ratios = List.copyOf(ratios);
        if ((verdict == Verdict.NOT_RUN) != (figure == null)) {
            throw new IllegalArgumentException("a row has a figure or was not run: " + subject + " of " + side);
        }
        if (figure == null && note.isEmpty()) {
            throw new IllegalArgumentException("a row that was not run says why: " + subject + " of " + side);
        }
    }

    /** A measurement with nothing beside it yet. */
    public static Row of(String suite, String subject, String side, Unit unit, Spread figure, Verdict verdict) {
        return new Row(suite, subject, side, Map.of(), 0, 0, unit, figure, verdict, "", List.of());
    }

    /** What could not be measured. @param why one sentence */
    public static Row notRun(String suite, String subject, String side, Unit unit, String why) {
        return new Row(suite, subject, side, Map.of(), 0, 0, unit, null, Verdict.NOT_RUN, why, List.of());
    }

    /** This row with one parameter more. */
    public Row with(String parameter, Object value) {
        Map<String, String> all = new LinkedHashMap<>(parameters);
        all.put(parameter, value.toString());
        return new Row(suite, subject, side, all, bytes, operations, unit, figure, verdict, note, ratios);
    }

    /** This row with further parameters. */
    public Row with(Map<String, ?> more) {
        Row row = this;
        for (Map.Entry<String, ?> one : new TreeMap<>(more).entrySet()) {
            row = row.with(one.getKey(), one.getValue());
        }
        return row;
    }

    /** This row with the bytes that one piece of work reads and writes. */
    public Row moving(long moved) {
        return new Row(suite, subject, side, parameters, moved, operations, unit, figure, verdict, note, ratios);
    }

    /** This row with the number of arithmetic operations in one piece of work. */
    public Row computing(double number) {
        return new Row(suite, subject, side, parameters, bytes, number, unit, figure, verdict, note, ratios);
    }

    /** This row with a note in place of its own. */
    public Row noting(String text) {
        return new Row(suite, subject, side, parameters, bytes, operations, unit, figure, verdict, text, ratios);
    }

    /** This row with more text behind its note. @param text nothing is said where it is empty */
    public Row notingToo(String text) {
        return text.isEmpty() ? this : noting(note.isEmpty() ? text : note + "; " + text);
    }

    /** Whether its times were alike when it was measured, as far as its note says. */
    public boolean isSettled() {
        return !note.contains(NOT_SETTLED);
    }

    /** This row as that of a run that ended before its turns were over: its note says how many there were. */
    public Row partial(int turns, int of) {
        String text = "partial: interrupted after " + turns + " of " + Counted.of(of, "turn");
        return noting(text).notingToo(note);
    }

    /**
     * This row with its ratio to another figure of the same unit.
     *
     * @param demanded see {@link Ratio}; null for nothing
     */
    public Row beside(String other, double theirs, Double demanded) {
        if (figure == null || !(theirs > 0)) {
            return this;
        }
        List<Ratio> all = new ArrayList<>(ratios);
        all.add(new Ratio(other, figure.median() / theirs, demanded));
        return new Row(suite, subject, side, parameters, bytes, operations, unit, figure, verdict, note, all);
    }

    /** This row with its ratio to another row's median, if that was measured. */
    public Row beside(Row other, Double demanded) {
        return other.figure == null ? this : beside(other.side, other.figure.median(), demanded);
    }

    /**
     * This row with its ratio to a side that had its turns between this one's: the median of what each turn has of its
     * neighbour's. How these lie becomes the note.
     *
     * @param ofTurns figures of this one's turns divided by those of the other's
     * @param demanded see {@link Ratio}; null for nothing
     */
    public Row besideInTurns(String other, Spread ofTurns, Double demanded) {
        List<Ratio> all = new ArrayList<>(ratios);
        all.add(new Ratio(other, ofTurns.median(), demanded));
        return new Row(suite, subject, side, parameters, bytes, operations, unit, figure, verdict,
                String.format(Locale.ROOT, "half of %d turns have %.3f to %.3f of %s's", ofTurns.samples(),
                        ofTurns.lowerQuartile(), ofTurns.upperQuartile(), other), all);
    }

    /** Its figure divided by another's; empty where it does not stand beside that. */
    public Optional<Double> ratioTo(String other) {
        return ratios.stream().filter(ratio -> ratio.of().equals(other)).findFirst().map(Ratio::value);
    }

    /** This row with a demand on a ratio that it has. */
    public Row demanding(String other, double bound) {
        List<Ratio> all = ratios.stream().map(ratio -> ratio.of().equals(other)
                ? new Ratio(other, ratio.value(), bound) : ratio).toList();
        return new Row(suite, subject, side, parameters, bytes, operations, unit, figure, verdict, note, all);
    }

    /** This row with an upper limit on its figure. */
    public Row atMost(double limit) {
        List<Ratio> all = new ArrayList<>(ratios);
        all.add(new Ratio("1 " + unit, figure.median(), limit));
        return new Row(suite, subject, side, parameters, bytes, operations, unit, figure, verdict, note, all);
    }

    /** What tells it from the other rows of a report. */
    public String key() {
        return suite + " | " + subject + " | " + side + " | " + new TreeMap<>(parameters);
    }

    /** Whether its output was right, as far as there is one. */
    public boolean isCorrect() {
        return verdict != Verdict.WRONG;
    }

    /** Whether all that is demanded of it was reached. */
    public boolean isReached() {
        return ratios.stream().allMatch(ratio -> ratio.reached(unit));
    }
}

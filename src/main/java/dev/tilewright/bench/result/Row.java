package dev.tilewright.bench.result;

import dev.tilewright.Counted;
import dev.tilewright.NotNull;
import dev.tilewright.builder.Schedule;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * One measurement of one side.
 *
 * @param suite what it belongs to, such as {@code copy}
 * @param subject what was measured, such as {@code bulk-copy}; every side that does the same work has the same subject
 * @param side whose work it is: {@link #OURS}, {@code cuMemcpy}, {@code C++}, {@code PyTorch}, {@code Triton}, {@code
 *         cuBLAS}
 * @param parameters which work was measured, such as {@code size} in bytes; as text
 * @param schedule how this library's kernel did it; {@link Schedule#DEFAULT} where nothing was chosen, and of others
 * @param means what else says how it was done, such as {@code kernel} or {@code blocks}; as text
 * @param bytes read plus written, by one piece of work; 0 where that says nothing
 * @param operations arithmetic ones, of one piece of work; 0 where there are none
 * @param unit of the figure
 * @param figure what was measured; null where nothing was
 * @param verdict what is known of its output
 * @param note why it was not run, what was wrong, or what bounds it; else empty
 * @param ratios to others of the same run
 */
public record Row(String suite, String subject, String side, Map<String, String> parameters,
        Schedule schedule, Map<String, String> means, long bytes, double operations, Unit unit, Spread figure,
        Verdict verdict, String note, List<Ratio> ratios) {

    /** The side that is this library. */
    public static final String OURS = "tilewright";
    /** The side of the device's own copy. */
    public static final String MEMCPY = "cuMemcpy";
    /** The side of programs in CUDA C++ that do the same work. */
    public static final String CPP = "C++";
    /** The parameter of C++ kernels that says how they do it. */
    public static final String MECHANISM = "mechanism";

    /** How the note of a row begins that was measured before its times were alike. */
    public static final String NOT_SETTLED = "not settled";

    public Row {
        NotNull.all("suite, subject, side, parameters, schedule, means, unit, verdict, note", suite, subject, side,
                parameters, schedule, means, unit, verdict, note);
        parameters = Collections.unmodifiableMap(new LinkedHashMap<>(parameters));
        means = Collections.unmodifiableMap(new LinkedHashMap<>(means));
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
        return new Row(suite, subject, side, Map.of(), Schedule.DEFAULT, Map.of(), 0, 0, unit, figure, verdict, "",
                List.of());
    }

    /** What could not be measured. @param why one sentence */
    public static Row notRun(String suite, String subject, String side, Unit unit, String why) {
        return new Row(suite, subject, side, Map.of(), Schedule.DEFAULT, Map.of(), 0, 0, unit, null, Verdict.NOT_RUN,
                why, List.of());
    }

    /** This row with one parameter more. */
    public Row with(String parameter, Object value) {
        return with(Map.of(parameter, value));
    }

    /** This row with further parameters. */
    public Row with(Map<String, ?> more) {
        return new Row(suite, subject, side, and(parameters, more), schedule, means, bytes, operations, unit, figure,
                verdict, note, ratios);
    }

    /** This row of a kernel that was scheduled so. */
    public Row by(Schedule choices) {
        return new Row(suite, subject, side, parameters, choices, means, bytes, operations, unit, figure, verdict, note,
                ratios);
    }

    /** This row with one more word on how the work was done. */
    public Row by(String mean, Object value) {
        return by(Map.of(mean, value));
    }

    /** This row with more on how the work was done. */
    public Row by(Map<String, ?> more) {
        return new Row(suite, subject, side, parameters, schedule, and(means, more), bytes, operations, unit, figure,
                verdict, note, ratios);
    }

    private static Map<String, String> and(Map<String, String> some, Map<String, ?> more) {
        Map<String, String> all = new LinkedHashMap<>(some);
        more.forEach((name, value) -> all.put(name, value.toString()));
        return all;
    }

    /** This row with the bytes that one piece of work reads and writes. */
    public Row moving(long moved) {
        return new Row(suite, subject, side, parameters, schedule, means, moved, operations, unit, figure, verdict,
                note, ratios);
    }

    /** This row with the number of arithmetic operations in one piece of work. */
    public Row computing(double number) {
        return new Row(suite, subject, side, parameters, schedule, means, bytes, number, unit, figure, verdict, note,
                ratios);
    }

    /** This row with a note in place of its own. */
    public Row noting(String text) {
        return new Row(suite, subject, side, parameters, schedule, means, bytes, operations, unit, figure, verdict,
                text, ratios);
    }

    private Row standing(List<Ratio> all) {
        return new Row(suite, subject, side, parameters, schedule, means, bytes, operations, unit, figure, verdict,
                note, all);
    }

    /** This row as that of wrong output. @param why in place of its note */
    public Row wrong(String why) {
        return new Row(suite, subject, side, parameters, schedule, means, bytes, operations, unit, figure,
                Verdict.WRONG, why, ratios);
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
        return standing(all);
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
        return standing(all).noting(String.format(Locale.ROOT, "half of %d turns have %.3f to %.3f of %s's",
                ofTurns.samples(), ofTurns.lowerQuartile(), ofTurns.upperQuartile(), other));
    }

    /** Its figure divided by another's; empty where it does not stand beside that. */
    public Optional<Double> ratioTo(String other) {
        return ratios.stream().filter(ratio -> ratio.of().equals(other)).findFirst().map(Ratio::value);
    }

    /** This row with a demand on a ratio that it has. */
    public Row demanding(String other, double bound) {
        List<Ratio> all = ratios.stream().map(ratio -> ratio.of().equals(other)
                ? new Ratio(other, ratio.value(), bound) : ratio).toList();
        return standing(all);
    }

    /** This row with an upper limit on its figure. */
    public Row atMost(double limit) {
        List<Ratio> all = new ArrayList<>(ratios);
        all.add(new Ratio("1 " + unit, figure.median(), limit));
        return standing(all);
    }

    /** What tells it from the other rows of a report. */
    public String key() {
        return suite + " | " + subject + " | " + side + " | " + new TreeMap<>(parameters) + " | " + schedule + " | "
                + new TreeMap<>(means);
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

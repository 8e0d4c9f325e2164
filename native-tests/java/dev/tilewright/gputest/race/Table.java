package dev.tilewright.gputest.race;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The race's result: a line for each subject, printed as soon as it is known, and whether all was reached. */
final class Table {
    private static final String LINE = "%-52s %-24s %-24s %7s  %-34s %s%n";

    private final PrintStream out;
    private final List<String> missed = new ArrayList<>();

    Table(PrintStream out) {
        this.out = out;
        out.printf(LINE, "subject", "ours", "C++", "ratio", "demanded", "");
    }

    /**
     * A time, of which a ratio of at most a bound is asked for.
     *
     * @param theirs null where there is no C++ side
     * @param bound 0 where nothing is asked for
     */
    void time(String subject, String unit, Figure ours, Figure theirs, double bound) {
        double ratio = theirs == null ? Double.NaN : ours.median() / theirs.median();
        line(subject + ", " + unit, ours, theirs, ratio, bound == 0 ? "" : "at most " + two(bound), ratio <= bound);
    }

    /** A rate, of which a ratio of at least a bound is asked for; null and 0 as for times. */
    void rate(String subject, String unit, Figure ours, Figure theirs, double bound) {
        double ratio = theirs == null ? Double.NaN : ours.median() / theirs.median();
        line(subject + ", " + unit, ours, theirs, ratio, bound == 0 ? "" : "at least " + two(bound), ratio >= bound);
    }

    /**
     * A rate of which a share of another of our own is asked for, or of theirs where that is more.
     *
     * @param whole the other rate
     * @param of its name
     * @param bound 0 where nothing is asked for
     */
    void share(String subject, String unit, Figure ours, Figure theirs, double whole, String of, double bound) {
        double ratio = ours.median() / whole;
        line(subject + ", " + unit, ours, theirs, ratio, bound == 0 ? "" : "at least " + two(bound) + " of " + of,
                ratio >= bound);
    }

    /** A count that has to be zero. */
    void zero(String subject, String unit, long count) {
        out.printf(LINE, subject, count + " " + unit, "", "", "0", mark(subject, count == 0));
        out.flush();
    }

    /** A subject that was not measured. */
    void missing(String subject, String why) {
        out.printf(LINE, subject, "not measured: " + why, "", "", "", "");
        out.flush();
    }

    private void line(String subject, Figure ours, Figure theirs, double ratio, String demanded, boolean reached) {
        boolean known = !Double.isNaN(ratio);
        out.printf(LINE, subject, ours, theirs == null ? "no C++ side" : theirs,
                known ? String.format(Locale.ROOT, "%.3f", ratio) : "", demanded,
                demanded.isEmpty() ? "" : known ? mark(subject, reached) : "not compared");
        out.flush();
    }

    private String mark(String subject, boolean reached) {
        if (!reached) {
            missed.add(subject);
        }
        return reached ? "reached" : "MISSED";
    }

    private static String two(double bound) {
        return String.format(Locale.ROOT, "%.2f", bound);
    }

    /** The subjects of which what is asked for was not reached. */
    List<String> missed() {
        return List.copyOf(missed);
    }
}

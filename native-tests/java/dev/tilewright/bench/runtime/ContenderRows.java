package dev.tilewright.bench.runtime;

import dev.tilewright.bench.Bench;
import dev.tilewright.bench.result.Row;
import dev.tilewright.bench.result.Spread;
import dev.tilewright.bench.result.Unit;
import dev.tilewright.bench.result.Verdict;
import dev.tilewright.bench.rival.RivalProcess;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** The rows of a suite's subjects: what C++ takes, and what ours or another side takes, beside it. */
final class ContenderRows {
    private final Bench bench;
    private final String suite;
    private final RivalProcess rival;
    private final Consumer<Row> sink;

    ContenderRows(Bench bench, String suite, RivalProcess rival) {
        this(bench, suite, rival, bench::add);
    }

    private ContenderRows(Bench bench, String suite, RivalProcess rival, Consumer<Row> sink) {
        this.bench = bench;
        this.suite = suite;
        this.rival = rival;
        this.sink = sink;
    }

    /** Tells the bench what turns that go on have given: the rows that are added to what this gives. */
    void soFar(int turns, int of, Consumer<ContenderRows> report) {
        List<Row> rows = new ArrayList<>();
        report.accept(new ContenderRows(bench, suite, rival, rows::add));
        bench.soFar(turns, of, rows);
    }

    /** Theirs, and ours beside it. @param demanded of C++; null for nothing */
    void both(String subject, Unit unit, Turns turns, Verdict verdict, Double demanded) {
        both(subject, Row.OURS, unit, turns, verdict, demanded);
    }

    /** A C++ rival's row, and beside it that of a named side other than ours. */
    void both(String subject, String side, Unit unit, Turns turns, Verdict verdict, Double demanded) {
        theirs(subject, unit, turns.theirs(), verdict);
        add(row(subject, side, unit, turns.ours(), verdict), turns.theirs(), demanded);
    }

    /** The C++ side. @param theirs null where there is none */
    void theirs(String subject, Unit unit, Spread theirs, Verdict verdict) {
        sink.accept(theirs == null ? Row.notRun(suite, subject, Row.CPP, unit, rival.absence())
                : row(subject, Row.CPP, unit, theirs, verdict));
    }

    /**
     * One side's turns beside C++'s of the same rounds, neighbours in time: by the median of what each turn has of the
     * other.
     *
     * @param theirs of as many turns; null where there is no C++ side
     */
    void turns(String subject, String side, Unit unit, List<Spread> own, List<Spread> theirs, Verdict verdict,
            Double demanded) {
        Row row = row(subject, side, unit, Turns.of(own), verdict);
        Spread ratios = Turns.ratios(own, theirs);
        add(ratios == null ? row : row.besideInTurns(Row.CPP, ratios, demanded));
    }

    Row row(String subject, String side, Unit unit, Spread figure, Verdict verdict) {
        return Row.of(suite, subject, side, unit, figure, verdict);
    }

    /** Adds a row beside C++'s figure. */
    void add(Row row, Spread theirs, Double demanded) {
        sink.accept(theirs == null ? row : row.beside(Row.CPP, theirs.median(), demanded));
    }

    void add(Row row) {
        sink.accept(row);
    }
}

package dev.tilewright.bench.report;

import dev.tilewright.bench.result.Clocks;
import dev.tilewright.bench.result.Machine;
import dev.tilewright.bench.result.Ratio;
import dev.tilewright.bench.result.Report;
import dev.tilewright.bench.result.Row;
import dev.tilewright.bench.result.Spread;
import dev.tilewright.bench.result.Unit;
import dev.tilewright.bench.result.Verdict;
import dev.tilewright.builder.GridPolicy;
import dev.tilewright.builder.Schedule;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;

/** Reports of any content that a report may have. */
final class RandomReports {
    private static final List<String> SIDES = List.of(Row.OURS, "cuMemcpy", "C++", "PyTorch");

    private RandomReports() { }

    /** Texts with what CSV, JSON and HTML treat in a way of their own. */
    private static Arbitrary<String> texts() {
        return Arbitraries.oneOf(Arbitraries.strings().alpha().ofMaxLength(8),
                Arbitraries.strings().withChars("a,\"'<>&\\/\n\r\t;=é€\u2028 0").ofMaxLength(12),
                Arbitraries.just("</script><script>alert(1)</script>"));
    }

    private static Arbitrary<Double> values() {
        return Arbitraries.doubles().between(0, 1e12);
    }

    private static Arbitrary<Spread> spreads() {
        return values().array(double[].class).ofMinSize(1).ofMaxSize(9).map(Spread::of);
    }

    private static Arbitrary<Ratio> ratios() {
        return Combinators.combine(texts(), values(), values().injectNull(0.5)).as(Ratio::new);
    }

    static Arbitrary<Row> rows() {
        Arbitrary<Row> bare = Combinators.combine(Arbitraries.of("copy", "launch", "compute"), texts(),
                Arbitraries.of(SIDES),
                Arbitraries.of(Unit.class), spreads().injectNull(0.1),
                Arbitraries.of(Verdict.VERIFIED, Verdict.WRONG, Verdict.NO_OUTPUT), texts()).as(
                        (suite, subject, side, unit, figure, verdict, note) -> figure == null
                                ? Row.notRun(suite, subject, side, unit, "not here " + note)
                                : Row.of(suite, subject, side, unit, figure, verdict).noting(note));
        return Combinators.combine(bare, maps(), schedules(), maps(),
                Arbitraries.longs().between(0, 1L << 40), values(), ratios().list().ofMaxSize(2)).as(
                        (row, parameters, schedule, means, bytes, operations, ratios) -> new Row(row.suite(),
                                row.subject(), row.side(), parameters, schedule, means, bytes, operations, row.unit(),
                                row.figure(), row.verdict(), row.note(), ratios));
    }

    private static Arbitrary<Map<String, String>> maps() {
        return Arbitraries.maps(Arbitraries.of("size", "type", "blocks", "a, b"),
                Arbitraries.oneOf(texts(), Arbitraries.of("1048576", "1073741824", "bf16", "4"))).ofMaxSize(3);
    }

    private static Arbitrary<Schedule> schedules() {
        Arbitrary<Optional<GridPolicy>> grids = Arbitraries.of(GridPolicy.tilesEach(1), GridPolicy.over(132),
                GridPolicy.waves(264, 4)).optional();
        return Combinators.combine(Arbitraries.maps(Arbitraries.of("stages", "tile", "wait"),
                Arbitraries.of("4", "64x64B", "token")), grids).as(Schedule::new);
    }

    private static Arbitrary<Clocks> clocks() {
        return Combinators.combine(Arbitraries.integers().between(0, 3000), Arbitraries.integers().between(0, 9000),
                texts(),
                Arbitraries.integers().between(0, 99), Arbitraries.integers().between(0, 1000)).as(Clocks::new);
    }

    private static Arbitrary<Machine> machines() {
        return Combinators.combine(texts(), texts(), Arbitraries.integers().between(0, 200), values(), clocks(),
                clocks(),
                texts()).as((gpu, target, multiprocessors, rated, before, after, text) -> new Machine(gpu, target,
                        multiprocessors, 1L << 37, rated, 50 << 20, text, "13.0", text, before, after, text, 16,
                        "Linux",
                        "25", "0.1.0", text));
    }

    static Arbitrary<Report> reports() {
        return Combinators.combine(texts(), Arbitraries.longs(), Arbitraries.of(true, false), machines(),
                rows().list().ofMaxSize(12)).as((command, seed, complete, machine, rows) -> new Report(Report.FORMAT,
                        "2026-11-22T12:00:00Z", command, seed, complete, machine, rows));
    }
}

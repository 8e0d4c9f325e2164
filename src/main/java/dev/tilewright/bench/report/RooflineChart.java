package dev.tilewright.bench.report;

import dev.tilewright.bench.result.Machine;
import dev.tilewright.bench.result.Report;
import dev.tilewright.bench.result.Row;
import dev.tilewright.bench.result.Verdict;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The roofline of a report: every row that computes something of bytes that it moves. */
final class RooflineChart {

    private RooflineChart() { }

    /** Empty where nothing computes, or the memory's rating is not known. */
    static Optional<Chart> of(Report report) {
        Machine machine = report.machine();
        Map<String, Series> series = new LinkedHashMap<>();
        for (Row row : report.rows()) {
            double seconds = seconds(row);
            if (row.operations() > 0 && row.bytes() > 0 && seconds > 0 && Double.isFinite(seconds)
                    && row.verdict() != Verdict.WRONG) {
                boolean ours = RowNames.isOurs(row);
                String name = row.side().equals(Row.OURS) ? row.subject() : row.subject() + ", " + row.side();
                series.computeIfAbsent(name, _ -> new Series(name, ours ? Role.OURS : Role.RIVAL, new ArrayList<>()))
                        .points()
                        .add(new Series.Point(row.operations() / row.bytes(), row.operations() / seconds,
                                RowNames.work(row)));
            }
        }
        if (series.isEmpty() || !(machine.ratedGigabytesPerSecond() > 0)) {
            return Optional.empty();
        }
        List<Level> peaks = ArithmeticPeaks.of(machine);
        return Optional.of(new Roofline("roofline-all", "Operations against bytes",
                "Each point is a measurement: how many operations it does for each byte that it reads or writes, and "
                        + "how many in a second. The slope is the memory's rating of "
                        + Figures.number(machine.ratedGigabytesPerSecond())
                        + " GB/s: below it, memory bounds a kernel. "
                        + (peaks.isEmpty() ? "What bounds arithmetic is not known for this GPU."
                                : "Dashed: what bounds arithmetic at the " + ArithmeticPeaks.megahertz(machine)
                                        + " MHz that the GPU ran at."),
                new ChartAxis("operations for each byte", "operations a byte", ChartAxis.Scale.DECADES),
                new ChartAxis("operations a second", "op/s", ChartAxis.Scale.DECADES),
                machine.ratedGigabytesPerSecond() * 1e9,
                "memory's rating", peaks, List.copyOf(series.values())));
    }

    /** How long one piece of work took; 0 where the row does not say. */
    static double seconds(Row row) {
        if (row.figure() == null) {
            return 0;
        }
        double figure = row.figure().median();
        return switch (row.unit()) {
            case MICROSECONDS -> figure / 1e6;
            case MILLISECONDS -> figure / 1e3;
            case GIGABYTES_PER_SECOND -> row.bytes() / (figure * 1e9);
            case MEGABYTES_PER_SECOND -> row.bytes() / (figure * 1e6);
            case TERAFLOPS -> row.operations() / (figure * 1e12);
            case PER_SECOND -> 1 / figure;
            case BYTES -> 0;
        };
    }
}

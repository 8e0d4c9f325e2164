package dev.tilewright.bench.report;

import dev.tilewright.bench.result.Machine;
import dev.tilewright.bench.result.Row;
import dev.tilewright.bench.result.Unit;
import dev.tilewright.bench.result.Verdict;
import dev.tilewright.builder.TensorCopy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The charts of one suite's rows of one unit, whatever the suite: lines over the size where there are several sizes,
 * part of cuMemcpy and of others, heat maps where tiles and stages were tried, and bars. Of schedules of the same work
 * the best is shown. A row whose output is wrong is in no chart.
 */
final class SuiteCharts {
    private static final String RATING = "rating";
    private static final String TILE = TensorCopy.Builder.TILE.name();
    private static final String STAGES = TensorCopy.Builder.STAGES.name();
    private static final int MOST_BARS = 160;

    private final String id;
    private final Unit unit;
    private final String symbol;
    private final Machine machine;
    private final List<Row> rows;
    private final List<Long> sizes;
    /** The parameters by which works of one subject and side differ. */
    private final Map<String, Set<String>> telling = new HashMap<>();

    private SuiteCharts(String suite, Unit unit, List<Row> rows, Machine machine) {
        this.id = HtmlReport.id(suite) + "-" + unit.name().toLowerCase(Locale.ROOT).replace('_', '-');
        this.unit = unit;
        this.symbol = Figures.symbol(unit);
        this.machine = machine;
        this.rows = rows;
        this.sizes = List.copyOf(new TreeSet<>(rows.stream().map(RowNames::size).filter(size -> size > 0).toList()));
        Map<String, List<Row>> bySubject = new LinkedHashMap<>();
        rows.forEach(row -> bySubject.computeIfAbsent(subject(row), _ -> new ArrayList<>()).add(row));
        bySubject.forEach((subject, some) -> telling.put(subject, telling(some)));
    }

    private static String subject(Row row) {
        return row.subject() + " of " + row.side();
    }

    private static Set<String> telling(List<Row> rows) {
        Set<String> names = new TreeSet<>();
        rows.forEach(row -> names.addAll(row.parameters().keySet()));
        names.remove(RowNames.SIZE);
        names.removeIf(name -> rows.stream().map(row -> row.parameters().getOrDefault(name, "")).distinct()
                .count() == 1);
        return names;
    }

    /** @param rows of one suite */
    static List<Chart> of(String suite, List<Row> rows, Machine machine) {
        Map<Unit, List<Row>> byUnit = new LinkedHashMap<>();
        rows.stream().filter(row -> row.figure() != null && row.verdict() != Verdict.WRONG)
                .forEach(row -> byUnit.computeIfAbsent(row.unit(), _ -> new ArrayList<>()).add(row));
        List<Chart> charts = new ArrayList<>();
        byUnit.forEach((unit, some) -> charts.addAll(new SuiteCharts(suite, unit, some, machine).all()));
        return charts;
    }

    private List<Chart> all() {
        List<Chart> charts = new ArrayList<>();
        if (sizes.size() > 1) {
            overSize().ifPresent(charts::add);
            parts(Row.MEMCPY).ifPresent(charts::add);
            others().stream().filter(side -> !side.equals(Row.MEMCPY))
                    .forEach(side -> parts(side).ifPresent(charts::add));
        }
        charts.addAll(heatMaps());
        bars().ifPresent(charts::add);
        return charts;
    }

    /** What work a row is of, whichever side does it. */
    private String work(Row row) {
        String rest = variant(row);
        return rest.isEmpty() ? row.subject() : row.subject() + ", " + rest;
    }

    /** What tells it from other works of the subject by the same side. */
    private String variant(Row row) {
        Set<String> told = telling.get(subject(row));
        return RowNames.parameters(row, row.parameters().keySet().stream().filter(name -> !told.contains(name))
                .toList());
    }

    private List<String> others() {
        return rows.stream().map(Row::side).filter(side -> !side.equals(Row.OURS)).distinct().toList();
    }

    private static Role role(Row row) {
        return RowNames.isOurs(row) ? Role.OURS : row.side().equals(Row.MEMCPY) ? Role.BASELINE : Role.RIVAL;
    }

    private static double median(Row row) {
        return row.figure().median();
    }

    private Optional<Row> best(Predicate<Row> which) {
        Comparator<Row> order = Comparator.comparingDouble(SuiteCharts::median);
        return rows.stream().filter(which).max(unit.isMoreBetter() ? order : order.reversed());
    }

    /** The best of each work and size of one side. */
    private Map<String, Map<Long, Row>> bestOf(String side) {
        Map<String, Map<Long, Row>> found = new LinkedHashMap<>();
        for (Row row : rows) {
            if (row.side().equals(side)) {
                found.computeIfAbsent(work(row), _ -> new TreeMap<>()).merge(RowNames.size(row), row,
                        (a, b) -> unit.isMoreBetter() == (median(a) >= median(b)) ? a : b);
            }
        }
        return found;
    }

    private ChartAxis sizeAxis() {
        return new ChartAxis("size of the array", "bytes", ChartAxis.Scale.BYTES);
    }

    private List<Level> levels(boolean withMemcpy, long size) {
        List<Level> levels = new ArrayList<>();
        if (withMemcpy) {
            memcpy(size).ifPresent(value -> levels.add(new Level(Row.MEMCPY, value)));
        }
        boolean rated = rows.stream().flatMap(row -> row.ratios().stream())
                .anyMatch(ratio -> ratio.of().equals(RATING));
        if (rated && unit == Unit.GIGABYTES_PER_SECOND && machine.ratedGigabytesPerSecond() > 0) {
            levels.add(new Level("memory's rating", machine.ratedGigabytesPerSecond()));
        }
        return levels;
    }

    /** The middle of what cuMemcpy reached beside each of the others. */
    private Optional<Double> memcpy(long size) {
        double[] all = rows.stream().filter(row -> row.side().equals(Row.MEMCPY) && RowNames.size(row) == size)
                .mapToDouble(SuiteCharts::median).sorted().toArray();
        return all.length == 0 ? Optional.empty() : Optional.of(all[all.length / 2]);
    }

    private Optional<Chart> overSize() {
        List<Series> series = new ArrayList<>();
        bestOf(Row.OURS).forEach((work, bySize) -> series.add(line(work, Role.OURS, bySize, row -> median(row))));
        boolean few = series.size() <= 5;
        for (String side : others()) {
            if (!side.equals(Row.MEMCPY) && few) {
                bestOf(side).forEach((work, bySize) ->
                        series.add(line(work + ", " + side, RowNames.isOurs(side) ? Role.OURS : Role.RIVAL, bySize,
                                row -> median(row))));
            }
        }
        List<Series.Point> memcpy = new ArrayList<>();
        sizes.forEach(size -> memcpy(size).ifPresent(value -> memcpy.add(new Series.Point(size, value, ""))));
        if (!memcpy.isEmpty()) {
            series.add(new Series(Row.MEMCPY, Role.BASELINE, memcpy));
        }
        series.removeIf(s -> s.points().isEmpty());
        if (series.isEmpty()) {
            return Optional.empty();
        }
        List<Level> levels = levels(false, 0);
        return Optional.of(new LineChart(id + "-size", (unit.isMoreBetter() ? "Rate" : "Time") + " against size",
                figure() + ", the best schedule of each. " + (memcpy.isEmpty() ? ""
                        : "Dashed: cuMemcpy of the same array in the same run, the middle of what was measured in "
                                + "turns with each of the others. ") + (levels.isEmpty() ? ""
                                : "Dotted: what the memory is rated at. ")
                        + better(), sizeAxis(),
                new ChartAxis(symbol, symbol, unit.isMoreBetter() ? ChartAxis.Scale.LINEAR : ChartAxis.Scale.DECADES),
                series, levels));
    }

    private static Series line(String name, Role role, Map<Long, Row> bySize, Function<Row, Double> value) {
        List<Series.Point> points = new ArrayList<>();
        bySize.forEach((size, row) -> {
            Double there = value.apply(row);
            // A cost of nothing has no place on an axis of powers.
            if (size > 0 && there != null && Double.isFinite(there) && there > 0) {
                points.add(new Series.Point(size, there, RowNames.how(row)));
            }
        });
        return new Series(name, role, points);
    }

    /** Ours as a part of what another side reached, as rows say it. */
    private Optional<Chart> parts(String side) {
        List<Series> series = new ArrayList<>();
        bestOf(Row.OURS)
                .forEach((work, bySize) ->
                series.add(line(work, Role.OURS, bySize, row -> row.ratioTo(side).orElse(null))));
        List<Series> some = series.stream().filter(s -> s.points().size() > 1).toList();
        if (some.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new LineChart(id + "-of-" + HtmlReport.id(side), "Part of " + side + " against size",
                (rows.stream().anyMatch(row -> row.ratioTo(side).isPresent() && row.ratioTo(Row.MEMCPY).isPresent())
                        && !side.equals(Row.MEMCPY)
                        ? "The part of cuMemcpy that ours reached, over the part that the best of "
                                + (side.equals(Row.CPP) ? RowNames.cpp(rows) : side) + " reached; each was "
                                + "measured in turns with cuMemcpy, in its own process. "
                        : "The same figures, divided by what " + side + " reached with the same work, measured in "
                        + "turns with it. ")
                        + (unit.isMoreBetter() ? "Above 1 is faster." : "Below 1 is faster.")
                        + " The axis does not begin at 0.",
                sizeAxis(), new ChartAxis("of " + side, "", ChartAxis.Scale.RATIO), some, List.of(new Level(side, 1))));
    }

    private long largest() {
        return sizes.isEmpty() ? 0 : sizes.getLast();
    }

    private String atLargest() {
        return sizes.isEmpty() ? "" : " at " + Figures.bytes(largest());
    }

    private List<Chart> heatMaps() {
        Map<String, List<Row>> byWork = new LinkedHashMap<>();
        rows.stream().filter(row -> row.side().equals(Row.OURS) && RowNames.size(row) == largest()
                && row.schedule().has(TILE) && row.schedule().has(STAGES))
                .forEach(row -> byWork.computeIfAbsent(work(row), _ -> new ArrayList<>()).add(row));
        List<Chart> charts = new ArrayList<>();
        byWork.forEach((work, some) -> {
            List<String> xs = values(some, STAGES);
            List<String> ys = values(some, TILE);
            if (xs.size() > 1 && ys.size() > 1) {
                charts.add(heatMap(work, xs, ys, charts.size()));
            }
        });
        return charts;
    }

    private Chart heatMap(String work, List<String> xs, List<String> ys, int number) {
        List<HeatMap.Cell> cells = new ArrayList<>();
        for (int y = 0; y < ys.size(); y++) {
            for (int x = 0; x < xs.size(); x++) {
                Optional<String> stages = Optional.of(xs.get(x));
                Optional<String> tile = Optional.of(ys.get(y));
                int column = x;
                int line = y;
                best(row -> row.side().equals(Row.OURS) && RowNames.size(row) == largest() && work(row).equals(work)
                        && row.schedule().get(STAGES).equals(stages) && row.schedule().get(TILE).equals(tile))
                        .ifPresent(row -> cells.add(new HeatMap.Cell(column, line, median(row), RowNames.how(row))));
            }
        }
        return new HeatMap(id + "-heat-" + number, work + ": tile and stages",
                figure() + atLargest()
                + ", the best of whatever else was tried with each. The framed cell is the best of all; "
                        + "an empty one was not measured.",
                new ChartAxis(STAGES, "", ChartAxis.Scale.LINEAR), new ChartAxis(TILE, "",
                ChartAxis.Scale.LINEAR), symbol, xs, ys, cells);
    }

    private static List<String> values(List<Row> rows, String option) {
        return rows.stream().flatMap(row -> row.schedule().get(option).stream()).distinct()
                .sorted(Comparator.comparingDouble(SuiteCharts::area).thenComparing(Comparator.naturalOrder()))
                .toList();
    }

    /** The product of the numbers in a value such as {@code 64x32}. */
    private static double area(String value) {
        return Arrays.stream(value.split("[^0-9]+")).filter(part -> !part.isEmpty()).mapToDouble(Double::parseDouble)
                .reduce(1, (a, b) -> a * b);
    }

    private Optional<Chart> bars() {
        List<Level> levels = levels(true, largest());
        boolean memcpyIsLine = levels.stream().anyMatch(level -> level.name().equals(Row.MEMCPY));
        Map<String, List<BarChart.Bar>> byWork = new LinkedHashMap<>();
        boolean alone = others().stream().allMatch(side -> memcpyIsLine && side.equals(Row.MEMCPY));
        Set<String> sides = new LinkedHashSet<>(List.of(Row.OURS));
        sides.addAll(others());
        sides.stream().filter(side -> !(memcpyIsLine && side.equals(Row.MEMCPY)))
                .forEach(side -> bestOf(side).forEach((work, bySize) -> {
                    // Rivals that take no size have one of what the others have been given.
                    Row row = bySize.getOrDefault(largest(), bySize.get(0L));
                    if (row != null) {
                        String group = alone ? work : row.subject();
                        byWork.computeIfAbsent(group, _ -> new ArrayList<>())
                                .add(bar(group, alone ? "" : variant(row), row));
                    }
                }));
        List<BarChart.Bar> bars = byWork.values().stream().flatMap(List::stream)
                .sorted(byWork.values().stream().allMatch(some -> some.size() == 1)
                        ? Comparator.comparingDouble(bar -> unit.isMoreBetter() ? -bar.value() : bar.value())
                        : Comparator.comparingInt(bar -> 0)).toList();
        if (bars.isEmpty()) {
            return Optional.empty();
        }
        int left = Math.max(0, bars.size() - MOST_BARS);
        List<BarChart.Side> names = new ArrayList<>(List.of(new BarChart.Side(Role.OURS, "Tilewright")));
        String rivals = others().stream().filter(side -> !side.equals(Row.MEMCPY) && !RowNames.isOurs(side))
                .collect(Collectors.joining(", "));
        if (!rivals.isEmpty()) {
            names.add(new BarChart.Side(Role.RIVAL, rivals));
        }
        names.add(new BarChart.Side(Role.BASELINE, Row.MEMCPY));
        return Optional.of(new BarChart(id + "-bars", (unit.isMoreBetter() ? "Rates" : "Costs") + atLargest(),
                figure() + atLargest() + (sizes.isEmpty() ? "" : ", the best schedule of each")
                        + ", with the quartiles. " + (left == 0 ? "" : "The first " + MOST_BARS + " of " + bars.size()
                        + "; all are in the table of rows. ")
                        + (levels.isEmpty() ? "" : "Dotted: " + levels.stream().map(Level::name)
                                .collect(Collectors.joining(" and ")) + ". ") + better(),
                new ChartAxis(symbol, symbol, ChartAxis.Scale.LINEAR), bars.subList(0, bars.size() - left), levels,
                names));
    }

    private static BarChart.Bar bar(String group, String variant, Row row) {
        String schedule = RowNames.how(row);
        String quartiles = Figures.number(row.figure().lowerQuartile()) + " to "
                + Figures.number(row.figure().upperQuartile());
        return new BarChart.Bar(group, variant.isEmpty() ? row.side() : row.side() + ", " + variant, role(row),
                median(row), schedule.isEmpty() ? quartiles : quartiles + "; " + schedule);
    }

    private String figure() {
        return switch (unit) {
            case GIGABYTES_PER_SECOND -> "GB/s (10⁹ bytes in a second; within the device those read plus those "
                    + "written), medians";
            case MEGABYTES_PER_SECOND -> "MB/s (10⁶ bytes in a second), medians";
            case TERAFLOPS -> "TFLOP/s (10¹² operations in a second), medians";
            case PER_SECOND -> "Pieces of work in a second, medians";
            case MICROSECONDS -> "Microseconds, medians";
            case MILLISECONDS -> "Milliseconds, medians";
            case BYTES -> "Bytes, medians";
        };
    }

    private String better() {
        return unit.isMoreBetter() ? "More is better." : "Less is better.";
    }
}

package dev.tilewright.bench.report;

import dev.tilewright.bench.result.Row;
import dev.tilewright.builder.Schedule;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** How reports name rows. */
final class RowNames {
    /** The parameter that is a number of bytes. */
    static final String SIZE = "size";

    private RowNames() { }

    /** Whether this library did the work, in whatever way: {@code tilewright}, {@code tilewright, graph}. */
    static boolean isOurs(Row row) {
        return isOurs(row.side());
    }

    /** Whether a side is this library. */
    static boolean isOurs(String side) {
        return side.equals(Row.OURS) || side.startsWith(Row.OURS + ",");
    }

    /** The C++ kernels that ours stand beside: all of a subject where rows, of an older version, name no mechanism. */
    static String cpp(Collection<Row> rows) {
        return rows.stream().anyMatch(row -> row.side().equals(Row.CPP) && row.parameters().containsKey(Row.MECHANISM))
                ? Row.CPP + " of the same mechanism" : Row.CPP;
    }

    /** Subject, side, which work, and how. */
    static String name(Row row) {
        String work = work(row);
        return row.subject() + ", " + row.side() + (work.isEmpty() ? "" : ", " + work);
    }

    /** Which work it was, and how it was done: {@code size 1 GiB, schedule stages=4 tile=8x512B, 1 tile a block}. */
    static String work(Row row) {
        return Stream.of(parameters(row, Set.of()), how(row)).filter(text -> !text.isEmpty())
                .collect(Collectors.joining(", "));
    }

    /** How it was done: {@code schedule stages=4 tile=8x512B, 1 tile a block, blocks 132}. */
    static String how(Row row) {
        Stream<String> schedule = Stream.of(row.schedule()).filter(one -> !one.equals(Schedule.DEFAULT))
                .map(one -> "schedule " + one);
        return Stream.concat(schedule, row.means().entrySet().stream().map(RowNames::parameter))
                .collect(Collectors.joining(", "));
    }

    /** Parameters but these. */
    static String parameters(Row row, Collection<String> without) {
        return row.parameters().entrySet().stream().filter(one -> !without.contains(one.getKey()))
                .map(RowNames::parameter).collect(Collectors.joining(", "));
    }

    private static String parameter(Map.Entry<String, String> one) {
        String value = one.getKey().equals(SIZE) && size(one.getValue()) > 0 ? Figures.bytes(size(one.getValue()))
                : one.getValue();
        return one.getKey() + " " + value;
    }

    /** The size of the arrays in bytes; 0 where a row has none. */
    static long size(Row row) {
        return size(row.parameters().getOrDefault(SIZE, ""));
    }

    private static long size(String value) {
        return value.matches("[0-9]{1,18}") ? Long.parseLong(value) : 0;
    }
}

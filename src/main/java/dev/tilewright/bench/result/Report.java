package dev.tilewright.bench.result;

import dev.tilewright.NotNull;
import java.util.List;

/**
 * What one run found.
 *
 * @param format the version of this form; a reader refuses a newer one
 * @param started when, in UTC, as ISO 8601 has it
 * @param command the words that make it anew, after {@code tilewright}
 * @param seed of all random data
 * @param complete whether all that was asked for was measured: not where the run was interrupted
 * @param machine what was measured on
 * @param rows in the order of measuring
 */
public record Report(int format, String started, String command, long seed, boolean complete, Machine machine,
        List<Row> rows) {

    /** The newest form. */
    public static final int FORMAT = 2;

    public Report {
        NotNull.all("started, command, machine", started, command, machine);
        rows = List.copyOf(rows);
    }

    /** Whether every output was right. */
    public boolean isCorrect() {
        return rows.stream().allMatch(Row::isCorrect);
    }

    /** The rows of one suite. */
    public List<Row> of(String suite) {
        return rows.stream().filter(row -> row.suite().equals(suite)).toList();
    }
}

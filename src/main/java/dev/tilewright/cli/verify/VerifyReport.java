package dev.tilewright.cli.verify;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import dev.tilewright.cli.terminal.Terminal;
import dev.tilewright.verify.CaseTimes;
import dev.tilewright.verify.CheckSummary.Outcome;
import dev.tilewright.verify.CheckSummary;
import dev.tilewright.verify.JUnitXml;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What {@code verify} found, as a table, a JSON document and a JUnit report.
 *
 * @param facts what the run was, by name
 * @param complete whether all was done that was asked for
 */
record VerifyReport(CheckSummary summary, CaseTimes times, long seed, Map<String, String> facts, boolean complete) {
    private static final String SUITE = "tilewright.verify";

    /** The document. @param groups each a field of its own. @param cases how many in all */
    @JsonPropertyOrder({"seed", "complete", "groups", "cases", "failures"})
    private record Document(long seed, boolean complete, @JsonAnyGetter Map<String, Group> groups, long cases,
            List<CheckSummary.Entry> failures) { }

    /** How many ended so. */
    private record Group(long passed, long failed, long skipped) { }

    private Group group(String name) {
        return new Group(summary.count(name, Outcome.PASSED), summary.count(name, Outcome.FAILED),
                summary.count(name, Outcome.SKIPPED));
    }

    /** Writes the file for CI servers. */
    void write(Terminal terminal, Path junitXml) {
        Map<String, String> properties = new LinkedHashMap<>(facts);
        properties.put("complete", Boolean.toString(complete));
        properties.put("checks", summary.lastLine());
        terminal.report(junitXml, JUnitXml.of(SUITE, summary, properties));
    }

    /** Prints the result. @param json as one document */
    void print(Terminal terminal, boolean json) {
        if (json) {
            Map<String, Group> groups = new LinkedHashMap<>();
            summary.groups().forEach(name -> groups.put(name, group(name)));
            terminal.json(new Document(seed, complete, groups, summary.count(), summary.failures()));
            return;
        }
        for (String name : summary.groups()) {
            String why = summary.families(name).stream().map(CheckSummary.Family::reason).filter(r -> !r.isEmpty())
                    .findFirst().map(reason -> ": " + reason).orElse("");
            Group group = group(name);
            terminal.result(String.format("%-10s passed %d failed %d skipped %d%s", name, group.passed(),
                    group.failed(), group.skipped(), why));
        }
        if (times.cases() > 0) {
            terminal.result("time       " + times);
        }
        String again = summary.failures().stream().map(CheckSummary.Entry::reproduction).filter(r -> !r.isEmpty())
                .map(line -> "again      " + line).collect(Collectors.joining("\n"));
        if (!again.isEmpty()) {
            terminal.result(again);
        }
        terminal.result(summary.lastLine());
    }
}

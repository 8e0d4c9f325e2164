package dev.tilewright.cli;

import dev.tilewright.ptx.Target;
import dev.tilewright.tensormap.Validation;
import dev.tilewright.tensormap.Violation;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code tensormap check}: every rule that descriptions break. */
@Command(name = "check", description = "Every rule that descriptions break, errors and warnings apart.",
        footer = {"", TensorMapCommand.DESCRIPTIONS})
final class TensorMapCheckCommand implements Callable<Integer> {
    private final Terminal terminal;
    private final List<Map<String, Object>> document = new ArrayList<>();
    private int valid;
    private int invalid;

    @Mixin
    CommonOptions common;

    @Mixin
    DescriptionInput lines;

    @Option(names = "--json", description = "print one JSON document")
    boolean json;

    TensorMapCheckCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() {
        Target target = lines.target();
        lines.forEach(terminal, (number, text) -> report(number, MapDescription.read(text).validate(target)));
        if (json) {
            Map<String, Object> all = new LinkedHashMap<>();
            all.put("target", target.toString());
            all.put("descriptions", document);
            all.put("valid", valid);
            all.put("invalid", invalid);
            terminal.json(all);
        } else {
            terminal.result("checked " + (valid + invalid) + " valid " + valid + " invalid " + invalid);
        }
        return invalid == 0 ? ExitCode.OK : ExitCode.FOUND;
    }

    private void report(int line, Validation validation) {
        if (validation.ok()) {
            valid++;
        } else {
            invalid++;
        }
        if (!json) {
            terminal.result(lines.place(line) + ": " + validation.report());
            return;
        }
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("line", line);
        fields.put("valid", validation.ok());
        fields.put("errors", validation.errors().stream().map(TensorMapCheckCommand::fields).toList());
        fields.put("warnings", validation.warnings().stream().map(TensorMapCheckCommand::fields).toList());
        document.add(fields);
    }

    private static Map<String, Object> fields(Violation v) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("rule", v.rule().id());
        fields.put("field", v.field());
        fields.put("index", v.index() == Violation.NO_INDEX ? null : v.index());
        fields.put("value", v.value());
        fields.put("limit", v.limit());
        fields.put("suggestion", v.suggestion());
        fields.put("source", v.rule().source());
        return fields;
    }
}

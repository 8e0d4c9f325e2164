package dev.tilewright.cli.tensormap;

import dev.tilewright.cli.option.JsonVerb;
import dev.tilewright.cli.terminal.ExitCode;
import dev.tilewright.cli.terminal.Terminal;
import dev.tilewright.ptx.Target;
import dev.tilewright.tensormap.Validation;
import dev.tilewright.tensormap.rules.Violation;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code tensormap check}: every rule that descriptions break. */
@Command(name = "check", description = "List every rule that descriptions break, errors apart from warnings.",
        footer = {"", TensorMapCommand.DESCRIPTIONS})
public final class TensorMapCheckCommand extends JsonVerb {
    /** Of a description without an address nothing is said of it: this one is null for no rule, and aligned for all. */
    private static final long SOME_ADDRESS = 1L << 30;

    private final List<Description> descriptions = new ArrayList<>();
    private int valid;
    private int invalid;

    @Mixin
    DescriptionInput lines;

    /** The document. */
    private record Report(String target, List<Description> descriptions, int valid, int invalid) { }

    private record Description(int line, boolean valid, List<Broken> errors, List<Broken> warnings) { }

    /** A rule that is broken. @param index of the field, where that is a list; else null */
    private record Broken(String rule, String field, Integer index, Object value, Object limit, String suggestion,
            String source) {
        static Broken of(Violation v) {
            return new Broken(v.rule().id(), v.field(), v.index() == Violation.NO_INDEX ? null : v.index(), v.value(),
                    v.limit(), v.suggestion(), v.rule().source());
        }
    }

    TensorMapCheckCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    public Integer call() {
        Target target = lines.target();
        lines.forEach(terminal, (number, text) -> report(number, Validation.of(MapDescription.read(text, SOME_ADDRESS),
                target)));
        print(new Report(target.toString(), descriptions, valid, invalid),
                List.of("checked " + (valid + invalid) + " valid " + valid + " invalid " + invalid));
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
        descriptions.add(new Description(line, validation.ok(), validation.errors().stream().map(Broken::of).toList(),
                validation.warnings().stream().map(Broken::of).toList()));
    }
}

package dev.tilewright.tensormap;

import dev.tilewright.NotNull;
import dev.tilewright.ptx.Target;
import dev.tilewright.tensormap.call.EncodeCall;
import dev.tilewright.tensormap.rules.Severity;
import dev.tilewright.tensormap.rules.TensorMapRules;
import dev.tilewright.tensormap.rules.Violation;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * All violations of {@link TensorMapRules} by one description on one target, not only the first.
 *
 * @param errors what makes the driver refuse it, or the target unable to use it
 * @param warnings what is accepted and probably a mistake
 */
public record Validation(Target target, List<Violation> errors, List<Violation> warnings) {

    public Validation {
        NotNull.all("target, errors, warnings", target, errors, warnings);
        errors = List.copyOf(errors);
        warnings = List.copyOf(warnings);
    }

    /** Every rule that a driver call's arguments break on a target, errors and warnings apart. Never throws. */
    public static Validation of(EncodeCall call, Target target) {
        NotNull.all("call, target", call, target);
        Map<Severity, List<Violation>> found = TensorMapRules.violations(call, target).stream()
                .collect(Collectors.groupingBy(Violation::severity));
        return new Validation(target, found.getOrDefault(Severity.ERROR, List.of()),
                found.getOrDefault(Severity.WARNING, List.of()));
    }

    /** Whether there is no error; warnings do not count. */
    public boolean ok() {
        return errors.isEmpty();
    }

    /** @throws TensorMapException with every error, if there is one */
    public Validation orThrow() {
        if (!ok()) {
            throw new TensorMapException(this);
        }
        return this;
    }

    /** Every violation on a line of its own, errors first. */
    public String report() {
        StringBuilder text = new StringBuilder(count(errors, "error"));
        if (!warnings.isEmpty()) {
            text.append(" and ").append(count(warnings, "warning"));
        }
        text.append(" for ").append(target);
        if (!ok() || !warnings.isEmpty()) {
            text.append(" (indices count from the innermost dimension)");
        }
        errors.forEach(e -> text.append("\n  error: ").append(e.message()));
        warnings.forEach(w -> text.append("\n  warning: ").append(w.message()));
        return text.toString();
    }

    private static String count(List<Violation> violations, String what) {
        return switch (violations.size()) {
            case 0 -> "no " + what;
            case 1 -> "1 " + what;
            default -> violations.size() + " " + what + "s";
        };
    }

    @Override
    public String toString() {
        return report();
    }
}

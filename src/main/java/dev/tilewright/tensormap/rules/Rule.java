package dev.tilewright.tensormap.rules;

import dev.tilewright.NotNull;
import dev.tilewright.ptx.Target;
import dev.tilewright.tensormap.call.EncodeCall;

/**
 * One rule about the arguments of an encode call.
 *
 * @param id short name, unique among {@link TensorMapRules#all()}; it is printed with each violation
 * @param severity whether breaking it is refused or only suspicious
 * @param targets the targets it is for
 * @param text the rule, in one sentence
 * @param source where it comes from: cuda.h, a section of the PTX ISA, or a measurement
 * @param check finds the places where a call breaks it
 */
public record Rule(String id, Severity severity, RuleTargets targets, String text, String source, Check check) {
    public Rule {
        NotNull.all("id, severity, targets, text, source, check", id, severity, targets, text, source, check);
    }

    /** Looks at one call and reports each place that breaks the rule. Must cope with any integers and list lengths. */
    @FunctionalInterface
    public interface Check {
        /**
         * Reports every violation of its rule.
         *
         * @param call what was asked for
         * @param found takes the violations
         */
        void run(EncodeCall call, Target target, Findings found);
    }

    static Rule error(String id, RuleTargets targets, String text, String source, Check check) {
        return new Rule(id, Severity.ERROR, targets, text, source, check);
    }

    static Rule warning(String id, RuleTargets targets, String text, String source, Check check) {
        return new Rule(id, Severity.WARNING, targets, text, source, check);
    }

    /** All components of the record except the code. */
    @Override
    public String toString() {
        return id + " (" + severity.name().toLowerCase(java.util.Locale.ROOT) + ", " + targets + "): " + text + " ["
                + source + "]";
    }
}

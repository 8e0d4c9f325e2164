package dev.tilewright.tensormap.rules;

import dev.tilewright.NotNull;
import java.util.List;

/** Collects the findings of a rule's check, and fills in the rule. */
public final class Findings {

    private final Rule rule;
    private final List<Violation> out;

    Findings(Rule rule, List<Violation> out) {
        this.rule = rule;
        this.out = out;
    }

    /**
     * Reports a field that is not a list, or a whole list.
     *
     * @param limit what the value has to be, to follow "must be": "in [1, 1024]", "a multiple of 16"
     * @param suggestion what to do, starting with a verb
     */
    public void add(String field, long value, String limit, String suggestion) {
        NotNull.all("field, limit, suggestion", field, limit, suggestion);
        add(field, Violation.NO_INDEX, Long.toString(value), limit, suggestion);
    }

    /** Reports one entry of a list. */
    public void add(String field, int index, long value, String limit, String suggestion) {
        NotNull.all("field, limit, suggestion", field, limit, suggestion);
        add(field, index, Long.toString(value), limit, suggestion);
    }

    /** Reports a value that is not a plain number. */
    public void add(String field, int index, String value, String limit, String suggestion) {
        NotNull.all("field, value, limit, suggestion", field, value, limit, suggestion);
        out.add(new Violation(rule, field, index, value, limit, suggestion));
    }

    /** {@code findings of rule x}. */
    @Override
    public String toString() {
        return "findings of rule " + rule.id();
    }
}

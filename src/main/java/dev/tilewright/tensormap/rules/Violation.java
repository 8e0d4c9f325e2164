package dev.tilewright.tensormap.rules;

import dev.tilewright.NotNull;

/**
 * One place where a description breaks a {@link Rule}.
 *
 * @param field the argument, as recordings and JSON descriptions name it: {@code dim}, {@code stride}, {@code box} …
 * @param index the entry of a list, counted from the innermost; {@link #NO_INDEX} for a field that is no list
 * @param value what it is
 * @param limit what it has to be
 * @param suggestion what would do
 */
public record Violation(Rule rule, String field, int index, String value, String limit, String suggestion) {
    public Violation {
        NotNull.all("rule, field, value, limit, suggestion", rule, field, value, limit, suggestion);
    }

    /** The index of a field that is not a list. */
    public static final int NO_INDEX = -1;

    /** Whether the driver refuses the map for it. */
    public Severity severity() {
        return rule.severity();
    }

    /** One line: field, index, value, limit, what to do, and the rule's id. */
    public String message() {
        String where = index == NO_INDEX ? field : field + "[" + index + "]";
        String verb = severity() == Severity.ERROR ? "must" : "should";
        return where + " is " + value + " and " + verb + " be " + limit + ": " + suggestion + " (" + rule.id() + ")";
    }

    @Override
    public String toString() {
        return message();
    }
}

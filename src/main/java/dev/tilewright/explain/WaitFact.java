package dev.tilewright.explain;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A step at which threads wait, and what its end means.
 *
 * @param step its number
 * @param line of the emitted source
 * @param purpose what it is for, in the kernel's words
 * @param form the opcode
 * @param waitsFor what it waits for
 * @param by the steps that bring it about; empty where none of the program's does alone
 * @param then what is so after it
 */
public record WaitFact(int step, int line, String purpose, String form, String waitsFor, List<Cause> by, String then) {
    /** A step that a wait waits for. @param does what it does about it */
    public record Cause(int step, String purpose, String form, String does) {
        @Override
        public String toString() {
            return at("step " + step);
        }

        private String at(String where) {
            return where + ", '" + purpose + "' (" + form + "): " + does;
        }
    }

    public WaitFact {
        by = List.copyOf(by);
    }

    /** Causes in words. Causes that differ only in their step share a line. */
    static List<String> grouped(List<Cause> causes) {
        Map<Cause, List<Integer>> steps = new LinkedHashMap<>();
        for (Cause cause : causes) {
            steps.computeIfAbsent(new Cause(0, cause.purpose, cause.form, cause.does), _ -> new ArrayList<>())
                    .add(cause.step);
        }
        return steps.entrySet().stream().map(e -> e.getValue().size() == 1
                ? e.getKey().at("step " + e.getValue().getFirst())
                : e.getKey().at("steps " + ranges(e.getValue()) + ", each")).toList();
    }

    /** {@code 3, 5 to 8}. */
    private static String ranges(List<Integer> ascending) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < ascending.size(); i++) {
            int first = ascending.get(i);
            while (i + 1 < ascending.size() && ascending.get(i + 1) == ascending.get(i) + 1) {
                i++;
            }
            text.append(text.isEmpty() ? "" : ", ").append(first).append(ascending.get(i) == first ? ""
                    : " to " + ascending.get(i));
        }
        return text.toString();
    }
}

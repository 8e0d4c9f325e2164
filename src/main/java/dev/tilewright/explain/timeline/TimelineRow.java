package dev.tilewright.explain.timeline;

import dev.tilewright.Counted;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A step of a schedule.
 *
 * @param number from 1
 * @param roles the columns of the threads that perform it: several only where they meet
 * @param place what it concerns, such as {@code full[0] phase 1}: the mbarrier of a stage and which of its phases,
 *     counted from 0; empty for nothing that has a name
 * @param memory of a copy, the shared memory that it fills or reads; else empty
 * @param bytes that one thread of the role moves, or announces, in all turns
 * @param turns how often in a row
 * @param performing how many threads of the column do; 0 for all of them
 * @param waitsFor the rows that ended a wait
 * @param elsewhere steps that did and have no row, at most {@value #MOST_ELSEWHERE}
 * @param step its number in the program
 * @param line of the emitted source
 */
public record TimelineRow(int number, List<Integer> roles, StepAction action, String place, String memory, long bytes,
        int turns, int performing, List<Integer> waitsFor, List<String> elsewhere, int step, int line, String purpose) {
    static final int MOST_ELSEWHERE = 3;
    private static final int MOST_CAUSES = 4;

    public TimelineRow {
        roles = List.copyOf(roles);
        waitsFor = List.copyOf(waitsFor);
        elsewhere = List.copyOf(elsewhere);
    }

    /** {@code wait full[0] phase 1 <- 5, 6}. */
    String cell() {
        StringBuilder cell = new StringBuilder(action.toString());
        if (!memory.isEmpty()) {
            cell.append(' ').append(memory);
        }
        if (!place.isEmpty()) {
            cell.append(memory.isEmpty() ? " " : " at ").append(place);
        }
        if (bytes > 0) {
            cell.append(" (").append(bytes).append(" B)");
        }
        if (turns > 1) {
            cell.append(" x").append(turns);
        }
        if (performing > 0) {
            cell.append(" by ").append(Counted.of(performing, "thread"));
        }
        if (!waitsFor.isEmpty()) {
            cell.append(" <- ").append(waitsFor.stream().limit(MOST_CAUSES).map(Object::toString)
                    .collect(Collectors.joining(", "))).append(waitsFor.size() > MOST_CAUSES ? ", ..." : "");
        }
        if (!elsewhere.isEmpty()) {
            cell.append(" <- ").append(elsewhere.getFirst()).append(elsewhere.size() > 1 ? ", ..." : "");
        }
        return cell.toString();
    }
}

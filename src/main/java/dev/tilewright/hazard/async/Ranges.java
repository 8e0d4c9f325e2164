package dev.tilewright.hazard.async;

import java.util.Map;
import java.util.TreeMap;

/** Stretches of memory that do not overlap. */
final class Ranges {
    /** The end of each stretch by its start. Neighbours are one. */
    private final TreeMap<Integer, Integer> ends = new TreeMap<>();

    /** Adds a stretch. @return false if it overlaps one that is there, and is not added */
    boolean add(int start, int length) {
        int end = start + length;
        Map.Entry<Integer, Integer> before = ends.lowerEntry(end);
        if (before != null && before.getValue() > start) {
            return false;
        }
        int from = before != null && before.getValue() == start ? before.getKey() : start;
        Integer behind = ends.remove(end);
        ends.put(from, behind == null ? end : behind);
        return true;
    }
}

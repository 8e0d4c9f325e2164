package dev.tilewright.hazard.async;

import java.util.Arrays;

/** Stretches of memory that do not overlap. */
final class Ranges {
    /** Start and end of each stretch, in the order of their addresses. Neighbours are one. */
    private int[] bounds = new int[4];
    private int count;

    /** Adds a stretch. @return false if it overlaps one that is there, and is not added */
    boolean add(int start, int length) {
        int end = start + length;
        int behind = count;
        // The first stretch that does not end before this one starts; most are added in the order of addresses.
        while (behind > 0 && bounds[behind - 1] >= start) {
            behind -= 2;
        }
        boolean joinsBefore = behind < count && bounds[behind + 1] == start;
        int next = joinsBefore ? behind + 2 : behind;
        if (next < count && bounds[next] < end) {
            return false;
        }
        boolean joinsBehind = next < count && bounds[next] == end;
        if (joinsBefore && joinsBehind) {
            bounds[behind + 1] = bounds[next + 1];
            System.arraycopy(bounds, next + 2, bounds, next, count - next - 2);
            count -= 2;
        } else if (joinsBefore) {
            bounds[behind + 1] = end;
        } else if (joinsBehind) {
            bounds[next] = start;
        } else {
            insert(next, start, end);
        }
        return true;
    }

    private void insert(int at, int start, int end) {
        if (count == bounds.length) {
            bounds = Arrays.copyOf(bounds, 2 * count);
        }
        System.arraycopy(bounds, at, bounds, at + 2, count - at);
        bounds[at] = start;
        bounds[at + 1] = end;
        count += 2;
    }
}

package dev.tilewright.hazard.order;

import java.util.Arrays;

/** Arrays of the entries of a {@link Clock}'s lane, by slot: clocks share them and never change them; null is all 0. */
final class Entries {

    private Entries() { }

    /** The larger of each two entries; one of the two arrays where it holds them all. */
    static int[] larger(int[] a, int[] b) {
        if (a == b || b == null || a != null && covers(a, b)) {
            return a;
        }
        if (a == null || covers(b, a)) {
            return b;
        }
        int[] result = Arrays.copyOf(a, Math.max(a.length, b.length));
        raise(result, b);
        return result;
    }

    private static boolean covers(int[] a, int[] b) {
        for (int i = 0; i < b.length; i++) {
            if (b[i] > (i < a.length ? a[i] : 0)) {
                return false;
            }
        }
        return true;
    }

    /** Makes each entry at least the other's. */
    static void raise(int[] entries, int[] by) {
        for (int i = 0; i < by.length; i++) {
            entries[i] = Math.max(entries[i], by[i]);
        }
    }

    /** With another entry, if that is larger. */
    static int[] with(int[] entries, int slot, int value) {
        if (value == 0 || entries != null && slot < entries.length && entries[slot] >= value) {
            return entries;
        }
        int[] result = entries == null ? new int[slot + 1] : Arrays.copyOf(entries, Math.max(entries.length, slot + 1));
        result[slot] = value;
        return result;
    }

    /** The smaller of each two entries; null where either is all 0. */
    static int[] smaller(int[] a, int[] b) {
        if (a == b || a == null || b == null) {
            return a == b ? a : null;
        }
        int[] result = new int[Math.min(a.length, b.length)];
        for (int i = 0; i < result.length; i++) {
            result[i] = Math.min(a[i], b[i]);
        }
        return result;
    }
}

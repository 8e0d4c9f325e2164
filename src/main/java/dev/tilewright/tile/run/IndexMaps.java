package dev.tilewright.tile.run;

import java.util.List;

/** Which element of a tile each element of another is, both row-major. */
final class IndexMaps {
    private IndexMaps() { }

    /** From one place of an axis to the next, in elements, 0 where there is but one; of axes put in front 0. */
    static int[] strides(int[] extents, int rank) {
        int[] strides = new int[rank];
        int stride = 1;
        for (int i = extents.length - 1; i >= 0; i--) {
            strides[rank - extents.length + i] = extents[i] == 1 ? 0 : stride;
            stride *= extents[i];
        }
        return strides;
    }

    static int[] broadcast(int[] from, int[] to) {
        return map(to, strides(from, to.length), 0);
    }

    static int[] transpose(int[] from, List<Integer> order) {
        int[] strides = strides(from, from.length);
        int[] to = new int[from.length];
        int[] moved = new int[from.length];
        for (int i = 0; i < to.length; i++) {
            to[i] = from[order.get(i)];
            moved[i] = strides[order.get(i)];
        }
        return map(to, moved, 0);
    }

    /** Elements before and after the tile are -1. */
    static int[] slice(int[] from, int axis, long first, int length) {
        int[] to = from.clone();
        to[axis] = length;
        int[] strides = strides(from, from.length);
        int[] map = map(to, strides, 0);
        int inner = 1;
        for (int i = axis + 1; i < to.length; i++) {
            inner *= to[i];
        }
        for (int k = 0; k < map.length; k++) {
            long at = first + k / inner % length;
            map[k] = at < 0 || at >= from[axis] ? -1 : Math.toIntExact(map[k] + first * strides[axis]);
        }
        return map;
    }

    private static int[] map(int[] to, int[] strides, int first) {
        int count = 1;
        for (int extent : to) {
            count *= extent;
        }
        int[] map = new int[count];
        int[] at = new int[to.length];
        int place = first;
        for (int k = 0; k < count; k++) {
            map[k] = place;
            for (int i = to.length - 1; i >= 0; i--) {
                place += strides[i];
                if (++at[i] < to[i]) {
                    break;
                }
                place -= strides[i] * to[i];
                at[i] = 0;
            }
        }
        return map;
    }
}

package dev.tilewright.tile.lower.layout;

import dev.tilewright.tile.Reduction;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/** Chooses how tiles are held. */
public final class Layouts {
    /** Bits of an accumulator's number. */
    private static final int LAPS = Layout.bitsOf(Reduction.ACCUMULATORS);

    private Layouts() {
    }

    /** Elements one after the other, from thread to thread, some of a row side by side where all threads have some. */
    public static Layout blocked(List<Integer> extents, int threadBits, int vectorBits) {
        List<Integer> bits = bits(extents);
        int left = bits.stream().mapToInt(i -> i).sum() - threadBits;
        int side = bits.isEmpty() ? 0 : Math.min(vectorBits, bits.getLast());
        return Layout.blocked(bits, Math.clamp(left, 0, side), threadBits);
    }

    /**
     * A row among the blocks of a cluster: each has some of a reduction's accumulators, neighbours in memory, and all
     * elements of each; any other tile each block has all of.
     */
    public static Layout shared(List<Integer> extents, Team team, int vectorBits) {
        List<Integer> bits = bits(extents);
        int axis = extents.size() - 1;
        int own = LAPS - team.blockBits();
        if (axis < 0 || bits.get(axis) < LAPS || own < team.bits()) {
            Layout whole = blocked(extents, team.bits(), vectorBits);
            return new Layout(bits, whole.registers(), whole.threads(), Collections.nCopies(team.blockBits(),
                    Layout.place(extents.size(), 0, 0)));
        }
        List<List<Integer>> places = IntStream.range(0, bits.get(axis)).mapToObj(bit -> Layout.place(extents.size(),
                axis, 1 << bit)).toList();
        int side = own - team.bits();
        List<List<Integer>> registers = new ArrayList<>(places.subList(0, side));
        registers.addAll(places.subList(LAPS, places.size()));
        for (int other = axis - 1; other >= 0; other--) {
            for (int bit = 0; bit < bits.get(other); bit++) {
                registers.add(Layout.place(extents.size(), other, 1 << bit));
            }
        }
        return new Layout(bits, registers, places.subList(side, own), places.subList(own, LAPS));
    }

    /** Squares: as many of the last axis as of another side by side, those first; the rest as if blocked. */
    public static Layout square(List<Integer> extents, int axis, int threadBits, int vectorBits) {
        List<Integer> bits = bits(extents);
        int last = extents.size() - 1;
        int left = bits.stream().mapToInt(i -> i).sum() - threadBits;
        int side = Math.min(Math.min(vectorBits, Math.min(bits.get(last), bits.get(axis))), left / 2);
        if (side < 1) {
            return blocked(extents, threadBits, vectorBits);
        }
        List<List<Integer>> registers = new ArrayList<>();
        for (int along : List.of(last, axis)) {
            IntStream.range(0, side).forEach(bit -> registers.add(Layout.place(extents.size(), along, 1 << bit)));
        }
        return Layout.of(bits, registers, threadBits);
    }

    public static List<Integer> bits(List<Integer> extents) {
        return extents.stream().map(Layout::bitsOf).toList();
    }
}

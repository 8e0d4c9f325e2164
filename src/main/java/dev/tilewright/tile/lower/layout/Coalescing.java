package dev.tilewright.tile.lower.layout;

import dev.tilewright.program.Warp;
import dev.tilewright.tile.Region;
import dev.tilewright.tile.Update;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * How well a warp's accesses fill what memory moves: 32 bytes at a time. A pass of its own: a store that moves twice
 * what it has to, or more, is preceded by an exchange between threads.
 *
 * @param layout by which it is stored
 * @param exchanged whether that is another one than threads have the tile by
 * @param before bytes moved for those stored, as threads have the tile
 * @param after the same as it is stored
 */
public record Coalescing(Layout layout, boolean exchanged, double before, double after) {
    private static final int SECTOR = 32;
    private static final int WIDEST = 16;
    private static final double WORTH = 2;

    /** Of a store. @return nothing where the tile has no places along the tensor's rows, or is no plain one */
    public static Optional<Coalescing> of(Region.Store store, Layout layout, List<Integer> extents, Vectors vectors) {
        return store.update() == Update.SET && !store.axes().getLast().single() ? Optional.of(of(layout, extents,
                store.tensor().type().bytes(), Layout.bitsOf(vectors.widest(store.tensor(), store.axes(), extents))))
                : Optional.empty();
    }

    /**
     * @param layout by which threads have the tile, all of whose axes but the last go from row to row of the tensor
     * @param extents of the tile
     * @param bytes of an element
     * @param side bits of the places of the last axis that one access may take
     */
    public static Coalescing of(Layout layout, List<Integer> extents, int bytes, int side) {
        double before = moved(layout, bytes, 1 << Math.min(side, layout.side()));
        Layout other = alongRows(layout, extents, side);
        double after = moved(other, bytes, 1 << Math.min(side, other.side()));
        return before >= WORTH * after ? new Coalescing(other, true, before, after)
                : new Coalescing(layout, false, before, before);
    }

    /** Bytes moved for each that a warp's access has to move. */
    private static double moved(Layout layout, int bytes, int width) {
        Set<List<Integer>> accesses = new HashSet<>();
        Set<List<Integer>> sectors = new HashSet<>();
        for (int lane = 0; lane < Math.min(Warp.LANES, 1 << layout.threads().size()); lane++) {
            List<Integer> place = new ArrayList<>();
            for (int at : layout.place(0, lane)) {
                place.add(at);
            }
            accesses.add(List.copyOf(place));
            place.set(place.size() - 1, place.getLast() * bytes / SECTOR);
            sectors.add(place);
        }
        return (double) SECTOR * sectors.size() / (accesses.size() * Math.min(WIDEST, width * bytes));
    }

    /**
     * Neighbours of a row in a thread and from lane to lane; what a thread has side by side stays with it as far
     * as registers are left, so that both ways take several elements at a time.
     */
    private static Layout alongRows(Layout layout, List<Integer> extents, int side) {
        int last = extents.size() - 1;
        int registerBits = Math.max(0, layout.bits().stream().mapToInt(i -> i).sum() - layout.threads().size());
        List<List<Integer>> registers = new ArrayList<>();
        for (int i = 0; i < Math.min(Math.min(side, layout.bits().getLast()), registerBits); i++) {
            registers.add(Layout.place(extents.size(), last, 1 << i));
        }
        layout.registers().stream().filter(own -> !registers.contains(own)).limit(Math.min(side, registerBits
                - registers.size())).forEach(registers::add);
        return Layout.of(layout.bits(), registers, layout.threads().size());
    }
}

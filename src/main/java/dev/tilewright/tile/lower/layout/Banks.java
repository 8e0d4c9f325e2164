package dev.tilewright.tile.lower.layout;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Where a tile's elements lie in shared memory while threads that hold it one way write it and, held another way, read
 * it: a linear map over the field of two elements, by which no access of either layout has two lanes in one bank.
 *
 * <p>What both hold side by side lies side by side, up to 16 bytes. Of the other bits of an element's number, rows of
 * 128 bytes are told apart by vectors that are not sums of the differences between lanes served together, for writes or
 * for reads: there is always one more such vector, as two subspaces that are not everything never make up everything
 * together.
 *
 * @param side vectors of places, along each axis, that both layouts hold in registers and that lie side by side
 * @param offsets where the place of each bit along each axis lies, in elements, combined by exclusive or
 */
public record Banks(List<List<Integer>> side, List<List<Integer>> offsets) {
    private static final int ROW_BITS = 7;
    private static final int WORD_BITS = 2;
    private static final int ACCESS_BITS = 4;
    private static final int LANE_BITS = 5;

    /** @param bytes of an element, a power of two */
    public static Banks of(Layout from, Layout to, int bytes) {
        int size = Integer.numberOfTrailingZeros(bytes);
        List<List<Integer>> side = from.registers().stream().filter(to.registers()::contains)
                .filter(place -> place.stream().anyMatch(i -> i != 0)).distinct()
                .limit(ACCESS_BITS - Math.min(ACCESS_BITS, size)).toList();
        List<Integer> bits = from.bits();
        List<Integer> low = side.stream().map(place -> flat(bits, place)).toList();
        int lanes = Math.min(LANE_BITS, ROW_BITS - size - side.size());
        Subspace writers = together(low, from, lanes);
        Subspace readers = together(low, to, lanes);
        Subspace map = Subspace.of(low);
        List<Integer> rows = rows(bits, writers, readers);
        Subspace all = Subspace.of(low);
        rows.forEach(all::add);
        // What shares a word of a bank with a lane's own is no other lane's: that may lie in another row.
        rows.stream().limit(Math.max(0, WORD_BITS - size - side.size())).forEach(map::add);
        // Columns of a row: what the wider of the two differs in.
        (writers.size() >= readers.size() ? writers : readers).vectors().stream().filter(all::add).forEach(map::add);
        rows.forEach(map::add);
        return new Banks(side, IntStream.range(0, bits.size()).mapToObj(axis -> IntStream.range(0, bits.get(axis))
                .mapToObj(bit -> map.coordinates(flat(bits, Layout.place(bits.size(), axis, 1 << bit)))).toList())
                .toList());
    }

    /** What lies side by side, and what lanes that are served together differ in. */
    private static Subspace together(List<Integer> low, Layout layout, int lanes) {
        Subspace subspace = Subspace.of(low);
        layout.threads().stream().limit(lanes).forEach(place -> subspace.add(flat(layout.bits(), place)));
        return subspace;
    }

    private static List<Integer> rows(List<Integer> bits, Subspace writers, Subspace readers) {
        int all = bits.stream().mapToInt(i -> i).sum();
        Subspace withWriters = Subspace.of(writers.vectors());
        Subspace withReaders = Subspace.of(readers.vectors());
        int wanted = all - Math.max(writers.size(), readers.size());
        List<Integer> rows = new ArrayList<>();
        for (int ones = 1; rows.size() < wanted; ones++) {
            for (int v = 1; v < 1 << all && rows.size() < wanted; v++) {
                if (Integer.bitCount(v) == ones && !withWriters.has(v) && !withReaders.has(v)) {
                    withWriters.add(v);
                    withReaders.add(v);
                    rows.add(v);
                }
            }
        }
        return rows;
    }

    private static int flat(List<Integer> bits, List<Integer> place) {
        int flat = 0;
        for (int axis = 0; axis < bits.size(); axis++) {
            flat = flat << bits.get(axis) | place.get(axis);
        }
        return flat;
    }

    /** Where a place lies, in elements. */
    public int offset(List<Integer> place) {
        int offset = 0;
        for (int axis = 0; axis < place.size(); axis++) {
            for (int bit = 0; bit < offsets.get(axis).size(); bit++) {
                offset ^= (place.get(axis) >> bit & 1) != 0 ? offsets.get(axis).get(bit) : 0;
            }
        }
        return offset;
    }

    /** Elements of an access. */
    public int width() {
        return 1 << side.size();
    }

    /** Elements that there is room for. */
    public int count() {
        return 1 << offsets.stream().mapToInt(List::size).sum();
    }
}

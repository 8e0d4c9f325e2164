package dev.tilewright.tile.lower.layout;

import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Which elements of a tile a thread holds: a linear map over the field of two elements from the bits of a register's
 * and of a thread's number to the bits of an element's place along each axis. A thread's bits are those of its lane,
 * then those of its warp. A bit that is mapped to nothing means that the element is held more than once.
 *
 * <p>Extents are powers of two here: a tile whose extents are not is held as the next larger one.
 *
 * @param bits how many bits a place has along each axis
 * @param registers for each bit of a register's number the place that it adds (by exclusive or), a number for each axis
 * @param threads the same for each bit of a thread's number
 * @param blocks the same for each bit of a block's number in its cluster; none where a block has all of the tile
 */
public record Layout(List<Integer> bits, List<List<Integer>> registers, List<List<Integer>> threads,
        List<List<Integer>> blocks) {
    private static final int LANE_BITS = 5;

    public Layout {
        Objects.requireNonNull(bits, "bits");
        bits = List.copyOf(bits);
        registers = registers.stream().map(List::copyOf).toList();
        threads = threads.stream().map(List::copyOf).toList();
        blocks = blocks.stream().map(List::copyOf).toList();
        for (List<List<Integer>> bases : List.of(registers, threads, blocks)) {
            for (List<Integer> basis : bases) {
                requirePlace(bits, basis);
            }
        }
        if (rank(bits, List.of(registers, threads, blocks)) != bits.stream().mapToInt(i -> i).sum()) {
            throw new IllegalArgumentException("a layout must hold every element, and registers " + registers
                    + " with threads " + threads + " do not reach all of " + bits + " bits");
        }
    }

    /** Of a tile that a block has all of. */
    public Layout(List<Integer> bits, List<List<Integer>> registers, List<List<Integer>> threads) {
        this(bits, registers, threads, List.of());
    }

    private static void requirePlace(List<Integer> bits, List<Integer> basis) {
        boolean right = basis.size() == bits.size() && IntStream.range(0, bits.size())
                .allMatch(axis -> basis.get(axis) >>> bits.get(axis) == 0);
        if (!right) {
            throw new IllegalArgumentException("a bit adds a place of " + bits + " bits along each axis, got " + basis);
        }
    }

    private static int rank(List<Integer> bits, List<List<List<Integer>>> bases) {
        List<Long> rows = new ArrayList<>();
        bases.forEach(some -> some.forEach(basis -> rows.add(flat(bits, basis))));
        int rank = 0;
        for (int bit = 0; bit < Long.SIZE && rank < rows.size(); bit++) {
            long mask = 1L << bit;
            for (int i = rank; i < rows.size(); i++) {
                if ((rows.get(i) & mask) != 0) {
                    java.util.Collections.swap(rows, rank, i);
                    for (int j = 0; j < rows.size(); j++) {
                        if (j != rank && (rows.get(j) & mask) != 0) {
                            rows.set(j, rows.get(j) ^ rows.get(rank));
                        }
                    }
                    rank++;
                    break;
                }
            }
        }
        return rank;
    }

    private static long flat(List<Integer> bits, List<Integer> place) {
        long flat = 0;
        for (int axis = 0; axis < bits.size(); axis++) {
            flat = flat << bits.get(axis) | place.get(axis);
        }
        return flat;
    }

    /** How many bits the next power of two has. */
    public static int bitsOf(long extent) {
        return extent <= 1 ? 0 : Long.SIZE - Long.numberOfLeadingZeros(extent - 1);
    }

    /**
     * Elements one after the other, row-major: first some in a thread's registers, then from thread to thread, then the
     * rest in registers. Where there are more threads than elements, several hold the same.
     *
     * @param vector how many bits of the innermost places a thread holds side by side
     * @param threadBits of a block
     */
    public static Layout blocked(List<Integer> bits, int vector, int threadBits) {
        List<List<Integer>> places = places(bits);
        return of(bits, places.subList(0, Math.min(vector, places.size())), threadBits);
    }

    /**
     * Of the bits of places that are not in a thread's first registers the innermost go from thread to thread, the rest
     * to further registers.
     */
    public static Layout of(List<Integer> bits, List<List<Integer>> first, int threadBits) {
        List<List<Integer>> left = places(bits);
        left.removeAll(first);
        List<List<Integer>> threads = new ArrayList<>(left.subList(0, Math.min(threadBits, left.size())));
        List<List<Integer>> registers = new ArrayList<>(first);
        registers.addAll(left.subList(threads.size(), left.size()));
        while (threads.size() < threadBits) {
            threads.add(place(bits.size(), 0, 0));
        }
        return new Layout(bits, registers, threads);
    }

    /** What each bit of an element's place adds, the innermost first. */
    private static List<List<Integer>> places(List<Integer> bits) {
        List<List<Integer>> places = new ArrayList<>();
        for (int axis = bits.size() - 1; axis >= 0; axis--) {
            for (int bit = 0; bit < bits.get(axis); bit++) {
                places.add(place(bits.size(), axis, 1 << bit));
            }
        }
        return places;
    }

    public static List<Integer> place(int rank, int axis, int at) {
        return IntStream.range(0, rank).mapToObj(i -> i == axis ? at : 0).toList();
    }

    /** How many registers of a thread. */
    public int registerCount() {
        return 1 << registers.size();
    }

    /** The layout of a tile that has extent 1 along an axis: what this holds of it at place 0 everywhere. */
    public Layout without(int axis) {
        return mapped(changed(bits, axis, 0), basis -> changed(basis, axis, 0)).compact();
    }

    /** Without an axis, along which it has one place. */
    public Layout dropped(int axis) {
        return mapped(removed(bits, axis), basis -> removed(basis, axis));
    }

    private static List<Integer> removed(List<Integer> list, int at) {
        return IntStream.range(0, list.size()).filter(i -> i != at).mapToObj(list::get).toList();
    }

    private static List<Integer> changed(List<Integer> list, int at, int value) {
        List<Integer> copy = new ArrayList<>(list);
        copy.set(at, value);
        return copy;
    }

    private Layout mapped(List<Integer> newBits, java.util.function.UnaryOperator<List<Integer>> change) {
        return new Layout(newBits, registers.stream().map(change).toList(), threads.stream().map(change).toList(),
                blocks.stream().map(change).toList());
    }

    /** Without registers that hold what others do. */
    private Layout compact() {
        return new Layout(bits, registers.stream().filter(b -> b.stream().anyMatch(i -> i != 0)).toList(), threads,
                blocks);
    }

    /** Axes in another order. */
    public Layout transposed(List<Integer> order) {
        return mapped(order.stream().map(bits::get).toList(), basis -> order.stream().map(basis::get).toList());
    }

    /** The elements in row-major order in another shape of as many: every thread holds what it held. */
    public Layout reshaped(List<Integer> newBits) {
        return mapped(newBits, basis -> split(newBits, flat(bits, basis)));
    }

    private static List<Integer> split(List<Integer> bits, long flat) {
        List<Integer> place = new ArrayList<>();
        long rest = flat;
        for (int bit : bits.reversed()) {
            place.addFirst((int) (rest & (1L << bit) - 1));
            rest >>>= bit;
        }
        return place;
    }

    /** Which element a register of a thread holds, its place along each axis. */
    public int[] place(int register, int thread) {
        int[] place = new int[bits.size()];
        add(place, registers, register);
        add(place, threads, thread);
        return place;
    }

    private static void add(int[] place, List<List<Integer>> bases, int number) {
        for (int bit = 0; bit < bases.size(); bit++) {
            if ((number >> bit & 1) != 0) {
                for (int axis = 0; axis < place.length; axis++) {
                    place[axis] ^= bases.get(bit).get(axis);
                }
            }
        }
    }

    /** What a thread's number, and its block's in a cluster, add to the place along an axis, by exclusive or. */
    public Expr threadPart(int axis) {
        Expr own = Linear.of(Builtin.THREAD, threads.stream().map(basis -> basis.get(axis)).toList());
        return isShared() ? own.xor(Linear.of(Builtin.CLUSTER_RANK, blocks.stream().map(basis -> basis.get(axis))
                .toList())) : own;
    }

    /** Whether each block of a cluster has a part of the tile. */
    public boolean isShared() {
        return blocks.stream().anyMatch(basis -> basis.stream().anyMatch(i -> i != 0));
    }

    /** Whether registers and threads add to different bits of a place along an axis, so that they may be added. */
    public boolean isDisjoint(int axis) {
        int ofThreads = Stream.concat(threads.stream(), blocks.stream()).mapToInt(b -> b.get(axis))
                .reduce(0, (a, b) -> a | b);
        int ofRegisters = registers.stream().mapToInt(b -> b.get(axis)).reduce(0, (a, b) -> a | b);
        return (ofThreads & ofRegisters) == 0;
    }

    /** How many of a register number's lowest bits count up the innermost place. */
    public int side() {
        int axis = bits.size() - 1;
        int side = 0;
        while (axis >= 0 && side < registers.size() && registers.get(side)
                .equals(place(bits.size(), axis, 1 << side))) {
            side++;
        }
        return side;
    }

    /** The bits of a thread's number that change nothing about what it holds. */
    public int repeats() {
        int mask = 0;
        for (int bit = 0; bit < threads.size(); bit++) {
            if (threads.get(bit).stream().allMatch(i -> i == 0)) {
                mask |= 1 << bit;
            }
        }
        return mask;
    }

    /** {@code register bits add 1 column, 8 rows; lane bits add 2, 4 columns}: the bits of each number,
            lowest first. */
    @Override
    public String toString() {
        int lanes = Math.min(LANE_BITS, threads.size());
        String steps = Stream.of(steps("register", registers), steps("lane", threads.subList(0, lanes)),
                steps("warp", threads.subList(lanes, threads.size())), steps("block", blocks))
                .filter(text -> !text.isEmpty()).collect(Collectors.joining("; "));
        return steps.isEmpty() ? "the same in each thread" : "at places to which " + steps;
    }

    private String steps(String of, List<List<Integer>> bases) {
        if (bases.stream().allMatch(basis -> basis.stream().allMatch(i -> i == 0))) {
            return "";
        }
        StringBuilder text = new StringBuilder(of + " bits add");
        for (int bit = 0; bit < bases.size(); bit++) {
            String next = bit + 1 < bases.size() ? unit(bases.get(bit + 1)) : "";
            String unit = unit(bases.get(bit));
            long sum = bases.get(bit).stream().mapToInt(i -> i).sum();
            text.append(bit == 0 ? " " : ", ").append(unit.isEmpty() ? "0" : unit.equals("place")
                    ? bases.get(bit).toString() : Long.toString(sum));
            if (!unit.isEmpty() && !unit.equals("place") && !unit.equals(next)) {
                text.append(' ').append(unit).append(sum == 1 ? "" : "s");
            }
        }
        return text.toString();
    }

    /** What a bit's place is counted in: {@code place} where it is along several axes, nothing where it is none. */
    private String unit(List<Integer> basis) {
        List<Integer> axes = IntStream.range(0, basis.size()).filter(axis -> basis.get(axis) != 0).boxed().toList();
        if (axes.size() != 1) {
            return axes.isEmpty() ? "" : "place";
        }
        int fromLast = bits.size() - 1 - axes.getFirst();
        return bits.size() == 1 ? "element" : switch (fromLast) {
            case 0 -> "column";
            case 1 -> "row";
            default -> "place";
        };
    }
}

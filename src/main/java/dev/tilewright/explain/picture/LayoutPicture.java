package dev.tilewright.explain.picture;

import java.util.List;
import java.util.stream.IntStream;

/**
 * Which thread holds which element of a tile, in which of its registers: for each bit of a register's number, and of a
 * thread's, the place that it adds along each axis, by exclusive or.
 *
 * @param tile what it is called
 * @param bits of a place along each axis
 */
public record LayoutPicture(String tile, List<Integer> bits, List<List<Integer>> registers,
        List<List<Integer>> threads) {
    private static final int LANES = 32;
    private static final int MOST_COLUMNS = 32;
    private static final int MOST_ROWS = 16;
    private static final int WIDTH = 56;
    private static final int HEIGHT = 18;
    private static final int LEFT = 44;
    private static final int TOP = 40;
    private static final List<Hue> WARPS = List.of(Hue.BLUE, Hue.ORANGE, Hue.GREEN, Hue.PURPLE, Hue.GREY, Hue.RED);

    public LayoutPicture {
        bits = List.copyOf(bits);
        registers = List.copyOf(registers);
        threads = List.copyOf(threads);
    }

    /** A thread's register. */
    private record Holder(int thread, int register) {
    }

    /** Elements along the last axis, or the one before it; a tile of one axis is folded into rows. */
    private int extent(int fromLast) {
        if (bits.size() == 1) {
            int all = 1 << bits.getFirst();
            return fromLast == 0 ? Math.min(MOST_COLUMNS, all) : Math.ceilDiv(all, MOST_COLUMNS);
        }
        return fromLast < bits.size() ? 1 << bits.get(bits.size() - 1 - fromLast) : 1;
    }

    private int columns() {
        return Math.min(MOST_COLUMNS, extent(0));
    }

    private int rows() {
        return Math.min(MOST_ROWS, extent(1));
    }

    private static int at(List<List<Integer>> bases, int number, int axis) {
        int at = 0;
        for (int bit = 0; bit < bases.size(); bit++) {
            at ^= (number >> bit & 1) != 0 ? bases.get(bit).get(axis) : 0;
        }
        return at;
    }

    /** Who holds the elements at place 0 along all axes but the last two; the lowest thread and register of several. */
    private Holder[][] holders() {
        Holder[][] holders = new Holder[rows()][columns()];
        for (int thread = 0; thread < 1 << threads.size(); thread++) {
            for (int register = 0; register < 1 << registers.size(); register++) {
                int[] place = new int[bits.size()];
                for (int axis = 0; axis < place.length; axis++) {
                    place[axis] = at(threads, thread, axis) ^ at(registers, register, axis);
                }
                int last = bits.isEmpty() ? 0 : place[place.length - 1];
                int column = bits.size() == 1 ? last % MOST_COLUMNS : last;
                int row = bits.size() == 1 ? last / MOST_COLUMNS : bits.isEmpty() ? 0 : place[place.length - 2];
                boolean shown = row < rows() && column < columns()
                        && IntStream.range(0, Math.max(0, place.length - 2)).allMatch(axis -> place[axis] == 0);
                if (shown && holders[row][column] == null) {
                    holders[row][column] = new Holder(thread, register);
                }
            }
        }
        return holders;
    }

    /** Drawn: in each cell the thread and its register, in the colour of the thread's warp. */
    public Svg drawing() {
        Holder[][] holders = holders();
        Svg svg = new Svg(Math.max(LEFT + columns() * WIDTH + 10, 700), TOP + rows() * HEIGHT + 26,
                "Layout of " + tile);
        svg.text(LEFT, 14, tile + ": the thread that holds an element, and which of its registers (t0.r1); a colour is"
                + " a warp");
        for (int column = 0; column < columns(); column++) {
            svg.note(LEFT + column * WIDTH + 4, TOP - 6, Integer.toString(column));
        }
        for (int row = 0; row < rows(); row++) {
            svg.textEnding(LEFT - 6, TOP + row * HEIGHT + 13, Integer.toString(row));
            for (int column = 0; column < columns(); column++) {
                Holder holder = holders[row][column];
                int x = LEFT + column * WIDTH;
                int y = TOP + row * HEIGHT;
                String place = "row " + row + ", column " + column;
                if (holder == null) {
                    svg.box(Hue.PLAIN, x, y, WIDTH, HEIGHT, place + ": in no register");
                } else {
                    svg.box(WARPS.get(holder.thread / LANES % WARPS.size()), x, y, WIDTH, HEIGHT, place + ": thread "
                            + holder.thread + ", register " + holder.register);
                    svg.textAround(x + WIDTH / 2, y + 13, "t" + holder.thread + ".r" + holder.register);
                }
            }
        }
        if (rows() < extent(1) || columns() < extent(0)) {
            svg.note(LEFT, TOP + rows() * HEIGHT + 16, "the first " + rows() + " x " + columns() + " of " + extent(1)
                    + " x " + extent(0) + " elements");
        }
        return svg;
    }
}

package dev.tilewright.explain.picture;

import dev.tilewright.Counted;
import dev.tilewright.program.Warp;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Which thread holds which element of a tile, in which of its registers: for each bit of a register's number, and of a
 * thread's, the place that it adds along each axis, by exclusive or.
 *
 * @param tile what it is called
 * @param bits of a place along each axis
 */
public record LayoutPicture(String tile, List<Integer> bits, List<List<Integer>> registers,
        List<List<Integer>> threads) {
    private static final int MOST_COLUMNS = 32;
    private static final int MOST_ROWS = 16;
    private static final int HEIGHT = 18;
    private static final int LEFT = 28;
    private static final int BASE = 13;
    private static final int EDGE = 4;
    private static final List<Hue> WARPS = List.of(Hue.BLUE, Hue.ORANGE, Hue.GREEN, Hue.PURPLE, Hue.GREY, Hue.RED);

    public LayoutPicture {
        bits = List.copyOf(bits);
        registers = List.copyOf(registers);
        threads = List.copyOf(threads);
    }

    /** A thread's register. */
    private record Holder(int thread, int register) { }

    /** Of the tile. */
    public long elements() {
        return 1L << bits.stream().mapToInt(i -> i).sum();
    }

    /** Equal for tiles whose elements are in the same places. */
    public String places() {
        return bits + " " + registers + " " + threads;
    }

    private int elements(int axis) {
        return axis < 0 ? 1 : 1 << bits.get(axis);
    }

    /**
     * Elements along the last axis, or the one before it; a tile of one axis is folded into rows of that many columns.
     */
    private int extent(int fromLast, int columns) {
        if (bits.size() == 1) {
            return fromLast == 0 ? Math.min(columns, elements(0)) : Math.ceilDiv(elements(0), columns);
        }
        return elements(bits.size() - 1 - fromLast);
    }

    private static int at(List<List<Integer>> bases, int number, int axis) {
        int at = 0;
        for (int bit = 0; bit < bases.size(); bit++) {
            at ^= (number >> bit & 1) != 0 ? bases.get(bit).get(axis) : 0;
        }
        return at;
    }

    /** Who holds the elements at place 0 along all axes but the last two; the lowest thread and register of several. */
    private Holder[][] holders(int columns) {
        Holder[][] holders = new Holder[Math.min(MOST_ROWS, extent(1, columns))][Math.min(columns, extent(0, columns))];
        for (int thread = 0; thread < 1 << threads.size(); thread++) {
            for (int register = 0; register < 1 << registers.size(); register++) {
                int[] place = new int[bits.size()];
                for (int axis = 0; axis < place.length; axis++) {
                    place[axis] = at(threads, thread, axis) ^ at(registers, register, axis);
                }
                int last = bits.isEmpty() ? 0 : place[place.length - 1];
                int column = bits.size() == 1 ? last % columns : last;
                int row = bits.size() == 1 ? last / columns : bits.isEmpty() ? 0 : place[place.length - 2];
                boolean shown = row < holders.length && column < holders[0].length
                        && IntStream.range(0, Math.max(0, place.length - 2)).allMatch(axis -> place[axis] == 0);
                if (shown && holders[row][column] == null) {
                    holders[row][column] = new Holder(thread, register);
                }
            }
        }
        return holders;
    }

    /** Neighbours of a row that one thread holds in registers which follow each other. */
    private record Run(int from, int elements, Holder first) {
        /** {@code t3 r0-1}: the thread, and its registers. */
        String text() {
            return "t" + first.thread + " r" + first.register + (elements == 1 ? ""
                    : "-" + (first.register + elements - 1));
        }
    }

    private static List<Run> runs(Holder[] row) {
        List<Run> runs = new ArrayList<>();
        for (int column = 0; column < row.length; column++) {
            Run last = runs.isEmpty() ? null : runs.getLast();
            if (row[column] == null) {
                continue;
            }
            if (last != null && last.from + last.elements == column && row[column].equals(new Holder(last.first.thread,
                    last.first.register + last.elements))) {
                runs.set(runs.size() - 1, new Run(last.from, last.elements + 1, last.first));
            } else {
                runs.add(new Run(column, 1, row[column]));
            }
        }
        return runs;
    }

    /** The number of columns, with their words, that fit a narrow page. */
    private int columns() {
        for (int columns = MOST_COLUMNS; columns > 1; columns /= 2) {
            int width = (Svg.WIDE - LEFT) / columns;
            if (columns <= elements(bits.size() - 1) && Stream.of(holders(columns)).flatMap(row -> runs(row).stream())
                    .allMatch(run -> Svg.wide(run.text()) + EDGE <= run.elements * width)) {
                return columns;
            }
        }
        return 1;
    }

    /**
     * Drawn: in each cell the thread and its register, in the colour of the thread's warp, and below what each bit of a
     * register's and of a thread's number adds to the place.
     */
    public Svg drawing() {
        int columns = columns();
        int width = (Svg.WIDE - LEFT - 2) / columns;
        Holder[][] holders = holders(columns);
        int wide = Svg.WIDE - 2 * EDGE;
        List<String> head = Svg.lines(tile + ": the thread that holds an element, and which of its registers; a colour"
                + " is a warp", wide);
        List<String> notes = new ArrayList<>();
        if (holders.length < extent(1, columns) || holders[0].length < extent(0, columns)) {
            notes.addAll(Svg.lines("The first " + holders.length + " x " + holders[0].length + " of "
                    + extent(1, columns) + " x " + extent(0, columns) + " elements.", wide));
        }
        notes.addAll(Svg.lines("A register's number: " + rule(registers), wide));
        notes.addAll(Svg.lines("A thread's number: " + rule(threads), wide));
        int top = head.size() * Svg.LINE + Svg.LINE + 2 * EDGE;
        int bottom = top + holders.length * HEIGHT;
        Svg svg = new Svg(Svg.WIDE, bottom + notes.size() * Svg.LINE + 2 * EDGE, "Layout of " + tile);
        svg.texts(EDGE, BASE, head);
        int step = Math.ceilDiv(Svg.wide("00") + EDGE, width);
        for (int column = 0; column < holders[0].length; column += step) {
            svg.note(LEFT + column * width + 2, top - EDGE, Integer.toString(column));
        }
        for (int row = 0; row < holders.length; row++) {
            int y = top + row * HEIGHT;
            svg.textEnding(LEFT - EDGE, y + BASE, Integer.toString(row));
            for (int column = 0; column < holders[0].length; column++) {
                if (holders[row][column] == null) {
                    svg.box(Hue.PLAIN, LEFT + column * width, y, width, HEIGHT, "row " + row + ", column " + column
                            + ": in no register");
                }
            }
            for (Run run : runs(holders[row])) {
                int x = LEFT + run.from * width;
                svg.box(WARPS.get(run.first.thread / Warp.LANES % WARPS.size()), x, y, run.elements * width, HEIGHT,
                        "row " + row + ", column " + run.from + ": thread " + run.first.thread + ", register "
                        + run.first.register + (run.elements == 1 ? "" : ", and " + (run.elements - 1) + " on"));
                svg.textAround(x + run.elements * width / 2, y + BASE, run.text());
            }
        }
        return svg.notes(EDGE, bottom + BASE + EDGE, notes);
    }

    /** {@code +1 is 1 column on, +2 is 8 rows on}: what each bit of a number adds to the place. */
    private String rule(List<List<Integer>> bases) {
        Map<Boolean, List<Integer>> moving = IntStream.range(0, bases.size()).boxed().collect(Collectors.partitioningBy(
                bit -> bases.get(bit).stream().anyMatch(i -> i != 0)));
        List<String> steps = new ArrayList<>(moving.get(true).stream().map(bit -> "+" + (1 << bit) + " is "
                + step(bases.get(bit))).toList());
        moving.get(false).forEach(bit -> steps.add("+" + (1 << bit) + " is the same place"));
        return moving.get(true).isEmpty() ? "of any, the same place." : String.join(", ", steps) + ".";
    }

    private String step(List<Integer> add) {
        List<String> steps = IntStream.range(0, add.size()).filter(axis -> add.get(axis) != 0).mapToObj(axis ->
                Counted.of(add.get(axis), bits.size() == 1 ? "element" : axis == bits.size() - 1 ? "column"
                : axis == bits.size() - 2 ? "row" : "step") + (axis < bits.size() - 2 ? " along axis " + axis : ""))
                .toList();
        return String.join(" and ", steps) + " on";
    }
}

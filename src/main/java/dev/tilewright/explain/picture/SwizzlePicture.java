package dev.tilewright.explain.picture;

import dev.tilewright.layout.Swizzle;
import dev.tilewright.program.Warp;
import dev.tilewright.reference.banks.SharedBanks;
import dev.tilewright.tensormap.TiledTensorMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.IntUnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Where the elements of a box lie in shared memory, and which bank conflicts that leaves. A box begins where the
 * swizzle's pattern does.
 */
public final class SwizzlePicture {
    private static final int CHUNK = 16;
    private static final int MATRIX_ROWS = 8;
    /** Twice the rows after which each swizzle repeats itself. */
    private static final int MOST_ROWS = 16;
    private static final int CELL_HEIGHT = 18;
    private static final int LEFT = 28;
    private static final int EDGE = 4;
    private static final int BASE = 13;
    /** Bytes of a row that are drawn no wider. */
    private static final int LEAST_ACROSS = 32;

    private final TiledTensorMap map;
    private final Swizzle swizzle;
    private final int elementBytes;
    private final int pitch;

    public SwizzlePicture(TiledTensorMap map) {
        this.map = map;
        this.swizzle = map.swizzle();
        this.elementBytes = map.type().bytes();
        this.pitch = swizzle.rowPitch(map.rowBytes());
    }

    /** A row of shared memory: for each place the column of the element that lies there; empty for a gap. */
    private List<OptionalInt> row(int number) {
        long start = (long) number * pitch;
        return IntStream.range(0, pitch / elementBytes).mapToObj(place -> {
            int at = (int) (swizzle.apply(start + (long) place * elementBytes) - start);
            return at < map.rowBytes() ? OptionalInt.of(at / elementBytes) : OptionalInt.empty();
        }).toList();
    }

    private static String cell(OptionalInt column) {
        return column.isPresent() ? Integer.toString(column.getAsInt()) : ".";
    }

    /** Rows of numbers: the columns of the elements that lie there, and {@code .} for gaps. */
    public List<String> lines() {
        int width = Integer.toString(map.box().getFirst() - 1).length();
        return IntStream.range(0, map.boxRows()).mapToObj(r -> row(r).stream()
                .map(c -> String.format("%" + width + "s", cell(c))).collect(Collectors.joining(" "))).toList();
    }

    /**
     * What the accesses of a warp to the box cost.
     *
     * @param what is read
     * @param wavefronts the most that one such access takes
     * @param plain the same without the swizzle
     * @param ideal how many it would take without a conflict
     */
    public record Conflicts(String what, int wavefronts, int plain, int ideal) {
        @Override
        public String toString() {
            return what + ": " + wavefronts + (wavefronts == 1 ? " wavefront" : " wavefronts") + ", ideal " + ideal
                    + ", without a swizzle " + plain;
        }
    }

    /** The worst row, column, and 8 rows of 16 bytes that ldmatrix takes at once, as far as the box has them. */
    public List<Conflicts> conflicts() {
        List<Conflicts> all = new ArrayList<>();
        int columns = map.box().getFirst();
        int rows = map.boxRows();
        int width = Math.min(Warp.LANES, columns);
        int height = Math.min(Warp.LANES, rows);
        all.add(worst("a row, " + width + " elements", rows, width, elementBytes, (n, lane) ->
                at(n, lane * elementBytes)));
        all.add(worst("a column, " + height + " elements", columns, height, elementBytes, (n, lane) ->
                at(lane, n * elementBytes)));
        // A mode that moves 8 bytes takes the 16 bytes of a matrix's row apart.
        if (rows >= MATRIX_ROWS && map.rowBytes() >= CHUNK && swizzle != Swizzle.B128_ATOM_32B_FLIP_8B) {
            all.add(worst("a matrix of 8 rows of 16 bytes", map.rowBytes() / CHUNK, MATRIX_ROWS, CHUNK,
                    (n, lane) -> at(lane, n * CHUNK)));
        }
        return all;
    }

    /** Where in memory a byte of a row lies, counted without the swizzle. */
    private int at(int row, int b) {
        return row * pitch + b;
    }

    /** The place of a lane's element, of the n-th access. */
    private interface Access {
        int at(int n, int lane);
    }

    private Conflicts worst(String what, int accesses, int lanes, int bytes, Access access) {
        int most = 1;
        int plain = 1;
        int ideal = 1;
        for (int n = 0; n < accesses; n++) {
            int number = n;
            int[] addresses = addresses(lanes, lane -> (int) swizzle.apply(access.at(number, lane)));
            most = Math.max(most, SharedBanks.wavefronts(addresses, bytes));
            ideal = Math.max(ideal, SharedBanks.ideal(addresses, bytes));
            int[] unswizzled = addresses(lanes, lane -> access.at(number, lane));
            plain = Math.max(plain, SharedBanks.wavefronts(unswizzled, bytes));
        }
        return new Conflicts(what, most, plain, ideal);
    }

    private static int[] addresses(int lanes, IntUnaryOperator of) {
        int[] addresses = new int[Warp.LANES];
        Arrays.fill(addresses, SharedBanks.NO_ADDRESS);
        for (int lane = 0; lane < lanes; lane++) {
            addresses[lane] = of.applyAsInt(lane);
        }
        return addresses;
    }

    /** Elements that follow each other in memory as in their row, within 16 bytes. */
    private record Cell(int place, int elements, OptionalInt column) {
        /** {@code 4-7}: the columns; {@code .} for a gap. */
        String text() {
            return column.isEmpty() ? "." : column.getAsInt() + (elements == 1 ? ""
                    : "-" + (column.getAsInt() + elements - 1));
        }
    }

    private List<Cell> cells(int number) {
        List<OptionalInt> row = row(number);
        List<Cell> cells = new ArrayList<>();
        for (int place = 0; place < row.size(); place++) {
            OptionalInt column = row.get(place);
            Cell last = cells.isEmpty() ? null : cells.getLast();
            boolean goesOn = last != null && place * elementBytes % CHUNK != 0 && (column.isEmpty()
                    ? last.column.isEmpty() : last.column.isPresent()
                    && column.getAsInt() == last.column.getAsInt() + last.elements);
            if (goesOn) {
                cells.set(cells.size() - 1, new Cell(last.place, last.elements + 1, last.column));
            } else {
                cells.add(new Cell(place, 1, column));
            }
        }
        return cells;
    }

    /**
     * Drawn: the columns of the elements that lie in each 16 bytes, in a colour for each 16 bytes of a row, under the
     * banks of the first row. A row of more bytes than there are banks goes on in the next line.
     */
    public Svg drawing(String title) {
        int across = Math.min(pitch, SharedBanks.WIDTH * SharedBanks.COUNT);
        double scale = (double) (Svg.WIDE - LEFT - 2) / Math.max(across, LEAST_ACROSS);
        int folds = Math.ceilDiv(pitch, across);
        List<String> head = Svg.lines(title + ": columns of the elements in each 16 bytes; above, the banks", Svg.WIDE
                - 2 * EDGE);
        int top = (head.size() + 1) * Svg.LINE + 2 * EDGE;
        int rows = Math.min(map.boxRows(), MOST_ROWS);
        List<String> notes = Stream.concat(rows < map.boxRows() ? Stream.of("The first " + rows + " of "
                + map.boxRows() + " rows.") : Stream.of(), conflicts().stream().map(Conflicts::toString))
                .flatMap(note -> Svg.lines(note, Svg.WIDE - 2 * EDGE).stream()).toList();
        int bottom = top + rows * folds * CELL_HEIGHT;
        Svg svg = new Svg(Svg.WIDE, bottom + notes.size() * Svg.LINE + 3 * EDGE, title).texts(EDGE, BASE, head);
        for (int at = 0; at < across; at += CHUNK) {
            svg.note(LEFT + (int) (at * scale) + 2, top - EDGE, Integer.toString(at / SharedBanks.WIDTH));
        }
        for (int r = 0; r < rows; r++) {
            int first = top + r * folds * CELL_HEIGHT;
            svg.textEnding(LEFT - EDGE, first + BASE, Integer.toString(r));
            for (Cell cell : cells(r)) {
                int at = cell.place * elementBytes;
                int bytes = cell.elements * elementBytes;
                int x = LEFT + (int) (at % across * scale);
                int y = first + at / across * CELL_HEIGHT;
                int width = LEFT + (int) ((at % across + bytes) * scale) - x;
                int bank = (at(r, at) / SharedBanks.WIDTH) % SharedBanks.COUNT;
                svg.box(cell.column.isEmpty() ? Hue.PLAIN : hue(cell.column.getAsInt() * elementBytes / CHUNK), x, y,
                        width, CELL_HEIGHT, cell.column.isEmpty() ? "a gap" : "row " + r + ", "
                        + (cell.elements == 1 ? "column " : "columns ") + cell.text() + ": from bank " + bank);
                boolean fits = Svg.wide(cell.text()) <= width;
                svg.textAround(x + width / 2, y + BASE, fits ? cell.text() : Integer.toString(cell.column.orElse(0)));
            }
        }
        return svg.notes(EDGE, bottom + BASE + EDGE, notes);
    }

    private static Hue hue(int chunk) {
        Hue[] fills = {Hue.BLUE, Hue.ORANGE, Hue.GREEN, Hue.PURPLE, Hue.GREY, Hue.RED};
        return fills[chunk % fills.length];
    }
}

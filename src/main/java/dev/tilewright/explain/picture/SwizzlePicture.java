package dev.tilewright.explain.picture;

import dev.tilewright.layout.Swizzle;
import dev.tilewright.reference.banks.SharedBanks;
import dev.tilewright.tensormap.TiledTensorMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.IntUnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Where the elements of a box lie in shared memory, and which bank conflicts that leaves. A box begins where the
 * swizzle's pattern does.
 */
public final class SwizzlePicture {
    private static final int CHUNK = 16;
    private static final int MATRIX_ROWS = 8;
    private static final int LANES = 32;
    private static final int CELL_WIDTH = 28;
    private static final int CELL_HEIGHT = 18;
    private static final int TOP = 20;
    private static final int LEAST_WIDTH = 700;

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
        int width = Math.min(LANES, columns);
        int height = Math.min(LANES, rows);
        all.add(worst("a row, " + width + " elements", rows, width, elementBytes, (n, lane) ->
                at(n, lane * elementBytes)));
        all.add(worst("a column, " + height + " elements", columns, height, elementBytes, (n, lane) ->
                at(lane, n * elementBytes)));
        if (rows >= MATRIX_ROWS && map.rowBytes() >= CHUNK) {
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
        int[] addresses = new int[LANES];
        Arrays.fill(addresses, SharedBanks.NO_ADDRESS);
        for (int lane = 0; lane < lanes; lane++) {
            addresses[lane] = of.applyAsInt(lane);
        }
        return addresses;
    }

    /** Drawn: a cell for each element, in the colour of the 16 bytes that it belongs to, under the banks' numbers. */
    public Svg drawing(String title) {
        int columns = pitch / elementBytes;
        List<Conflicts> conflicts = conflicts();
        int bottom = TOP + map.boxRows() * CELL_HEIGHT;
        Svg svg = new Svg(Math.max(columns * CELL_WIDTH, LEAST_WIDTH), bottom + 22 + 16 * conflicts.size(), title);
        for (int r = 0; r < map.boxRows(); r++) {
            List<OptionalInt> row = row(r);
            for (int place = 0; place < columns; place++) {
                int x = place * CELL_WIDTH;
                int y = TOP + r * CELL_HEIGHT;
                OptionalInt column = row.get(place);
                int bank = (at(r, place * elementBytes) / SharedBanks.WIDTH) % SharedBanks.COUNT;
                svg.box(column.isEmpty() ? Hue.PLAIN : hue(column.getAsInt() * elementBytes / CHUNK), x, y, CELL_WIDTH,
                        CELL_HEIGHT, column.isEmpty() ? "a gap" : "row " + r + ", column " + column.getAsInt()
                        + ": bank " + bank);
                svg.textAround(x + CELL_WIDTH / 2, y + 13, cell(column));
            }
        }
        for (int place = 0; place < columns; place++) {
            int step = Math.max(1, SharedBanks.WIDTH / elementBytes);
            if (place % step == 0) {
                svg.note(place * CELL_WIDTH + 8, TOP - 6, Integer.toString(place * elementBytes / SharedBanks.WIDTH
                        % SharedBanks.COUNT));
            }
        }
        for (int i = 0; i < conflicts.size(); i++) {
            svg.text(2, bottom + 18 + 16 * i, conflicts.get(i).toString());
        }
        return svg;
    }

    private static Hue hue(int chunk) {
        Hue[] fills = {Hue.BLUE, Hue.ORANGE, Hue.GREEN, Hue.PURPLE, Hue.GREY, Hue.RED};
        return fills[chunk % fills.length];
    }
}

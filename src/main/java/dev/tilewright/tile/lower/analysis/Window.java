package dev.tilewright.tile.lower.analysis;

import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import dev.tilewright.tile.Region;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileNode;
import dev.tilewright.tile.lower.layout.Layout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * Tiles of one matrix that is only read, at places around each other, as a stencil takes them. A thread has a block of
 * rows, and neighbours of each: it loads these with what surrounds them once, and all tiles are parts of that.
 *
 * @param rows where the tile begins that is moved by nothing, {@code columns} of it likewise
 * @param up rows above that a tile begins, {@code down} below, {@code left} and {@code right} likewise; 0 or more
 * @param tiles how far each is moved, down and to the right
 * @param height rows of a tile
 * @param side neighbours of a row that a thread has
 * @param free whether what a thread makes of neighbours outside of the tensor goes nowhere: they may be anything
 */
public record Window(Tensor tensor, Value.Const outside, Span rows, Span columns, int up, int down, int left,
        int right, Map<Tile, Offset> tiles, int height, int side, Layout layout, boolean free) {
    private static final long FAR = 64;

    /** How far a tile is moved. */
    public record Offset(int down, int right) { }

    /** What tiles of a window have in common. */
    private record Common(Tensor tensor, Value.Const outside, Span rows, Span columns, List<Integer> extents) { }

    /** A place without the number that is added to it. */
    private record Moved(Expr from, long by) {
        static Moved of(Span span) {
            Expr start = span.start();
            if (start instanceof Expr.Binary b && (b.op() == Expr.Op.ADD || b.op() == Expr.Op.SUB)
                    && b.right().constant().isPresent()) {
                long by = b.right().constant().getAsLong();
                return new Moved(b.left(), b.op() == Expr.Op.ADD ? by : -by);
            }
            return start.constant().isPresent() ? new Moved(Expr.of(0L), start.constant().getAsLong())
                    : new Moved(start, 0);
        }

        private boolean isNear() {
            return Math.abs(by) <= FAR;
        }
    }

    /** Those of a region, by their tiles. @param threadBits of a team @param extents of a tile */
    public static Map<Tile, Window> of(Region region, int threadBits, Function<Tile, List<Integer>> extents) {
        Map<Common, Map<Tile, Offset>> groups = new LinkedHashMap<>();
        for (Region.Item item : region.items()) {
            if (item instanceof Tile tile && tile.node() instanceof TileNode.Load load
                    && load.tensor().role() == Tensor.Role.IN && load.axes().size() == 2
                    && load.axes().getFirst() instanceof Span rows && load.axes().getLast() instanceof Span columns
                    && rows.step() == 1 && columns.step() == 1 && !columns.single()) {
                Moved down = Moved.of(rows);
                Moved right = Moved.of(columns);
                if (down.isNear() && right.isNear()) {
                    Common common = new Common(load.tensor(), load.outside(), at(rows, down.from), at(columns,
                            right.from), extents.apply(tile));
                    groups.computeIfAbsent(common, _ -> new LinkedHashMap<>()).put(tile, new Offset((int) down.by,
                            (int) right.by));
                }
            }
        }
        Map<Tile, Window> windows = new HashMap<>();
        groups.forEach((common, tiles) -> of(common, tiles, threadBits, isFree(region, common)).ifPresent(window ->
                tiles.keySet().forEach(tile -> windows.put(tile, window))));
        return windows;
    }

    private static Span at(Span span, Expr start) {
        return new Span(start, span.length(), 1, span.single(), span.clamped());
    }

    /** Whether all that is stored goes to the places that are moved by nothing, of tensors with the same dimensions. */
    private static boolean isFree(Region region, Common common) {
        return region.items().stream().allMatch(item -> switch (item) {
            case Tile _ -> true;
            case Region.Store store -> store.tensor().dims().equals(common.tensor.dims())
                    && store.axes().equals(List.of(at(common.rows, false), at(common.columns, false)));
            default -> false;
        });
    }

    private static Span at(Span span, boolean clamped) {
        return new Span(span.start(), span.length(), 1, span.single(), clamped);
    }

    private static Optional<Window> of(Common common, Map<Tile, Offset> tiles, int threadBits, boolean free) {
        List<Integer> bits = common.extents.stream().map(Layout::bitsOf).toList();
        int last = bits.size() - 1;
        int sideBits = bits.get(last) - threadBits;
        if (tiles.size() < 2 || sideBits < 0 || common.extents.stream().anyMatch(e -> Integer.bitCount(e) != 1)) {
            return Optional.empty();
        }
        List<List<Integer>> own = new ArrayList<>();
        IntStream.range(0, sideBits).forEach(bit -> own.add(Layout.place(bits.size(), last, 1 << bit)));
        if (last > 0) {
            IntStream.range(0, bits.getFirst()).forEach(bit -> own.add(Layout.place(bits.size(), 0, 1 << bit)));
        }
        List<Integer> down = tiles.values().stream().map(Offset::down).toList();
        List<Integer> right = tiles.values().stream().map(Offset::right).toList();
        Window window = new Window(common.tensor, common.outside, common.rows, common.columns, most(down, -1),
                most(down, 1), most(right, -1), most(right, 1), Map.copyOf(tiles), last == 0 ? 1
                : common.extents.getFirst(), 1 << sideBits, Layout.of(bits, own, threadBits), free);
        int words = window.registers() * Math.ceilDiv(common.tensor.type().bits(), Integer.SIZE);
        return words <= Register.MOST ? Optional.of(window) : Optional.empty();
    }

    private static int most(List<Integer> offsets, int sign) {
        return offsets.stream().mapToInt(offset -> Math.max(0, sign * offset)).max().orElse(0);
    }

    /** Rows that a thread loads. */
    public int lines() {
        return height + up + down;
    }

    /** Elements that it loads of each. */
    public int pitch() {
        return side + left + right;
    }

    /** Elements that a thread holds. */
    public int registers() {
        return lines() * pitch();
    }

    /** Which of these a tile's element is. @param register of the tile's */
    public Expr of(Tile tile, Expr register) {
        Offset offset = tiles.get(tile);
        return register.dividedBy(side).plus(up + offset.down()).times(pitch()).plus(register.modulo(side))
                .plus(left + offset.right());
    }
}

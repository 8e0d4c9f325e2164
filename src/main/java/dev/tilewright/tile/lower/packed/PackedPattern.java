package dev.tilewright.tile.lower.packed;

import dev.tilewright.NotNull;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Axis;
import dev.tilewright.tile.Region;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.TileNode;
import dev.tilewright.tile.lower.analysis.OneLoop;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * A kernel each of whose tiles is a loop that multiplies what it loads by numbers of 4 or 8 bits, group by group, and
 * adds what comes of a group, times a scale for each column: {@code sum = fma(a q, scale, sum)}.
 *
 * @param sums extents of a tile: rows, columns
 * @param group how many numbers along k a turn takes
 * @param a load of the first of a turn's left factors, behind which the others lie
 * @param packed the first of its right factors; of 4 bits there are two, of which this is that of the low ones
 * @param scales load of a column's scale
 */
public record PackedPattern(TileNode.Loop loop, List<Integer> sums, int group, TileNode.Load a, PackedFactor packed,
        TileNode.Load scales) {
    private static final int LEAST_GROUP = 64;
    /** Of a tile. */
    public static final int MOST_ROWS = 64;
    public static final int LEAST_ROWS = 2;
    static final int WARP = 32;
    private static final int LINE = 128;
    /** Columns of a warp. */
    public static final int WARP_COLUMNS = 32;
    /** Of a tile whose warps copy what they multiply, at most. */
    public static final int FEW_ROWS = 16;
    /** Whose sums, and those of a turn, have room in registers. */
    private static final int MOST_WARPS = 8;

    /** What was found. @param reason why there is none, in words */
    public record Match(Optional<PackedPattern> pattern, String reason) { }

    /** What makes a kernel none. */
    private static final class NoneException extends Exception {
        private static final long serialVersionUID = 1;

        NoneException(String reason) {
            super(reason);
        }
    }

    /** A product of a turn, with what is left of a chain of them before it. */
    private record Link(Tile before, TileNode.Load a, PackedFactor b, Set<Tile> tiles) { }

    /** @param extents of a tile @param aligned whether a tensor's rows begin at multiples of 16 bytes */
    public static Match of(TileKernel kernel, Function<Tile, List<Integer>> extents, Predicate<Tensor> aligned) {
        NotNull.all("kernel, extents, aligned", kernel, extents, aligned);
        try {
            return new Match(Optional.of(find(kernel, extents, aligned)), "");
        } catch (NoneException e) {
            return new Match(Optional.empty(), e.getMessage());
        }
    }

    private static void require(boolean holds, String reason) throws NoneException {
        if (!holds) {
            throw new NoneException(reason);
        }
    }

    private static PackedPattern find(TileKernel kernel, Function<Tile, List<Integer>> extents,
            Predicate<Tensor> aligned) throws NoneException {
        List<Region.Item> items = kernel.grid().body().items();
        OneLoop one = OneLoop.of(items);
        TileNode.Loop loop = one.loop().orElseThrow(() -> new NoneException(one.reason()));
        require(loop.next().size() == 1 && isZero(loop.initial().getFirst()), "more than sums from zero are carried");
        require(items.stream().noneMatch(item -> item instanceof Tile tile
                && tile.node().inputs().contains(loop.initial().getFirst()) || item instanceof Region.Store store
                && store.tile() == loop.initial().getFirst()), "the zeros have another use");
        Tile next = loop.next().getFirst();
        require(next.node() instanceof TileNode.Map map && map.inputs().size() == 3
                && map.value() instanceof Value.Fma, "what a turn leaves is no scaled product");
        TileNode.Map map = (TileNode.Map) next.node();
        Value.Fma fma = (Value.Fma) map.value();
        Tile product = input(map, fma.a());
        Tile scale = input(map, fma.b());
        require(input(map, fma.c()) == loop.carried().getFirst(), "the carried tile is not the one that is added to");
        List<Link> links = links(product);
        Set<Tile> tiles = new HashSet<>(Set.of(next));
        links.forEach(link -> tiles.addAll(link.tiles));
        TileNode.Load scales = scales(scale, tiles);
        require(loop.body().items().stream().allMatch(item -> item instanceof Tile tile && tiles.contains(tile)),
                "a turn computes more than it multiplies");
        PackedPattern pattern = new PackedPattern(loop, extents.apply(next), group(links, extents),
                links.getFirst().a, links.getFirst().b, scales);
        pattern.requireHalves(links);
        pattern.requirePlaces(links);
        pattern.requireSizes(aligned);
        return pattern;
    }

    private static boolean isZero(Tile tile) {
        return tile.node() instanceof TileNode.Full(Value.Const zero) && zero.word() == 0
                && zero.type() == ValueType.F32;
    }

    private static Tile input(TileNode.Map map, Value parameter) throws NoneException {
        int number = map.parameters().stream().map(Register::get).toList().indexOf(parameter);
        require(number >= 0, "what a turn leaves is no scaled product");
        return map.inputs().get(number);
    }

    /** Products one after the other, the first of which is added to zero. */
    private static List<Link> links(Tile last) throws NoneException {
        List<Link> links = new ArrayList<>();
        Tile tile = last;
        while (tile.node() instanceof TileNode.Product product) {
            Optional<PackedFactor> b = PackedFactor.of(product.b());
            require(b.isPresent(), "the right factor is no number out of bytes");
            require(product.a().node() instanceof TileNode.Load, "the left factor is computed");
            Set<Tile> tiles = new HashSet<>(b.get().tiles());
            tiles.addAll(List.of(tile, product.a()));
            links.addFirst(new Link(product.c(), (TileNode.Load) product.a().node(), b.get(), tiles));
            tile = product.c();
        }
        require(isZero(tile) && !links.isEmpty(), "products are added to more than zero");
        links.getFirst().tiles.add(tile);
        return links;
    }

    /** A scale of each column. */
    private static TileNode.Load scales(Tile scale, Set<Tile> tiles) throws NoneException {
        Tile tile = scale;
        boolean exchanged = false;
        while (!(tile.node() instanceof TileNode.Load)) {
            tiles.add(tile);
            if (tile.node() instanceof TileNode.Transpose(Tile of, List<Integer> _)) {
                exchanged = !exchanged;
                tile = of;
            } else {
                require(tile.node() instanceof TileNode.Map map && map.inputs().size() == 1
                        && map.value() instanceof Value.Convert(Value of, var conversion, var _)
                        && conversion.to() == ValueType.F32
                        && of.equals(map.parameters().getFirst().get()), "scales are computed");
                tile = tile.node().inputs().getFirst();
            }
        }
        tiles.add(tile);
        TileNode.Load load = (TileNode.Load) tile.node();
        require(exchanged && load.axes().size() == 2 && load.axes().getLast() instanceof Span span && !span.single()
                && span.length().size().orElse(0) == 1, "scales are not one for each column");
        return load;
    }

    private static int group(List<Link> links, Function<Tile, List<Integer>> extents) {
        int group = 0;
        for (Link link : links) {
            Tile a = link.tiles.stream().filter(tile -> tile.node() == link.a).findFirst().orElseThrow();
            group += extents.apply(a).getLast();
        }
        return group;
    }

    /** Of 4 bits the low ones of a group's bytes are multiplied first, and then the high ones. */
    private void requireHalves(List<Link> links) throws NoneException {
        int bits = packed.bits();
        require(links.size() == Byte.SIZE / bits, "a turn multiplies all of its bytes once");
        for (int i = 0; i < links.size(); i++) {
            PackedFactor b = links.get(i).b;
            require(b.load() == packed.load() && b.shift() == i * bits && b.bits() == bits && b.less() == packed.less(),
                    "numbers of a byte are multiplied in another order");
        }
    }

    /** Turns take places that follow each other, of all tensors the same. */
    private void requirePlaces(List<Link> links) throws NoneException {
        Expr first = loop.turn().toS64().times(Expr.of((long) group));
        for (int i = 0; i < links.size(); i++) {
            List<Axis> axes = links.get(i).a.axes();
            Expr start = i == 0 ? first : first.plus(Expr.of((long) i * group / links.size()));
            require(links.get(i).a.tensor() == a.tensor() && axes.size() == 2 && axes.getFirst().equals(
                    a.axes().getFirst()) && start(axes.getLast()).equals(start),
                    "left factors do not follow each other");
        }
        Expr bytes = packed.bits() == Byte.SIZE ? first : first.dividedBy(Expr.of(2L));
        List<Axis> of = packed.load().axes();
        require(of.size() == 2 && start(of.getLast()).equals(bytes), "bytes do not follow each other");
        require(start(scales.axes().getLast()).equals(first.dividedBy(Expr.of((long) group)))
                && start(scales.axes().getFirst()).equals(start(of.getFirst())), "scales are not of the same places");
    }

    private static Expr start(Axis axis) throws NoneException {
        require(axis instanceof Span span && span.step() == 1 && !span.single(), "places do not follow each other");
        return ((Span) axis).start();
    }

    private void requireSizes(Predicate<Tensor> aligned) throws NoneException {
        int rows = sums.getFirst();
        int columns = sums.getLast();
        require(Integer.bitCount(rows) == 1 && rows >= LEAST_ROWS && rows <= MOST_ROWS, "a tile has 2, 4, … 64 rows, "
                + "not " + rows);
        require(Integer.bitCount(columns) == 1 && columns >= WARP_COLUMNS && warpsOfPart() <= MOST_WARPS
                && Integer.bitCount(loop.parts()) == 1, "a tile's columns, " + columns + ", are not shared out by 32, "
                + "or k is split in " + loop.parts() + " parts");
        require(Integer.bitCount(group) == 1 && group >= LEAST_GROUP && rowBytes() <= LINE, "a group has 64 or 128 "
                + "numbers, of 4 bits also 256, not " + group);
        require(a.tensor().type() == packed.type() && loop.carried().getFirst().type() == ValueType.F32, "factors are "
                + "of different types");
        require(packed.bits() < Byte.SIZE || packed.less() == 1 << Byte.SIZE - 1, "numbers of 8 bits are not signed");
        for (TileNode.Load load : List.of(a, packed.load(), scales)) {
            require(load.outside().word() == 0, "'" + load.tensor().name() + "' is not 0 outside");
            require(load == scales || aligned.test(load.tensor()), "rows of '" + load.tensor().name()
                    + "' do not begin at multiples of 16 bytes");
        }
    }

    /** Bytes of a column that a turn takes. */
    public int rowBytes() {
        return group * packed.bits() / Byte.SIZE;
    }

    /** Whether each warp copies what it multiplies. */
    public boolean hasFewRows() {
        return sums.getFirst() <= FEW_ROWS;
    }

    /** Warps that multiply: some beside each other for each part of k that is computed at a time. */
    public int warps() {
        return partsAtOnce() * warpsOfPart();
    }

    /** Parts of k that are computed at the same time. */
    public int partsAtOnce() {
        return Math.min(loop.parts(), MOST_WARPS / warpsOfPart());
    }

    /** How often parts are computed, some at a time. */
    int rounds() {
        return loop.parts() / partsAtOnce();
    }

    int warpsOfPart() {
        return sums.getLast() / WARP_COLUMNS;
    }

    /** Turns whose bytes of a column are copied at once where rows are few: memory is asked for whole lines. */
    int turnsOfLine() {
        return rowBytes() < LINE ? 2 : 1;
    }

    /** Bytes of a column that are copied at once where rows are few. */
    int lineBytes() {
        return turnsOfLine() * rowBytes();
    }

    /** Bytes of the right factor that a turn of a part takes. */
    public int packedBytes() {
        return sums.getLast() * rowBytes();
    }

    /** Bytes of the left factor that a turn of a part takes. */
    public int leftBytes() {
        return sums.getFirst() * group * Short.BYTES;
    }

    /** Boxes of 64 places along k in which the left factor comes. */
    int panels() {
        return group / LEAST_GROUP;
    }

    /** The load of the bytes. */
    public TileNode.Load bytes() {
        return packed.load();
    }

    /** Of a number: 4 or 8. */
    public int bits() {
        return packed.bits();
    }
}

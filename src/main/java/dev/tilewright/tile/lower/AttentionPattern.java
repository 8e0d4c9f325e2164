package dev.tilewright.tile.lower;

import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.ExprSearch;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Axis;
import dev.tilewright.tile.Grid;
import dev.tilewright.tile.Region;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.TileNode;
import dev.tilewright.tile.Update;
import dev.tilewright.tile.lower.analysis.Alike;
import dev.tilewright.tile.lower.analysis.Factor;
import dev.tilewright.tile.lower.analysis.PagedFactor;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A kernel each of whose tiles is a loop of two products, as attention is: the first multiplies what is loaded before
 * the loop by what a turn loads, the second adds a function of that times what else the turn loads to what the loop
 * carries.
 *
 * @param scores the first product
 * @param sums the second product
 * @param number of what is carried that it adds to
 * @param q the first product's left factor, {@code k} and {@code v} the right factors of both
 * @param between what a turn computes between the products, in order
 * @param changes functions of the elements of what is carried, to which the second product is added
 * @param keys the axis of {@code k}'s and {@code v}'s loads along which the loop goes
 * @param start where turn 0 begins along it
 * @param stored what is stored, before it has the tensor's axes
 * @param pages how the right factors lie in pages; nothing where a turn's rows follow each other
 */
record AttentionPattern(TileNode.Loop loop, Tile scores, Tile sums, int number, Operand q, Operand k, Operand v,
        List<Tile> between, List<Tile> changes, int keys, Expr start, Region.Store store, Tile stored,
        Optional<PagedFactor> pages) {
    static final int ROWS = 64;
    private static final int MOST_COLUMNS = 256;
    private static final int DEPTH = 16;

    /** The match, if there is one. @param reason why there is none, in words */
    record Match(Optional<AttentionPattern> pattern, String reason) { }

    /** What makes a kernel none. */
    private static final class NoneException extends Exception {
        private static final long serialVersionUID = 1;

        NoneException(String reason) {
            super(reason);
        }
    }

    /** @param extents of a tile @param aligned whether a tensor's rows begin at multiples of 16 bytes */
    static Match of(TileKernel kernel, Function<Tile, List<Integer>> extents, Predicate<Tensor> aligned) {
        try {
            return new Match(Optional.of(find(kernel, extents, aligned)), "");
        } catch (NoneException e) {
            return new Match(Optional.empty(), e.getMessage());
        }
    }

    private static AttentionPattern find(TileKernel kernel, Function<Tile, List<Integer>> extents,
            Predicate<Tensor> aligned) throws NoneException {
        List<Region.Item> items = kernel.grid().body().items();
        List<TileNode.Loop> loops = all(items, TileNode.Loop.class);
        List<Region.Store> stores = all(items, Region.Store.class);
        require(!kernel.grid().steps().isEmpty(), "there is one tile");
        require(loops.size() == 1 && stores.size() == 1 && all(items, Region.When.class).isEmpty(),
                "a tile is more than one loop and one store");
        TileNode.Loop loop = loops.getFirst();
        List<Tile> tiles = all(loop.body().items(), Tile.class);
        List<Tile> products = tiles.stream().filter(tile -> tile.node() instanceof TileNode.Product).toList();
        require(loop.parts() == 1 && tiles.size() == loop.body().items().size() && products.size() == 2,
                "a turn is more or less than two products");
        Tile scores = products.getFirst();
        Tile sums = products.getLast();
        int number = loop.next().indexOf(sums);
        require(number >= 0, "the second product is not carried on");
        TileNode.Product first = (TileNode.Product) scores.node();
        TileNode.Product second = (TileNode.Product) sums.node();
        require(first.c().node() instanceof TileNode.Full(Value.Const zero) && zero.word() == 0,
                "the first product is added to something");
        Factor q = factor(unfolded(first.a()), "the first product's left factor");
        Optional<PagedFactor> kPages = PagedFactor.of(first.b());
        Optional<PagedFactor> vPages = PagedFactor.of(second.b());
        require(kPages.isPresent() == vPages.isPresent() && kPages.flatMap(PagedFactor::length).isEmpty()
                && kPages.map(PagedFactor::table).equals(vPages.map(PagedFactor::table))
                && kPages.map(PagedFactor::rows).equals(vPages.map(PagedFactor::rows)), "right factors are of other "
                + "pages");
        Factor k = kPages.isPresent() ? kPages.get().factor() : factor(first.b(), "the first product's right factor");
        Factor v = vPages.isPresent() ? vPages.get().factor() : factor(second.b(), "the second product's right factor");
        require(items.containsAll(q.tiles()) && !q.exchanged(), "the first product's left factor is not loaded once");
        require(tiles.containsAll(k.tiles()) && tiles.containsAll(v.tiles()), "right factors are not loaded in a turn");
        List<Tile> changes = changes(loop, tiles, number, sums);
        require(second.c() == loop.carried().get(number) || changes.contains(second.c()),
                "the second product is not added to a carried tile");
        List<Tile> between = tiles.stream().filter(tile -> tile != scores && tile != sums && tile != first.c()
                && !k.tiles().contains(tile) && !v.tiles().contains(tile) && !changes.contains(tile)
                && tile != second.a()).toList();
        require(second.a().node() instanceof TileNode.Map && Stream.concat(between.stream(), changes.stream())
                .allMatch(tile -> !tile.node().inputs().contains(second.a())), "weights are more than a function");
        require(between.stream().allMatch(AttentionPattern::isOfElements), "a turn loads or moves more");
        List<Integer> left = extents.apply(first.a());
        List<Integer> right = extents.apply(sums);
        int block = extents.apply(scores).get(1);
        require(left.get(0) == ROWS && isWidth(left.get(1)) && isWidth(right.get(1)) && isWidth(block)
                && Integer.bitCount(block) == 1 && right.get(1) <= left.get(1) && extents.apply(unfolded(first.a()))
                .getLast().equals(left.get(1)), "a tile is not 64 rows of some widths");
        require(q.type().bits() == Short.SIZE && first.c().type() == ValueType.F32
                && second.c().type() == ValueType.F32, "products are not of 16 bits in f32");
        for (Factor factor : kPages.isPresent() ? List.of(q) : List.of(q, k, v)) {
            require(Operand.whyNotCopied(factor, factor == q, aligned.test(factor.load().tensor())));
        }
        int keys = kPages.isPresent() ? 0 : along(loop, k, block);
        Expr begin = Expr.of(0L);
        if (kPages.isPresent()) {
            paged(kPages.get(), loop, block, aligned, v);
        } else {
            require(keys == along(loop, v, block) && start(k, keys).equals(start(v, keys)), "right factors are of "
                    + "other places");
            begin = begin(start(k, keys), loop, block);
        }
        Tile stored = unfolded(stores.getFirst().tile());
        store(stores.getFirst(), stored, extents, right, aligned);
        return new AttentionPattern(loop, scores, sums, number, Operand.of(q, ROWS, left.get(1), true),
                Operand.of(k, block, left.get(1), false), Operand.of(v, right.get(1), block, false), between, changes,
                keys, begin, stores.getFirst(), stored, vPages);
    }

    private static void require(boolean holds, String reason) throws NoneException {
        if (!holds) {
            throw new NoneException(reason);
        }
    }

    private static void require(Optional<String> problem) throws NoneException {
        if (problem.isPresent()) {
            throw new NoneException(problem.get());
        }
    }

    /** What an axis is folded out of, or the tile itself. */
    private static Tile unfolded(Tile tile) {
        return tile.node() instanceof TileNode.Reshape(Tile of) ? of : tile;
    }

    /** Pages of which a turn has its own, as many as a block has rows in. */
    private static void paged(PagedFactor pages, TileNode.Loop loop, int block, Predicate<Tensor> aligned, Factor v)
            throws NoneException {
        Span span = (Span) pages.table().axes().getLast();
        int each = block / pages.rows();
        require(block % pages.rows() == 0 && pages.rows() % Operand.SWIZZLED_ROWS == 0
                && span.length().size().orElse(0) == each && span.start().equals(loop.turn().toS64()
                .times(Expr.of((long) each))), "a turn takes no pages of its own");
        require(pages.table().tensor().type() == ValueType.I32, "pages' numbers are not of i32");
        for (Factor factor : List.of(pages.factor(), v)) {
            require(aligned.test(factor.load().tensor()) && factor.load().outside().word() == 0, "the copy engine does "
                    + "not bring pages of '" + factor.load().tensor().name() + "'");
        }
    }

    private static <T> List<T> all(List<Region.Item> items, Class<T> type) {
        return items.stream().filter(type::isInstance).map(type::cast).toList();
    }

    private static Factor factor(Tile tile, String what) throws NoneException {
        return Factor.of(tile).orElseThrow(() -> new NoneException(what + " is computed"));
    }

    private static boolean isWidth(int columns) {
        return columns % DEPTH == 0 && columns <= MOST_COLUMNS;
    }

    private static boolean isOfElements(Tile tile) {
        return switch (tile.node()) {
            case TileNode.Full _, TileNode.Iota _, TileNode.Map _, TileNode.Reduce _, TileNode.Reshape _ -> true;
            default -> false;
        };
    }

    /** Functions of what is carried, which nothing but them and the product uses. */
    private static List<Tile> changes(TileNode.Loop loop, List<Tile> tiles, int number, Tile sums)
            throws NoneException {
        Set<Tile> changed = new HashSet<>(Set.of(loop.carried().get(number)));
        List<Tile> changes = new ArrayList<>();
        for (Tile tile : tiles) {
            if (tile != sums && tile.node().inputs().stream().anyMatch(changed::contains)) {
                require(tile.node() instanceof TileNode.Map && tile.shape().equals(sums.shape())
                        && !loop.next().contains(tile), "a carried tile is more than scaled");
                changed.add(tile);
                changes.add(tile);
            }
        }
        return changes;
    }

    /** The one axis that depends on the turn, which is as long as a block. */
    private static int along(TileNode.Loop loop, Factor factor, int block) throws NoneException {
        List<Axis> axes = factor.load().axes();
        int found = -1;
        for (int i = 0; i < axes.size(); i++) {
            Span span = (Span) axes.get(i);
            if (ExprSearch.any(span.start(), e -> e.equals(loop.turn()))) {
                require(found < 0 && span.length().size().orElse(0) == block, "a turn takes no block of its own");
                found = i;
            }
        }
        require(found >= 0, "turns load the same");
        return found;
    }

    private static Expr start(Factor factor, int axis) {
        return ((Span) factor.load().axes().get(axis)).start();
    }

    /** Where turn 0 begins, if each is a block of those that follow each other from the first key on. */
    private static Expr begin(Expr start, TileNode.Loop loop, int block) throws NoneException {
        Expr step = loop.turn().toS64().times(Expr.of((long) block));
        if (start.equals(step)) {
            return Expr.of(0L);
        }
        if (start instanceof Expr.Binary sum && sum.op() == Expr.Op.ADD) {
            Expr rest = sum.left().equals(step) ? sum.right() : sum.left();
            require((sum.left().equals(step) || sum.right().equals(step)) && !ExprSearch.any(rest, e ->
                    e.equals(loop.turn())), "blocks do not follow each other");
            require(isWhole(rest, block), "blocks do not begin at multiples of their length");
            return rest;
        }
        throw new NoneException("blocks do not follow each other");
    }

    private static boolean isWhole(Expr start, int block) {
        return start instanceof Expr.Const number && number.value() % block == 0
                || start instanceof Expr.Binary product && product.op() == Expr.Op.MUL
                && (isWhole(product.left(), block) || isWhole(product.right(), block));
    }

    private static void store(Region.Store store, Tile stored, Function<Tile, List<Integer>> extents,
            List<Integer> sums, Predicate<Tensor> aligned) throws NoneException {
        require(extents.apply(store.tile()).getLast().equals(sums.get(1))
                && store.tensor().type().bits() == Short.SIZE && store.update() == Update.SET
                && extents.apply(stored).equals(sums) && aligned.test(store.tensor()),
                "the result is not stored as the copy engine does it");
        require(Operand.whyNotBoxes(store.tensor().name(), store.axes()));
        require(Operand.whyNotChunks(store.tensor(), store.axes()));
    }

    /** Whether neighbours along a grid's last dimension multiply the same right factors, which they then share. */
    boolean isShared(Grid grid) {
        Alike alike = new Alike(grid.numbers().getLast());
        return Stream.of(k, v).allMatch(of -> IntStream.range(0, of.load().axes().size()).allMatch(i -> i == keys
                || alike.places(of.load().axes().get(i)))) && pages.stream().allMatch(p -> p.table().axes().stream()
                .allMatch(alike::places) && p.length().stream().allMatch(alike::tile));
    }

    TileNode.Product first() {
        return (TileNode.Product) scores.node();
    }

    TileNode.Product second() {
        return (TileNode.Product) sums.node();
    }

    /** Keys of a block. */
    int block() {
        return k.mn();
    }

    /** Columns of the result. */
    int width() {
        return v.mn();
    }
}

package dev.tilewright.tile.lower;

import static dev.tilewright.tile.lower.analysis.WhyNot.unless;

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
import dev.tilewright.tile.lower.analysis.WhyNot;
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

    /** The match, if there is one. @param reason why there is none, in words */
    record Match(Optional<AttentionPattern> pattern, String reason) { }

    /** @param extents of a tile @param aligned whether a tensor's rows begin at multiples of 16 bytes */
    static Match of(TileKernel kernel, Function<Tile, List<Integer>> extents, Predicate<Tensor> aligned) {
        return new Search(kernel, extents, aligned).match();
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

    /** Looks for the parts one after the other: each says why the kernel has no such part, or leaves it to the next. */
    private static final class Search {
        private static final int MOST_COLUMNS = 256;
        private static final int DEPTH = 16;

        private final TileKernel kernel;
        private final Function<Tile, List<Integer>> extents;
        private final Predicate<Tensor> aligned;
        private final List<Region.Item> items;
        private TileNode.Loop loop;
        private Region.Store store;
        /** Of a turn. */
        private List<Tile> tiles;
        private Tile scores;
        private Tile sums;
        private TileNode.Product first;
        private TileNode.Product second;
        private Factor q;
        private Factor k;
        private Factor v;
        private Optional<PagedFactor> kPages;
        private Optional<PagedFactor> vPages;
        private List<Tile> changes;
        private List<Tile> between;
        private int block;
        private int keys;
        private Expr begin = Expr.of(0L);

        /** @param extents of a tile @param aligned whether a tensor's rows begin at multiples of 16 bytes */
        Search(TileKernel kernel, Function<Tile, List<Integer>> extents, Predicate<Tensor> aligned) {
            this.kernel = kernel;
            this.extents = extents;
            this.aligned = aligned;
            this.items = kernel.grid().body().items();
        }

        Match match() {
            return WhyNot.first(List.of(this::oneLoop, this::twoProducts, this::factors, this::carried, this::weights,
                    this::sizes, this::copies, this::places, this::stored))
                    .map(reason -> new Match(Optional.empty(), reason))
                    .orElseGet(() -> new Match(Optional.of(pattern()), ""));
        }

        private AttentionPattern pattern() {
            int depth = extents.apply(first.a()).get(1);
            return new AttentionPattern(loop, scores, sums, loop.next().indexOf(sums),
                    Operand.of(q, ROWS, depth, true), Operand.of(k, block, depth, false),
                    Operand.of(v, extents.apply(sums).get(1), block, false), between, changes, keys, begin, store,
                    unfolded(store.tile()), vPages);
        }

        private Optional<String> oneLoop() {
            List<TileNode.Loop> loops = all(items, TileNode.Loop.class);
            List<Region.Store> stores = all(items, Region.Store.class);
            if (kernel.grid().steps().isEmpty()) {
                return Optional.of("there is one tile");
            }
            if (loops.size() != 1 || stores.size() != 1 || !all(items, Region.When.class).isEmpty()) {
                return Optional.of("a tile is more than one loop and one store");
            }
            loop = loops.getFirst();
            store = stores.getFirst();
            return Optional.empty();
        }

        private Optional<String> twoProducts() {
            tiles = all(loop.body().items(), Tile.class);
            List<Tile> products = tiles.stream().filter(tile -> tile.node() instanceof TileNode.Product).toList();
            if (loop.parts() != 1 || tiles.size() != loop.body().items().size() || products.size() != 2) {
                return Optional.of("a turn is more or less than two products");
            }
            scores = products.getFirst();
            sums = products.getLast();
            first = (TileNode.Product) scores.node();
            second = (TileNode.Product) sums.node();
            return unless(loop.next().contains(sums), "the second product is not carried on")
                    .or(() -> unless(first.c().node() instanceof TileNode.Full(Value.Const zero) && zero.word() == 0,
                            "the first product is added to something"));
        }

        private Optional<String> factors() {
            Optional<Factor> left = Factor.of(unfolded(first.a()));
            if (left.isEmpty()) {
                return Optional.of("the first product's left factor is computed");
            }
            kPages = PagedFactor.of(first.b());
            vPages = PagedFactor.of(second.b());
            if (kPages.isPresent() != vPages.isPresent() || kPages.flatMap(PagedFactor::length).isPresent()
                    || !kPages.map(PagedFactor::table).equals(vPages.map(PagedFactor::table))
                    || !kPages.map(PagedFactor::rows).equals(vPages.map(PagedFactor::rows))) {
                return Optional.of("right factors are of other pages");
            }
            Optional<Factor> right = kPages.map(PagedFactor::factor).or(() -> Factor.of(first.b()));
            Optional<Factor> weighted = vPages.map(PagedFactor::factor).or(() -> Factor.of(second.b()));
            if (right.isEmpty() || weighted.isEmpty()) {
                return Optional.of("the " + (right.isEmpty() ? "first" : "second")
                        + " product's right factor is computed");
            }
            q = left.get();
            k = right.get();
            v = weighted.get();
            return unless(items.containsAll(q.tiles()) && !q.exchanged(),
                    "the first product's left factor is not loaded once")
                    .or(() -> unless(tiles.containsAll(k.tiles()) && tiles.containsAll(v.tiles()),
                    "right factors are not loaded in a turn"));
        }

        /** Functions of what is carried, which nothing but them and the product uses. */
        private Optional<String> carried() {
            Tile carried = loop.carried().get(loop.next().indexOf(sums));
            Set<Tile> changed = new HashSet<>(Set.of(carried));
            changes = new ArrayList<>();
            for (Tile tile : tiles) {
                if (tile != sums && tile.node().inputs().stream().anyMatch(changed::contains)) {
                    changed.add(tile);
                    changes.add(tile);
                }
            }
            return unless(changes.stream().allMatch(tile -> tile.node() instanceof TileNode.Map
                    && tile.shape().equals(sums.shape()) && !loop.next().contains(tile)),
                    "a carried tile is more than scaled").or(() -> unless(second.c() == carried
                    || changes.contains(second.c()), "the second product is not added to a carried tile"));
        }

        private Optional<String> weights() {
            between = tiles.stream().filter(tile -> tile != scores && tile != sums && tile != first.c()
                    && !k.tiles().contains(tile) && !v.tiles().contains(tile) && !changes.contains(tile)
                    && tile != second.a()).toList();
            return unless(second.a().node() instanceof TileNode.Map && Stream.concat(between.stream(), changes.stream())
                    .noneMatch(tile -> tile.node().inputs().contains(second.a())), "weights are more than a function")
                    .or(() -> unless(between.stream().allMatch(Search::isOfElements),
                            "a turn loads or moves more"));
        }

        private Optional<String> sizes() {
            List<Integer> left = extents.apply(first.a());
            List<Integer> right = extents.apply(sums);
            block = extents.apply(scores).get(1);
            return unless(left.get(0) == ROWS && isWidth(left.get(1)) && isWidth(right.get(1))
                    && isWidth(block) && Integer.bitCount(block) == 1 && right.get(1) <= left.get(1)
                    && extents.apply(unfolded(first.a())).getLast().equals(left.get(1)),
                    "a tile is not 64 rows of some widths").or(() -> unless(q.type().bits() == Short.SIZE
                    && first.c().type() == ValueType.F32 && second.c().type() == ValueType.F32,
                    "products are not of 16 bits in f32"));
        }

        private Optional<String> copies() {
            return (kPages.isPresent() ? Stream.of(q) : Stream.of(q, k, v)).map(factor -> Operand.whyNotCopied(factor,
                    factor == q, aligned.test(factor.load().tensor()))).flatMap(Optional::stream).findFirst();
        }

        private Optional<String> places() {
            return kPages.isPresent() ? pages(kPages.get()) : alongKeys(k).or(() -> {
                keys = turning(k).getFirst();
                return alongKeys(v).or(() -> unless(turning(v).getFirst() == keys && start(k).equals(start(v)),
                        "right factors are of other places")).or(this::following);
            });
        }

        /** Pages of which a turn has its own, as many as a block has rows in. */
        private Optional<String> pages(PagedFactor pages) {
            Span span = (Span) pages.table().axes().getLast();
            int each = block / pages.rows();
            return unless(block % pages.rows() == 0 && pages.rows() % Operand.SWIZZLED_ROWS == 0
                    && span.length().size().orElse(0) == each && span.start().equals(loop.turn().toS64()
                    .times(Expr.of((long) each))), "a turn takes no pages of its own")
                    .or(() -> unless(pages.table().tensor().type() == ValueType.I32, "pages' numbers are not of i32"))
                    .or(() -> Stream.of(k, v).map(Factor::load).filter(load -> !aligned.test(load.tensor())
                            || load.outside().word() != 0).findFirst().map(load -> "the copy engine does not bring "
                            + "pages of '" + load.tensor().name() + "'"));
        }

        /** Whether one axis depends on the turn, which is as long as a block. */
        private Optional<String> alongKeys(Factor factor) {
            List<Integer> turning = turning(factor);
            return unless(!turning.isEmpty(), "turns load the same").or(() -> unless(turning.size() == 1
                    && span(factor, turning.getFirst()).length().size().orElse(0) == block,
                    "a turn takes no block of its own"));
        }

        /** The axes that depend on the turn. */
        private List<Integer> turning(Factor factor) {
            List<Axis> axes = factor.load().axes();
            List<Integer> turning = new ArrayList<>();
            for (int i = 0; i < axes.size(); i++) {
                if (isOfTurn(span(factor, i).start())) {
                    turning.add(i);
                }
            }
            return turning;
        }

        private boolean isOfTurn(Expr expr) {
            return ExprSearch.any(expr, e -> e.equals(loop.turn()));
        }

        private static Span span(Factor factor, int axis) {
            return (Span) factor.load().axes().get(axis);
        }

        private Expr start(Factor factor) {
            return span(factor, keys).start();
        }

        /** Blocks that follow each other, and begin at a multiple of their length. */
        private Optional<String> following() {
            Expr step = loop.turn().toS64().times(block);
            Expr start = start(k);
            if (!start.equals(step)) {
                if (!(start instanceof Expr.Binary sum && sum.op() == Expr.Op.ADD
                        && (sum.left().equals(step) || sum.right().equals(step)))) {
                    return Optional.of("blocks do not follow each other");
                }
                begin = sum.left().equals(step) ? sum.right() : sum.left();
            }
            return unless(!isOfTurn(begin), "blocks do not follow each other")
                    .or(() -> unless(isWhole(begin), "blocks do not begin at multiples of their length"));
        }

        private boolean isWhole(Expr start) {
            return start instanceof Expr.Const number && number.value() % block == 0
                    || start instanceof Expr.Binary product && product.op() == Expr.Op.MUL
                    && (isWhole(product.left()) || isWhole(product.right()));
        }

        private Optional<String> stored() {
            Tile stored = unfolded(store.tile());
            List<Integer> result = extents.apply(sums);
            return unless(extents.apply(store.tile()).getLast().equals(result.get(1))
                    && store.tensor().type().bits() == Short.SIZE && store.update() == Update.SET
                    && extents.apply(stored).equals(result) && aligned.test(store.tensor()),
                    "the result is not stored as the copy engine does it")
                    .or(() -> Operand.whyNotStored(store.tensor().name(), store.axes()))
                    .or(() -> Operand.whyNotChunks(store.tensor(), store.axes()));
        }

        /** What an axis is folded out of, or the tile itself. */
        private static Tile unfolded(Tile tile) {
            return tile.node() instanceof TileNode.Reshape(Tile of) ? of : tile;
        }

        private static <T> List<T> all(List<Region.Item> items, Class<T> type) {
            return items.stream().filter(type::isInstance).map(type::cast).toList();
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
    }
}

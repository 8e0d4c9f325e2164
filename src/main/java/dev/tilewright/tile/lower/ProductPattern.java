package dev.tilewright.tile.lower;

import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Axis;
import dev.tilewright.tile.Grid;
import dev.tilewright.tile.MatrixArithmetic;
import dev.tilewright.tile.Region;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.TileNode;
import dev.tilewright.tile.lower.analysis.Alike;
import dev.tilewright.tile.lower.analysis.Factor;
import dev.tilewright.tile.lower.analysis.OneLoop;
import dev.tilewright.tile.lower.analysis.ProductNest;
import dev.tilewright.tile.lower.analysis.Promotion;
import dev.tilewright.tile.lower.analysis.TileOrder;
import dev.tilewright.tile.lower.layout.DmmaSums;
import dev.tilewright.tile.lower.layout.FmaSums;
import dev.tilewright.tile.lower.layout.Layout;
import dev.tilewright.tile.lower.layout.WgmmaSums;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A kernel each of whose tiles is one product along a loop, whose factors the copy engine can bring to tensor cores, or
 * of f32 and f64 to threads.
 *
 * @param product in the loop's body
 * @param promotion where a turn's product begins with zero, and is then taken to what is carried; nothing where it is
 *     added to that itself
 * @param sums extents of the sums: rows, columns; of each product
 * @param more right factors of other products in the loop's body, which have the left one in common
 * @param groups of four warps that share the sums
 * @param steps of the kernel's along k that a stage has
 * @param boxed whether results of 16 bits are among what may be stored in boxes
 * @param cluster blocks that take neighbouring tiles
 */
record ProductPattern(TileNode.Loop loop, TileNode.Product product, Optional<Promotion> promotion, List<Integer> sums,
        Operand a, Operand b, List<Operand> more, int groups, int steps, boolean boxed, ProductCluster cluster) {
    private static final int ROWS = 64;
    private static final int THREADS = 128;
    private static final int MOST_DEPTH = 256;
    /** Of a thread's 255 registers. */
    private static final int MOST_SUMS = 128;
    /** Registers of a thread for totals and sums; the others are for all else. */
    private static final int MOST_OF_BOTH = 192;
    /** Columns of sums beside which their totals have room. */
    private static final int MOST_PROMOTED = 128;

    /** The match, if there is one. @param reason in words, also where there is no such product */
    record Match(Optional<ProductPattern> pattern, String reason) { }

    /**
     * @param extents of a tile
     * @param aligned whether a tensor's rows begin at multiples of 16 bytes
     * @param whose products the kernel has
     */
    static Match of(TileKernel kernel, Function<Tile, List<Integer>> extents, Predicate<Tensor> aligned,
            MatrixArithmetic whose) {
        List<Region.Item> items = kernel.grid().body().items();
        OneLoop one = OneLoop.of(items);
        if (one.loop().isEmpty()) {
            return none(one.reason());
        }
        TileNode.Loop loop = one.loop().get();
        TileNode.Loop inner = ProductNest.of(loop).innermost();
        Optional<Promotion> promotion = inner == loop ? Promotion.of(loop) : Optional.empty();
        if (inner.parts() != 1) {
            return none("the sum is taken in parts (foldInParts)");
        }
        if (inner.next().isEmpty() || promotion.isEmpty() && !IntStream.range(0,
                inner.next().size()).allMatch(i -> inner.next().get(i).node() instanceof TileNode.Product p
                && p.c() == inner.carried().get(i))) {
            return none("the loop does more than add a product to what it carries");
        }
        List<Tile> products = promotion.map(p -> List.of(p.product())).orElse(inner.next());
        Tile turn = products.getFirst();
        TileNode.Product product = (TileNode.Product) turn.node();
        if (loop.initial().stream().anyMatch(first -> !(first.node() instanceof TileNode.Full)
                || items.stream().anyMatch(item -> uses(item, first)))) {
            return none("the sums begin with more than one number");
        }
        Optional<Factor> a = Factor.of(product.a());
        List<Factor> right = products.stream().flatMap(tile -> Factor.of(((TileNode.Product) tile.node()).b()).stream())
                .toList();
        if (a.isEmpty() || right.size() < products.size() || !inner.body().items().stream().allMatch(item ->
                products.contains(item) || isOfLeft(item, products, a.get())
                || right.stream().anyMatch(b -> b.tiles().contains(item))
                || promotion.filter(p -> p.tiles().contains(item) || p.idle().contains(item)).isPresent())) {
            return none("the loop computes what it multiplies");
        }
        List<Integer> left = extents.apply(product.a());
        List<Integer> sums = extents.apply(turn);
        Optional<String> problem = types(product, whose).or(() -> whyNotTogether(products, right, extents))
                .or(() -> sizes(product.a().type(), List.of(sums.get(0), sums.get(1) * products.size()), left.get(1)))
                .or(() -> promotion.flatMap(p -> whyNotPromoted(p, product, extents)))
                .or(() -> Operand.whyNotCopied(a.get(), true, aligned.test(a.get().load().tensor())))
                .or(() -> right.stream().flatMap(b -> Operand.whyNotCopied(b, false, aligned.test(
                        b.load().tensor())).stream()).findFirst());
        if (problem.isPresent()) {
            return none(problem.get());
        }
        boolean byThreads = byThreads(product.a().type());
        TileOrder order = new TileOrder(kernel);
        boolean boxed = !byThreads && kernel.grid().body().stores().anyMatch(store -> store.tensor().type().bits() == 16
                && !order.isRepeated(store));
        int groups = byThreads ? sums.get(0) * sums.get(1) / sumsOfGroup(product.a().type())
                : Math.min(2, sums.get(0) / ROWS);
        return new Match(Optional.of(new ProductPattern(loop, product, promotion, sums,
                Operand.of(a.get(), sums.get(0), left.get(1), true),
                Operand.of(right.getFirst(), sums.get(1), left.get(1), false), right.stream().skip(1).map(b ->
                        Operand.of(b, sums.get(1), left.get(1), false)).toList(), groups, 1, boxed,
                ProductCluster.NONE)),
                (byThreads ? "threads" : "tensor cores") + " read both factors where the copy engine puts them");
    }

    /** Whether an item is of the left factor, which products load once, or each for itself. */
    private static boolean isOfLeft(Region.Item item, List<Tile> products, Factor a) {
        return products.stream().flatMap(tile -> Factor.of(((TileNode.Product) tile.node()).a()).stream())
                .anyMatch(other -> other.load().equals(a.load()) && other.type() == a.type()
                        && other.exchanged() == a.exchanged() && other.tiles().contains(item));
    }

    /** Why products of a turn are not of the same kind; nothing where they are, or where there is one. */
    private static Optional<String> whyNotTogether(List<Tile> products, List<Factor> right,
            Function<Tile, List<Integer>> extents) {
        Tile first = products.getFirst();
        Factor b = right.getFirst();
        TileNode.Product product = (TileNode.Product) first.node();
        boolean alike = products.size() <= 2 && (products.size() == 1 || !byThreads(product.a().type()))
                && products.stream().allMatch(tile -> tile.type() == first.type()
                && isOfLeft(((TileNode.Product) tile.node()).a(), products, Factor.of(product.a()).orElseThrow())
                && extents.apply(tile).equals(extents.apply(first)))
                && right.stream().allMatch(other -> other.type() == b.type() && other.exchanged() == b.exchanged());
        return alike ? Optional.empty() : Optional.of("products of a turn are two at most, of one left factor and of "
                + "right factors of one type and order");
    }

    /** Why totals and a turn's sums do not both fit registers; nothing where they do. */
    private static Optional<String> whyNotPromoted(Promotion promotion, TileNode.Product product,
            Function<Tile, List<Integer>> extents) {
        List<Integer> sums = extents.apply(promotion.product());
        if (byThreads(product.a().type()) || product.c().type() != ValueType.F32
                || promotion.next().type() != ValueType.F32 || !extents.apply(promotion.next()).equals(sums)) {
            return Optional.of("a turn's sums are taken to others, and both are to be of f32 from tensor cores");
        }
        return sums.get(1) <= MOST_PROMOTED ? Optional.empty() : Optional.of("sums of " + sums.get(1)
                + " columns that are taken to others leave no registers for both: " + MOST_PROMOTED + " do");
    }

    private static boolean uses(Region.Item item, Tile tile) {
        return item instanceof Tile other && other.node().inputs().contains(tile)
                || item instanceof Region.Store store && store.tile() == tile;
    }

    static Match none(String reason) {
        return new Match(Optional.empty(), reason);
    }

    /** Sums of a group of four warps. */
    private static int sumsOfGroup(ValueType factor) {
        return factor == ValueType.F32 ? THREADS * FmaSums.ROWS * FmaSums.COLUMNS
                : THREADS / 32 * DmmaSums.WARP_ROWS * DmmaSums.WARP_COLUMNS;
    }

    /** Whether threads multiply factors of a type that they read from shared memory. */
    static boolean byThreads(ValueType factor) {
        return factor == ValueType.F32 || factor == ValueType.F64;
    }

    private static Optional<String> types(TileNode.Product product, MatrixArithmetic whose) {
        ValueType a = product.a().type();
        ValueType sums = product.c().type();
        if (sums == ValueType.F16) {
            return Optional.of("factors of " + a + " with sums of " + sums + " go by other instructions");
        }
        return a.isFloat() && a.bits() == 8 && !Multiplier.byWarpgroups(a, whose) ? Optional.of("products of " + a
                + " are to have the bits of " + whose + ", and those of wgmma are others") : Optional.empty();
    }

    private static Optional<String> sizes(ValueType type, List<Integer> sums, int k) {
        int m = sums.get(0);
        int n = sums.get(1);
        if (byThreads(type)) {
            int least = type == ValueType.F32 ? 8 : 16;
            int columns = type == ValueType.F32 ? ROWS : DmmaSums.WARP_COLUMNS;
            int each = sumsOfGroup(type);
            return Integer.bitCount(m) == 1 && Integer.bitCount(n) == 1 && m >= ROWS && n >= columns && m <= 256
                    && n <= 256 && (m * n == each || m * n == 2 * each) && k >= least && k <= 128
                    && Integer.bitCount(k) == 1 ? Optional.empty()
                    : Optional.of("threads that read " + type + " where the copy engine puts it hold " + each + " or "
                            + 2 * each + " sums in 64 rows or more and " + columns + " columns or more, up to 256, and "
                            + "take " + least + " to 128 along k, as powers of two, and these are " + m + " x " + n
                            + " by " + k);
        }
        if (m != ROWS && m != 2 * ROWS && m != 4 * ROWS) {
            return Optional.of("wgmma takes 64, 128 or 256 rows, and the tile has " + m);
        }
        if (Integer.bitCount(n) != 1 || n < 16 || (long) m * n > (long) MOST_SUMS * THREADS * Math.min(2, m / ROWS)) {
            return Optional.of("sums of " + m + " x " + n + " do not fit two groups of four warps, which have 64 rows "
                    + "or more each, as powers of two");
        }
        int least = 32 / type.bytes();
        return k >= least && k <= 256 && Integer.bitCount(k) == 1 ? Optional.empty()
                : Optional.of("a step of " + k + " along k is no power of two from " + least + " to 256");
    }

    /** This, with another number of groups, or why they cannot share the rows. */
    Match withGroups(int number, String reason) {
        if (byThreads()) {
            return number == groups ? new Match(Optional.of(this), reason) : none("sums of " + sums.get(0) + " x "
                    + sums.get(1) + " of " + product.c().type() + " are for " + groups + " groups of four "
                    + "warps, not " + number);
        }
        int most = sums.get(0) / ROWS;
        int each = sums.get(0) * sums.get(1) * products() / THREADS / number;
        if (each > MOST_SUMS) {
            return none(number + (number == 1 ? " group" : " groups") + " of four warps would hold " + each + " sums "
                    + "a thread, and one has room for " + MOST_SUMS);
        }
        return number <= most && Integer.bitCount(number) == 1
                ? new Match(Optional.of(new ProductPattern(loop, product, promotion, sums, a, b, more, number, steps,
                boxed, cluster)), reason)
                : none(number + " groups of four warps do not share " + sums.get(0) + " rows of sums: one takes 64, "
                        + "128 or 256");
    }

    /** This, whose stages have this many of the kernel's steps along k, or why they cannot. */
    Match withSteps(int number, String reason) {
        int depth = number * a.k();
        if (number > 1 && promotion.isPresent()) {
            return none("stages of " + number + " steps along k are for products that are added to a carried tile");
        }
        if (number > 1 && !nest().isOne()) {
            return none("stages of " + number + " steps are for a single loop along k, and these are nested loops");
        }
        if (number > 1 && !operands().stream().allMatch(this::follows)) {
            return none("stages of " + number + " steps are for steps along k that follow each other");
        }
        if (number > 1 && depth > MOST_DEPTH) {
            return none("stages of " + number + " steps along k have " + MOST_DEPTH + " elements at most, not "
                    + depth);
        }
        return new Match(Optional.of(new ProductPattern(loop, product, promotion, sums, a.deep(number),
                b.deep(number), more.stream().map(other -> other.deep(number)).toList(), groups, number, boxed,
                cluster)), reason);
    }

    /** Whether a turn of a single loop has what lies behind the last turn's along k. */
    private boolean follows(Operand operand) {
        List<Axis> axes = operand.load().axes();
        Alike alike = new Alike(loop.turn());
        Expr step = loop.turn().toS64().times(operand.k());
        return IntStream.range(0, axes.size()).allMatch(i -> i == operand.along() ? axes.get(i) instanceof Span span
                && (span.start().equals(step) || span.start() instanceof Expr.Binary sum && sum.op() == Expr.Op.ADD
                && (sum.left().equals(step) && !alike.has(sum.right())
                || sum.right().equals(step) && !alike.has(sum.left()))) : alike.places(axes.get(i)));
    }

    /** This, whose copies bring this many rows of A, or why they cannot. */
    Match withRows(TileKernel kernel, int number, String reason) {
        Optional<String> problem = Integer.bitCount(number) != 1 || number < Operand.SWIZZLED_ROWS || number > a.mn()
                ? Optional.of("copies bring 8, 16, … " + a.mn() + " rows of a tile, not " + number)
                : FewRows.whyNot(kernel, a);
        return problem.map(ProductPattern::none).orElseGet(() -> new Match(Optional.of(new ProductPattern(loop, product,
                promotion, sums, a.bringing(number), b, more, groups, steps, boxed, cluster)), reason));
    }

    /** This, whose blocks go through neighbouring tiles in clusters, or why they cannot. */
    Match withCluster(Grid grid, ProductCluster cluster, String reason) {
        if (cluster.isAlone()) {
            return new Match(Optional.of(this), reason);
        }
        if (grid.steps().size() < 2) {
            return none("clusters of " + cluster + " tiles are for grids of two or more dimensions");
        }
        if (a.brought() < a.mn()) {
            return none("copies that bring " + a.brought() + " rows of a tile are for blocks without a cluster");
        }
        boolean left = cluster.isCommon(grid, a);
        boolean right = cluster.isCommon(grid, b);
        if (!left && !right) {
            return none("tiles of a cluster of " + cluster + " have no factor in common");
        }
        Optional<Region.Store> within = grid.body().stores().filter(store -> !cluster.leaves(grid, store)).findFirst();
        if (within.isPresent()) {
            return none("a cluster of " + cluster + " tiles takes one beyond the last where their number is odd, and "
                    + "what that stores may lie within '" + within.get().tensor().name() + "'");
        }
        Optional<Operand> ofLeft = left ? a.sharedBy(cluster.blocks()) : Optional.of(a);
        Optional<Operand> ofRight = right ? b.sharedBy(cluster.blocks()) : Optional.of(b);
        List<Operand> others = more.stream().flatMap(other -> (right ? other.sharedBy(cluster.blocks())
                : Optional.of(other)).stream()).toList();
        if (ofLeft.isEmpty() || ofRight.isEmpty() || others.size() < more.size()) {
            return none((ofLeft.isEmpty() ? "the left" : "the right") + " factor of a tile has no " + cluster.blocks()
                    + " parts for the copies of a cluster");
        }
        return new Match(Optional.of(new ProductPattern(loop, product, promotion, sums, ofLeft.get(),
                ofRight.get(), others, groups, steps, boxed, cluster)), reason);
    }

    /** The loop, and what it runs. */
    ProductNest nest() {
        return ProductNest.of(loop);
    }

    /** Whether one block of 64 rows may be taken to its totals while another is multiplied. */
    boolean hasRoomForTwoParts() {
        return (blocks() + 2) * registers() <= MOST_OF_BOTH;
    }

    /** How many products a turn adds, each to sums of its own. */
    int products() {
        return 1 + more.size();
    }

    /** Right factors of all products. */
    List<Operand> right() {
        return Stream.concat(Stream.of(b), more.stream()).toList();
    }

    /** Factors of all products. */
    List<Operand> operands() {
        return Stream.concat(Stream.of(a), right().stream()).toList();
    }

    /** Of which tensors copies may go ahead of the launch in front. */
    Tensor[] ahead() {
        return operands().stream().map(operand -> operand.load().tensor()).toArray(Tensor[]::new);
    }

    /** Blocks of 64 rows that a group has. */
    int blocks() {
        return sums.get(0) / ROWS / groups;
    }

    /** Registers of a thread for the sums of one block of 64 rows. */
    int registers() {
        return sums.get(1) / 2;
    }

    /** Sums that a thread has. */
    int ofThread() {
        return sums.get(0) * sums.get(1) / (THREADS * groups);
    }

    /** Whether threads multiply f32 by fused multiply-adds. */
    boolean isFused() {
        return product.a().type() == ValueType.F32;
    }

    /** Whether threads read factors from shared memory into registers. */
    boolean byThreads() {
        return byThreads(product.a().type());
    }

    /** How sums of f64 are held. */
    DmmaSums dmmaSums() {
        return new DmmaSums(Layout.bitsOf(sums.get(0)), Layout.bitsOf(sums.get(1)), !a.transposed(), !b.transposed());
    }

    /** How the sums are held. */
    Layout layout() {
        if (product.a().type() == ValueType.F64) {
            return dmmaSums().layout();
        }
        if (isFused()) {
            return new FmaSums(Layout.bitsOf(sums.get(0)), Layout.bitsOf(sums.get(1)), !a.transposed(),
                    !b.transposed()).layout();
        }
        WgmmaSums sums = new WgmmaSums(Layout.bitsOf(this.sums.get(0)), Layout.bitsOf(this.sums.get(1)),
                Layout.bitsOf(groups()), 0);
        return sums.layout(WgmmaSums.GROUP + sums.down());
    }
}

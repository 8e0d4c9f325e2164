package dev.tilewright.tile;

import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/** A kernel while its lambda runs: where tiles and stores are written down. */
final class Trace {
    private static final int LONGEST_NAME = 40;
    /** Whose lambda runs: of several, one within the other, the innermost. */
    private static final ScopedValue<Trace> INNERMOST = ScopedValue.newInstance();

    private final Deque<Region> open = new ArrayDeque<>();
    /** What each tensor is stored at places of its own, under no condition. */
    private final Map<Tensor, List<Region.Store>> placed = new HashMap<>();
    private final Map<Integer, Expr.Var> numbers = new HashMap<>();
    private final String kernel;
    private final TraceRules rules;
    /** Loads of which the kernel says what an element outside is; two that are equal may differ in that. */
    private final Set<TileNode.Load> sayingOutside = Collections.newSetFromMap(new IdentityHashMap<>());
    private Grid grid;
    private int tiles;
    private int variables;
    /** How many conditions are around what is traced. */
    private int conditions;

    /** @param dims the kernel's, by name, as far as there are any @param scalars likewise */
    Trace(String kernel, Map<String, Dim> dims, Map<String, Parameter.Scalar> scalars) {
        this.kernel = kernel;
        this.rules = new TraceRules(dims, scalars, numbers);
    }

    TraceRules rules() {
        return rules;
    }

    Tile add(ValueType type, List<Dim> shape, TileNode node) {
        node.inputs().forEach(this::requireVisible);
        rules.requireShape(shape);
        rules.require(node);
        Tile tile = new Tile(this, tiles++, type, List.copyOf(shape), node, region(), UserLine.here());
        region().add(tile);
        return tile;
    }

    /** The kernel says what an element outside is. */
    void saysOutside(TileNode.Load load) {
        sayingOutside.add(load);
    }

    boolean isOutsideSaid(TileNode.Load load) {
        return sayingOutside.contains(load);
    }

    /** What stands for a value that a loop carries: no item of its own. */
    Tile carried(Tile like, String name, Region body) {
        return new Tile(this, tiles++, like.type(), like.shape(), new TileNode.Carried(name), body,
                UserLine.here());
    }

    void add(Region.Item item) {
        if (item instanceof Region.Store store) {
            requireVisible(store.tile());
            rules.requirePlaces(store.axes());
            store.axes().stream().filter(Axis.Rows.class::isInstance)
                    .forEach(axis -> requireVisible(((Axis.Rows) axis).numbers()));
            if (conditions == 0 && !(store.axes().getFirst() instanceof Axis.Rows)) {
                Neighbours.requireApart(grid, store);
                List<Region.Store> before = placed.computeIfAbsent(store.tensor(), _ -> new ArrayList<>());
                Neighbours.requireAlike(grid, before, store);
                before.add(store);
            }
        }
        region().add(item);
    }

    /** The number of a tile or of a turn along a dimension, named after it. */
    Expr.Var variable(String prefix, Dim dim) {
        String name = prefix + dim.name().replaceAll("\\W+", "_");
        return new Expr.Var(name.substring(0, Math.min(name.length(), LONGEST_NAME)), IntType.S64, variables++);
    }

    int variables() {
        return variables;
    }

    /** What happens in each turn of a loop, whose number is known there alone. */
    <T> T turns(Region region, Expr.Var turn, Supplier<T> code) {
        numbers.put(turn.number(), turn);
        try {
            return within(region, code);
        } finally {
            numbers.remove(turn.number());
        }
    }

    /** What happens within; the region is open while the code runs. */
    private <T> T within(Region region, Supplier<T> code) {
        open.push(region);
        try {
            return code.get();
        } finally {
            open.pop();
        }
    }

    /** What happens for each tile. */
    void tiles(Grid of, Runnable code) {
        grid = of;
        of.numbers().forEach(number -> numbers.put(number.number(), number));
        within(of.body(), code);
    }

    /** What happens where a condition holds. */
    void conditional(Region region, Runnable code) {
        conditions++;
        region.conditional();
        within(region, code);
        conditions--;
    }

    private void within(Region region, Runnable code) {
        within(region, () -> {
            code.run();
            return null;
        });
    }

    /** Numbers by which rows are scattered. */
    Tile rowNumbers(Tile numbers) {
        requireVisible(numbers);
        return new RowNumbers(this, grid).of(numbers);
    }

    Region inner() {
        return new Region(region());
    }

    Region region() {
        Region region = open.peek();
        if (region == null) {
            throw new IllegalStateException("kernel '" + kernel + "': tiles are made within forEachTile or "
                    + "forEachRow, while the kernel is traced");
        }
        return region;
    }

    /** Runs a kernel's lambda. */
    void traced(Runnable body) {
        ScopedValue.where(INNERMOST, this).run(body);
    }

    /** @throws IllegalArgumentException if all of the kernel has been traced, or another within it is */
    void requireOpen(String tensor) {
        boolean ended = grid != null && open.isEmpty();
        if (ended || INNERMOST.isBound() && INNERMOST.get() != this) {
            throw new IllegalArgumentException("tensor '" + tensor + "' belongs to kernel '" + kernel + "', "
                    + (ended ? "whose tiles have been gone through" : "within which '" + INNERMOST.get().kernel
                    + "' is traced") + ": use a tensor of the kernel that is traced, within its forEachTile or "
                    + "forEachRow");
        }
    }

    void requireVisible(Tile tile) {
        if (tile.trace() != this) {
            throw new IllegalArgumentException("tile " + tile + " belongs to another kernel than '" + kernel + "'");
        }
        if (!region().sees(tile.region())) {
            throw new IllegalArgumentException("tile " + tile + " was made in a "
                    + (tile.region().endsWithCondition(region()) ? "condition that has ended: store it within, or "
                            + "select elements with choose"
                            : "loop that has ended: return it from the body of fold, which carries it"));
        }
    }

    Tile full(Value value, List<Dim> shape) {
        if (!(value instanceof Value.Const || value instanceof Value.Index || value instanceof Value.Scalar)) {
            throw new IllegalArgumentException("a tile is filled with a constant, a scalar or an index expression, and "
                    + "not with a value computed from one: fill a tile with it, and compute with that tile, such as "
                    + "full(…).to(" + value.type().name() + ")");
        }
        return add(value.type(), shape, new TileNode.Full(value));
    }

    /** The tile at every place of a larger shape. */
    Tile broadcast(Tile tile, List<Dim> shape) {
        return broadcast(tile, shape, "");
    }

    /** @param of what has the shape, for the message: {@code " of tensor 'y'"}, or nothing */
    Tile broadcast(Tile tile, List<Dim> shape, String of) {
        if (tile.shape().equals(shape)) {
            requireVisible(tile);
            return tile;
        }
        if (!Shapes.fits(tile.shape(), shape)) {
            throw new IllegalArgumentException("a tile of shape " + Tensor.shown(tile.shape()) + " does not fill "
                    + Tensor.shown(shape) + of + ": its extents must be those, or 1"
                    + (tile.shape().size() > shape.size()
                            ? ", and its axes at most " + shape.size() + " (a step of 1, as a single place, has none: "
                            + "use kept(), reshaped(…) or slices)" : ""));
        }
        return add(tile.type(), shape, new TileNode.Broadcast(tile));
    }

    /** Leaves out tiles that nothing stores, and says of each other how often it is used. */
    static void prune(Region region) {
        new Uses().of(region);
    }

    private static final class Uses {
        private final java.util.Set<Object> used = java.util.Collections.newSetFromMap(
                new java.util.IdentityHashMap<>());

        private void of(Region region) {
            List<Region.Item> kept = new ArrayList<>();
            for (Region.Item item : region.items().reversed()) {
                boolean keeps = switch (item) {
                    case Tile tile -> used.contains(tile);
                    case Region.Store store -> {
                        used.add(store.tile());
                        store.axes().stream().filter(Axis.Rows.class::isInstance)
                                .forEach(axis -> used.add(((Axis.Rows) axis).numbers()));
                        yield true;
                    }
                    case Region.When when -> {
                        of(when.then());
                        yield !when.then().items().isEmpty();
                    }
                    case TileNode.Loop loop -> {
                        boolean wanted = used.contains(loop) || loop.body().stores().findAny().isPresent();
                        if (wanted) {
                            used.addAll(loop.next());
                            of(loop.body());
                            used.addAll(loop.initial());
                        }
                        yield wanted;
                    }
                };
                if (keeps) {
                    kept.add(item);
                    if (item instanceof Tile tile) {
                        used.addAll(tile.node().inputs());
                        if (tile.node() instanceof TileNode.Result(TileNode.Loop loop, int _)) {
                            used.add(loop);
                        }
                    }
                }
            }
            region.keep(kept.reversed());
        }
    }
}

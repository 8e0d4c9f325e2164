package dev.tilewright.tile.lower;

import dev.tilewright.program.Body;
import dev.tilewright.program.JavaLine;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.expression.ValueRewrite;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.MatrixArithmetic;
import dev.tilewright.tile.Region;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.TileNode;
import dev.tilewright.tile.lower.analysis.Indexes;
import dev.tilewright.tile.lower.analysis.TileOrder;
import dev.tilewright.tile.lower.analysis.Turned;
import dev.tilewright.tile.lower.analysis.Uses;
import dev.tilewright.tile.lower.analysis.Window;
import dev.tilewright.tile.lower.exchange.Exchange;
import dev.tilewright.tile.lower.exchange.Reducer;
import dev.tilewright.tile.lower.exchange.Scanner;
import dev.tilewright.tile.lower.layout.Elementwise;
import dev.tilewright.tile.lower.layout.Held;
import dev.tilewright.tile.lower.layout.Layout;
import dev.tilewright.tile.lower.layout.Layouts;
import dev.tilewright.tile.lower.layout.Linear;
import dev.tilewright.tile.lower.layout.Places;
import dev.tilewright.tile.lower.layout.Registers;
import dev.tilewright.tile.lower.layout.Team;
import dev.tilewright.tile.lower.layout.Vectors;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Writes the steps by which a team of threads computes a tile: it holds tiles in registers. */
final class TileSteps {
    final TileKernel kernel;
    final Map<String, Long> known;
    final MatrixArithmetic whose;
    final Team team;
    final Vectors vectors;
    final Mechanisms mechanisms;
    final Map<Integer, Expr> variables = new HashMap<>();
    final Indexes indexes;
    final Map<Tile, Held> held = new HashMap<>();
    final Map<Tile, Elementwise> later = new HashMap<>();
    /** Of tiles that blocks go through exactly. */
    final Map<Expr, Dim> numbers = new HashMap<>();
    final Uses uses;
    final Set<Tensor> direct = new LinkedHashSet<>();
    final Exchange exchange;
    final TileOrder order;
    private final Map<Tile, Integer> turned;
    private final boolean reduces;
    /** Of a region that is written, by their tiles. */
    final Map<Tile, Window> windows = new HashMap<>();
    private final Map<Window, Register> around = new HashMap<>();
    final GridSteps grid = new GridSteps(this);
    final LoopSteps loops = new LoopSteps(this);
    final FunctionSteps functions = new FunctionSteps(this);
    private final StoreSteps stores = new StoreSteps(this);

    /** @param whose products of matrices */
    TileSteps(TileKernel kernel, Map<String, Long> known, MatrixArithmetic whose, Exchange exchange, Vectors vectors,
            Mechanisms mechanisms) {
        this.whose = whose;
        this.vectors = vectors;
        this.mechanisms = mechanisms;
        this.kernel = kernel;
        this.known = known;
        this.team = exchange.team();
        this.exchange = exchange;
        this.order = new TileOrder(kernel);
        this.indexes = new Indexes(variables, known);
        this.uses = new Uses(kernel);
        this.reduces = kernel.grid().body().tiles().anyMatch(tile -> tile.node() instanceof TileNode.Reduce
                || tile.node() instanceof TileNode.Extreme);
        this.turned = Turned.of(kernel.grid().body());
    }

    Indexes indexes() {
        return indexes;
    }

    /** Tiles in registers, and tiles that are computed where they are used. */
    Map<Tile, Elementwise> tiles() {
        Map<Tile, Elementwise> tiles = new HashMap<>(later);
        held.forEach((tile, as) -> tiles.put(tile, Elementwise.of(as)));
        return tiles;
    }

    Held as(Body body, Held tile, Layout layout) {
        return exchange.as(body, tile, layout);
    }

    void region(Body body, Region region) {
        Optional<Fusion> fusion = mechanisms.fusion(region);
        if (fusion.isEmpty() && team.blockBits() == 0) {
            windows.putAll(Window.of(region, team.bits(), this::extents));
        }
        boolean outermost = region == kernel.grid().body();
        for (Region.Item item : region.items()) {
            if (outermost) {
                mechanisms.before(body, item);
            }
            item(line(item).flatMap(JavaLine::parse).map(body::from).orElse(body), region, item, fusion);
        }
    }

    /** Where the application says it. */
    private static Optional<String> line(Region.Item item) {
        return switch (item) {
            case Tile tile -> Optional.of(tile.line());
            case Region.Store store -> Optional.of(store.line());
            case TileNode.Loop loop -> loop.carried().stream().findFirst().map(Tile::line);
            case Region.When _ -> Optional.empty();
        };
    }

    private void item(Body body, Region region, Region.Item item, Optional<Fusion> fusion) {
        switch (item) {
            case Tile tile when fusion.isPresent() -> {
                if (!fusion.get().takes(tile, extents(tile)) && !(tile.node() instanceof TileNode.Result)) {
                    held.put(tile, node(body, tile));
                }
            }
            case Tile tile -> item(body, tile);
            case Region.Store store -> stores.store(body, store, fusion.filter(f -> f.has(store.tile())));
            case Region.When when -> {
                body.when(indexes.of(when.condition()), b -> region(b, when.then()));
                exchange.unknown();
            }
            case TileNode.Loop loop -> {
                loops.loop(body, loop, region);
                exchange.unknown();
            }
        }
    }

    /** A tile as it comes about, unless it is what a loop leaves. */
    void item(Body body, Tile tile) {
        if (windows.containsKey(tile)) {
            inWindow(body, tile, windows.get(tile));
        } else if (tile.node() instanceof TileNode.Map && uses.isLater(tile)) {
            later(body, tile);
        } else if (!(tile.node() instanceof TileNode.Result) && !uses.begins(tile)) {
            held.put(tile, node(body, tile));
        }
    }

    /** A tile that is part of what a thread has loaded with what surrounds it. */
    private void inWindow(Body body, Tile tile, Window window) {
        Register all = around.computeIfAbsent(window, w -> {
            Register loaded = body.registers("window", tile.type(), w.registers());
            access(body).load(w, loaded, extents(tile));
            return loaded;
        });
        later.put(tile, new Elementwise(tile.type(), window.layout(), extents(tile), true, (_, r) -> all.at(
                window.of(tile, r))));
    }

    /** Has a function's elements computed where they are used. */
    void later(Body body, Tile tile) {
        held.remove(tile);
        later.put(tile, functions.function(body, tile, (TileNode.Map) tile.node()));
    }

    /** Has places computed where they are used. */
    void later(Body body, Tile tile, TileNode.Iota iota, Layout layout) {
        held.remove(tile);
        later.put(tile, places(body, tile, iota.span(), layout));
    }

    private Elementwise places(Body body, Tile tile, Span span, Layout layout) {
        Expr start = body.let("start", indexes.of(span.start()));
        Places places = new Places(body, layout);
        return new Elementwise(tile.type(), layout, extents(tile), true, (_, r) -> start.plus(places.at(0, r).toS64()
                .times(span.step())).toValue());
    }

    /** A tile in registers; where it was to be computed later, it is computed now. */
    Held get(Body body, Tile tile) {
        Held have = held.get(tile);
        if (have == null) {
            have = later.containsKey(tile) ? functions.assigned(body, tile, later.get(tile)) : node(body, tile);
            held.put(tile, have);
        }
        return have;
    }

    /** A tile's elements: in registers, or computed where they are used. */
    Elementwise of(Body body, Tile tile) {
        return later.containsKey(tile) && !held.containsKey(tile) ? later.get(tile) : Elementwise.of(get(body, tile));
    }

    void put(Tile tile, Held as) {
        functions.forget(tile);
        held.put(tile, as);
    }

    Held broadcast(Body body, Held from, Layout layout, List<Integer> extents) {
        return exchange.broadcast(body, from, layout, extents);
    }

    /** The function of a map's elements. @param elements values by parameters */
    Value value(TileNode.Map map, Map<Value, Value> elements) {
        return ValueRewrite.of(map.value(), part -> part instanceof Value.Index ? Optional.of(indexes.of(part))
                : Optional.ofNullable(elements.get(part)));
    }

    /** The numbers of rows, as a tile that is held needs them along its first axis. */
    private Held rows(Body body, Tile numbers, Layout layout) {
        return exchange.as(body, get(body, numbers), layout);
    }

    List<Integer> extents(Tile tile) {
        return extents(tile, indexes);
    }

    /** @throws IllegalArgumentException if an extent of a tile is not known */
    static List<Integer> extents(Tile tile, Indexes indexes) {
        return tile.shape().stream().map(dim -> Math.toIntExact(indexes.of(dim.value()).constant().orElseThrow(() ->
                new IllegalArgumentException("tile " + tile + " has extent '" + dim + "', which must be known when the "
                        + "kernel is lowered")))).toList();
    }

    Held node(Body body, Tile tile) {
        List<Integer> extents = extents(tile);
        return switch (tile.node()) {
            case TileNode.Full(Value value) -> {
                Held out = Registers.held(body, Held.name(tile), tile.type(), begun(tile, extents).orElseGet(() ->
                        layout(extents)), extents);
                Registers.each(body, out.layout().registerCount(), (b, r) -> b.assign(out.register().at(r),
                        indexes.of(value)));
                yield out;
            }
            case TileNode.Iota(var span) -> {
                Held out = made(body, tile, extents);
                Elementwise places = places(body, tile, span, out.layout());
                Registers.each(body, out.layout().registerCount(), (b, r) -> b.assign(out.register().at(r),
                        places.at(b, r)));
                yield out;
            }
            case TileNode.Load load -> {
                boolean square = turned.containsKey(tile) && team.blockBits() == 0;
                Layout layout = square ? Layouts.square(extents, turned.get(tile), team.bits(),
                        vectors.bits(kernel.tensors())) : layout(extents);
                Held out = Registers.held(body, Held.name(tile), tile.type(), layout, extents);
                mechanisms.ahead().filter(ahead -> ahead.tile() == tile).ifPresentOrElse(ahead ->
                        grid.take(body, ahead, out), () -> access(body).load(load, out));
                yield out;
            }
            case TileNode.Map map -> functions.assigned(body, tile, functions.function(body, tile, map));
            case TileNode.Reduce(Tile of, int axis, var reduction) -> {
                Elementwise elements = forReduction(body, of, axis);
                yield new Reducer(body, exchange).reduce(elements, functions.halves(of, elements), axis, reduction);
            }
            case TileNode.Transpose(Tile of, List<Integer> order) -> get(body, of).transposed(order);
            case TileNode.Broadcast(Tile of) -> exchange.broadcast(body, get(body, of), layout(extents), extents);
            case TileNode.LookUp(Tile table, Tile numbers) -> lookedUp(body, get(body, table), get(body, numbers));
            case TileNode.Reshape(Tile of) -> reshaped(body, get(body, of), extents);
            case TileNode.Slice(Tile of, int axis, long first, Value.Const outside) -> exchange.slice(body,
                    get(body, of), layout(extents), extents, axis, first, outside);
            case TileNode.Scan(Tile of, int axis, var reduction) -> new Scanner(body, exchange)
                    .scan(get(body, of), axis, reduction);
            case TileNode.Extreme(Tile of, int axis, boolean greatest) -> new Reducer(body, exchange)
                    .extreme(forReduction(body, of, axis), axis, greatest);
            case TileNode.Product(Tile c, Tile a, Tile b) -> new Multiplier(body, exchange, whose)
                    .product(get(body, c), get(body, a), get(body, b));
            case TileNode.Carried _, TileNode.Result _ -> throw new AssertionError(tile);
        };
    }

    /**
     * In another shape: where all extents are powers of two nothing moves, unless threads hold more than the tile has,
     * as those of a product of few rows do.
     */
    private Held reshaped(Body body, Held from, List<Integer> extents) {
        boolean relabels = from.layout().bits().equals(Layouts.bits(from.extents()))
                && Stream.concat(from.extents().stream(), extents.stream()).allMatch(e -> Integer.bitCount(e) == 1);
        return relabels ? new Held(from.register(), from.layout().reshaped(Layouts.bits(extents)), extents)
                : exchange.reshaped(body, from, layout(extents), extents);
    }

    /** Each thread reads the elements of a table in shared memory that its own numbers name. */
    private Held lookedUp(Body body, Held table, Held numbers) {
        return exchange.read(body, table, numbers.layout(), numbers.extents(), (_, r) -> {
            Value number = numbers.register().at(r);
            return new Exchange.Place(number.to(ValueType.I32).toIndex(), number.atLeast(Value.of(number.type(), 0))
                    .and(number.lessThan(table.extents().getFirst())).toIndex());
        }, (Value.Const) Value.ofBits(table.type(), 0));
    }

    TensorAccess access(Body body) {
        return new TensorAccess(body, indexes, this::rows, direct, vectors, numbers);
    }

    /** Tensors that threads read and write themselves. */
    Set<Tensor> direct() {
        return direct;
    }

    Layout layout(List<Integer> extents) {
        return team.blockBits() != 0 ? Layouts.shared(extents, team, side(extents))
                : mechanisms.layout(extents).orElseGet(() -> Layouts.blocked(extents, team.bits(), side(extents)));
    }

    /** Bits of a place that a thread holds side by side: so few that it has whole accumulators of what is reduced. */
    private int side(List<Integer> extents) {
        int side = vectors.bits(kernel.tensors());
        boolean laps = reduces && !extents.isEmpty() && Layout.bitsOf(extents.getLast()) > Reducer.LAPS;
        return laps ? Math.clamp(Reducer.LAPS - team.bits(), 0, side) : side;
    }

    /** As a product wants its sums, of a tile that they begin with. */
    private Optional<Layout> begun(Tile tile, List<Integer> extents) {
        return team.blockBits() != 0 ? Optional.empty() : kernel.grid().body().tiles().flatMap(other ->
                other.node() instanceof TileNode.Product(Tile c, Tile a, Tile _) && c == tile ? Stream.of(a)
                : Stream.empty()).findFirst().flatMap(a -> Multiplier.sums(a.type(), extents, whose, team.bits()));
    }

    private Held made(Body body, Tile tile, List<Integer> extents) {
        return Registers.held(body, Held.name(tile), tile.type(), layout(extents), extents);
    }

    /** A tile as the elements of its accumulators are taken together; held, if one condition makes all quicker. */
    private Elementwise forReduction(Body body, Tile tile, int axis) {
        Elementwise some = of(body, tile);
        Elementwise elements = some.quick().flatMap(Elementwise.Quicker::ofAll).isPresent()
                ? Elementwise.of(get(body, tile)) : some;
        return Reducer.layout(elements.layout(), axis).map(layout -> Elementwise.of(exchange.as(body, get(body, tile),
                layout))).orElse(elements);
    }

    /** How a thread holds what is repeated to be held so. @param extents before it is repeated */
    private static Layout repeated(Layout layout, List<Integer> extents) {
        Layout own = layout;
        while (own.bits().size() > extents.size()) {
            own = own.without(0).dropped(0);
        }
        for (int axis = 0; axis < extents.size(); axis++) {
            own = extents.get(axis) == 1 ? own.without(axis) : own;
        }
        return own;
    }

    /** A tile's elements, repeated where that takes it, as a layout has them. */
    Elementwise as(Body body, Tile tile, Layout layout, List<Integer> extents) {
        Elementwise elements = of(body, tile);
        if (elements.layout().equals(layout) && elements.extents().equals(extents)) {
            return elements;
        }
        Optional<List<Integer>> repeats = new Held(null, elements.layout(), elements.extents()).images(layout, extents);
        if (elements.later() && repeats.isPresent()) {
            return new Elementwise(elements.type(), layout, extents, true, (b, r) -> elements.at(b, Linear.of(r,
                    repeats.get())));
        }
        Held all = get(body, tile);
        // What is repeated moves once, not as often as it is repeated.
        Held own = team.blockBits() == 0 && all.images(layout, extents).isEmpty()
                ? exchange.as(body, all, repeated(layout, all.extents())) : all;
        return own.images(layout, extents).map(images -> new Elementwise(own.type(), layout, extents, false,
                (_, r) -> own.register().at(Linear.of(r, images)))).orElseGet(() -> Elementwise.of(
                        exchange.broadcast(body, own, layout, extents)));
    }
}

package dev.tilewright.tile.lower;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.expression.ValueRewrite;
import dev.tilewright.program.value.BinaryOp;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Axis;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Grid;
import dev.tilewright.tile.MatrixArithmetic;
import dev.tilewright.tile.Region;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.TileNode;
import dev.tilewright.tile.Update;
import dev.tilewright.tile.lower.analysis.BelowGreatest;
import dev.tilewright.tile.lower.analysis.Quick;
import dev.tilewright.tile.lower.analysis.TileOrder;
import dev.tilewright.tile.lower.analysis.Turned;
import dev.tilewright.tile.lower.analysis.Uses;
import dev.tilewright.tile.lower.analysis.Window;
import dev.tilewright.tile.lower.layout.Coalescing;
import dev.tilewright.tile.lower.layout.Elementwise;
import dev.tilewright.tile.lower.layout.HalfPairs;
import dev.tilewright.tile.lower.layout.Held;
import dev.tilewright.tile.lower.layout.Layout;
import dev.tilewright.tile.lower.layout.Layouts;
import dev.tilewright.tile.lower.layout.Linear;
import dev.tilewright.tile.lower.layout.Places;
import dev.tilewright.tile.lower.layout.Registers;
import dev.tilewright.tile.lower.layout.Team;
import dev.tilewright.tile.lower.layout.Vectors;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Writes the steps by which a team of threads computes a tile: it holds tiles in registers. */
final class TileSteps {
    private final TileKernel kernel;
    private final Map<String, Long> known;
    private final MatrixArithmetic whose;
    private final Team team;
    private final Vectors vectors;
    private final Mechanisms mechanisms;
    private final Map<Integer, Expr> variables = new HashMap<>();
    private final Indexes indexes;
    private final Map<Tile, Held> held = new HashMap<>();
    private final Map<Tile, Elementwise> later = new HashMap<>();
    /** What says of tiles in registers that a thread's elements are between 2^-60 and 2^60. */
    private final Map<Tile, Value> moderate = new HashMap<>();
    /** Of tiles that blocks go through exactly. */
    private final Map<Expr, Dim> numbers = new HashMap<>();
    private final Uses uses;
    private final Set<Tensor> direct = new LinkedHashSet<>();
    private final Exchange exchange;
    private final TileOrder order;
    private final Map<Tile, Integer> turned;
    private final boolean reduces;
    /** Of a region that is written, by their tiles. */
    private final Map<Tile, Window> windows = new HashMap<>();
    private final Map<Window, Register> around = new HashMap<>();
    /** Tensors that a tile has been stored into. */
    private final Set<String> stored = new HashSet<>();
    private boolean inLoop;
    /** The tensor to which a loop adds; nothing outside of such loops. */
    private Tensor addingUp;
    private Turn now;

    /** Of a cluster that takes one tile after the other. @param more whether another one follows: the next */
    private record Turn(Expr number, Expr more, Expr next) { }

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

    void grid(Body body) {
        numbers.putAll(numbers(kernel.grid()));
        mechanisms.ahead().ifPresentOrElse(ahead -> turns(body, ahead), () -> {
            exchange.start(body, Expr.of(1));
            place(body, team.blockBits() == 0 ? Builtin.BLOCK : Builtin.BLOCK.dividedBy(team.blocks()));
            serial(body, order.serial());
        });
        exchange.end();
    }

    /** A cluster takes one tile after the other: as many clusters as there are take neighbouring ones. */
    private void turns(Body body, RowAhead ahead) {
        Expr tiles = kernel.grid().steps().stream().map(s -> indexes.of(s.count())).reduce(Expr::times)
                .orElse(Expr.of(1L)).toS64();
        Expr first = body.let("cluster", Builtin.BLOCK.dividedBy(team.blocks()).toS64());
        Expr clusters = body.let("clusters", Builtin.GRID.dividedBy(team.blocks()).toS64());
        Expr mine = body.purpose("how many tiles this cluster takes").let("tiles", tiles.minus(first).plus(clusters)
                .minus(1).dividedBy(clusters).as(IntType.S32));
        exchange.start(body, mine);
        ahead.start(body, at(body, first));
        body.loop("turn", mine, (b, turn) -> {
            exchange.turn(turn);
            Expr tile = b.let("tile", first.plus(turn.toS64().times(clusters)));
            place(b, tile);
            now = new Turn(turn, turn.plus(1).lessThan(mine), tile.plus(clusters));
            region(b, kernel.grid().body());
        });
    }

    /** Which of the tiles that may be computed in any order it is. */
    private void place(Body body, Expr tile) {
        variables.putAll(at(body, tile).variables());
    }

    /** @param tile its number; of 32 bits where the grid has it as a block, and no more tiles along any dimension */
    private Indexes at(Body body, Expr tile) {
        Grid grid = kernel.grid();
        Map<Integer, Expr> at = new HashMap<>();
        List<Integer> free = IntStream.range(0, grid.steps().size()).filter(i -> !order.serial().contains(i)).boxed()
                .toList();
        Expr rest = tile;
        for (int i : free.reversed()) {
            Expr number = rest;
            if (i != free.getFirst()) {
                Expr count = indexes.of(grid.steps().get(i).count()).as(tile.type());
                Expr before = body.let("rest", quotient(rest, count));
                number = rest.minus(before.times(count));
                rest = before;
            }
            at.put(grid.numbers().get(i).number(), body.let(grid.numbers().get(i).name(), number.toS64()));
        }
        return new Indexes(at, known);
    }

    /** A quotient; of 32 bits without a sign, as no number of tiles has one, and without a call of ptxas. */
    private static Expr quotient(Expr a, Expr b) {
        return a.type() == IntType.S64 ? a.dividedBy(b) : a.toValue().bitCast(ValueType.U32).dividedBy(b.toValue()
                .bitCast(ValueType.U32)).bitCast(ValueType.I32).toIndex();
    }

    /** The numbers of tiles that are those of places, each with its dimension. */
    static Map<Expr, Dim> numbers(Grid grid) {
        return IntStream.range(0, grid.steps().size()).filter(i -> grid.steps().get(i).length() == 1).boxed()
                .collect(Collectors.toMap(grid.numbers()::get, i -> grid.steps().get(i).dim()));
    }

    /** Goes through the numbers of what is left of the grid, in ascending order. */
    private void serial(Body body, List<Integer> dimensions) {
        if (dimensions.isEmpty()) {
            region(body, kernel.grid().body());
            return;
        }
        Expr.Var number = kernel.grid().numbers().get(dimensions.getFirst());
        body.loop(number.name(), Expr.of(0L), indexes.of(kernel.grid().steps().get(dimensions.getFirst()).count()),
                Expr.of(1L), (b, turn) -> {
                    exchange.unknown();
                    variables.put(number.number(), turn);
                    serial(b, dimensions.subList(1, dimensions.size()));
                });
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
            switch (item) {
                case Tile tile when fusion.isPresent() -> {
                    if (!fusion.get().takes(tile, extents(tile)) && !(tile.node() instanceof TileNode.Result)) {
                        held.put(tile, node(body, tile));
                    }
                }
                case Tile tile -> item(body, tile);
                case Region.Store store -> store(body, store, fusion.filter(f -> f.has(store.tile())));
                case Region.When when -> {
                    body.when(indexes.of(when.condition()), b -> region(b, when.then()));
                    exchange.unknown();
                }
                case TileNode.Loop loop -> {
                    loop(body, loop, region);
                    exchange.unknown();
                }
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
        later.put(tile, function(body, tile, (TileNode.Map) tile.node()));
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

    /** A function's elements in registers that may be those of an element that it is made of. */
    void assign(Body body, Tile tile, Held to) {
        function(body, tile, (TileNode.Map) tile.node()).use(body, (inner, some) -> Registers.each(inner,
                to.layout().registerCount(), (b, r) -> b.assign(to.register().at(r), some.at(b, r))));
    }

    private void store(Body body, Region.Store store, Optional<Fusion> fusion) {
        if (order.isOrdered(store)) {
            direct.add(store.tensor());
            new Scatter(body, exchange, indexes, team).store(store, get(body, store.tile()),
                    get(body, ((Axis.Rows) store.axes().getFirst()).numbers()));
            return;
        }
        if (Scatter.isOfSums(store, team)) {
            direct.add(store.tensor());
            Held tile = get(body, store.tile());
            Held numbers = exchange.as(body, get(body, ((Axis.Rows) store.axes().getFirst()).numbers()), tile.layout());
            Scatter scatter = new Scatter(body, exchange, indexes, team);
            boolean alone = addingUp == null;
            if (alone) {
                scatter.begin(store.tensor());
            }
            scatter.add(store, tile, numbers);
            if (alone) {
                scatter.end(store.tensor());
            }
            return;
        }
        fusion.ifPresent(f -> f.prepare(body, store.tile(), this));
        Elementwise tile = fusion.map(f -> f.of(store.tile(), this)).orElseGet(() -> of(body,
                store.tile()));
        // Other threads have loaded, or stored, what goes to the same places.
        boolean first = stored.add(store.tensor().name());
        if (team.blockBits() != 0 && !(order.hasPlacesOf(store) && tile.layout().equals(layout(tile.extents())))) {
            if (order.isLoaded(store.tensor()) || !first) {
                exchange.syncBlocks(body);
            }
        } else if (order.isLoaded(store.tensor()) || !first || inLoop) {
            team.sync(body);
        }
        if (!mechanisms.store(body, store, tile)) {
            alongRows(body, store, tile).use(body, (b, elements) -> access(b).store(store, elements,
                    store.update() == Update.SET && !windows.isEmpty()));
        }
    }

    /** The tile as memory takes it well: it may be exchanged between threads first. */
    private Elementwise alongRows(Body body, Region.Store store, Elementwise tile) {
        // Of a team that is a part of its block the shared memory has been given out; what all blocks have one stores.
        if (!team.whole() || team.blockBits() != 0) {
            return tile;
        }
        return Coalescing.of(store, tile.layout(), tile.extents(), vectors).filter(Coalescing::exchanged)
                .map(c -> Elementwise.of(exchange.computed(body, tile, c.layout()).orElseGet(() ->
                        exchange.as(body, get(body, store.tile()), c.layout())))).orElse(tile);
    }

    /** A tile in registers; where it was to be computed later, it is computed now. */
    Held get(Body body, Tile tile) {
        Held have = held.get(tile);
        if (have == null) {
            have = later.containsKey(tile) ? assigned(body, tile, later.get(tile)) : node(body, tile);
            held.put(tile, have);
        }
        return have;
    }

    /** A tile's elements: in registers, or computed where they are used. */
    Elementwise of(Body body, Tile tile) {
        return later.containsKey(tile) && !held.containsKey(tile) ? later.get(tile) : Elementwise.of(get(body, tile));
    }

    void put(Tile tile, Held as) {
        moderate.remove(tile);
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

    private void loop(Body body, TileNode.Loop loop, Region around) {
        results(around, loop, mechanisms.loop(body, loop, () -> loop.initial().stream().map(tile -> get(body, tile))
                .toList()).orElseGet(() -> addingUp(body, loop)));
    }

    /** What its turns add to a tensor is added up in shared memory. */
    private List<Held> addingUp(Body body, TileNode.Loop loop) {
        Optional<Tensor> sums = addingUp == null ? Scatter.sums(loop.body(), team).map(Region.Store::tensor)
                .filter(tensor -> !order.isLoaded(tensor)) : Optional.empty();
        sums.ifPresent(tensor -> {
            new Scatter(body, exchange, indexes, team).begin(tensor);
            addingUp = tensor;
        });
        List<Held> left = turns(body, loop);
        sums.ifPresent(tensor -> {
            new Scatter(body, exchange, indexes, team).end(tensor);
            addingUp = null;
        });
        return left;
    }

    /** What a loop leaves. */
    private List<Held> turns(Body body, TileNode.Loop loop) {
        List<Elementwise> starts = new ArrayList<>();
        List<Held> carried = new ArrayList<>();
        for (int i = 0; i < loop.carried().size(); i++) {
            starts.add(start(body, loop, i));
            carried.add(Registers.held(body, "carried", starts.get(i).type(), starts.get(i).layout(),
                    starts.get(i).extents()));
            held.put(loop.carried().get(i), carried.get(i));
        }
        Expr turns = indexes.of(loop.turns());
        Expr each = turns.plus(Expr.of(loop.parts() - 1L)).dividedBy(Expr.of((long) loop.parts()));
        if (loop.parts() == 1) {
            part(body, loop, starts, carried, Expr.of(0L), turns);
            return carried;
        }
        List<Held> sums = carried.stream().map(tile -> Registers.held(body, "sums", tile.type(), tile.layout(),
                tile.extents())).toList();
        body.purpose("one part after another").loop("part", loop.parts(), (b, part) -> {
            Expr first = each.times(part.toS64());
            part(b, loop, starts, carried, first, turns.min(first.plus(each)));
            b.when(part.isEqualTo(0), one -> copy(one, carried, sums), more -> add(more, carried, sums));
        });
        return sums;
    }

    /** What a loop begins with, held as what it carries is. */
    private Elementwise start(Body body, TileNode.Loop loop, int number) {
        Tile tile = loop.initial().get(number);
        List<Integer> extents = extents(tile);
        if (uses.begins(tile) && !held.containsKey(tile)) {
            Value value = indexes.of(((TileNode.Full) tile.node()).value());
            TileNode.Product product = (TileNode.Product) loop.next().get(number).node();
            return new Elementwise(tile.type(), Multiplier.sums(product.a().type(), extents, whose, team.bits())
                    .orElseGet(() -> layout(extents)), extents, true, (_, _) -> value);
        }
        Held first = get(body, tile);
        return Elementwise.of(exchange.as(body, first, Multiplier.carried(loop, number, first, whose, team.bits())));
    }

    /** The turns of a part, from what is carried into the loop on. */
    private void part(Body body, TileNode.Loop loop, List<Elementwise> starts, List<Held> carried, Expr first,
            Expr end) {
        for (int i = 0; i < starts.size(); i++) {
            Elementwise start = starts.get(i);
            Register to = carried.get(i).register();
            Registers.each(body, to.count(), (b, r) -> b.assign(to.at(r), start.at(b, r)));
        }
        if (mechanisms.turns(body, indexes, loop, carried, first, end)) {
            return;
        }
        body.loop("turn", first, end, Expr.of(1L), (b, turn) -> {
            exchange.unknown();
            variables.put(loop.turn().number(), turn);
            boolean around = inLoop;
            inLoop = true;
            region(b, loop.body());
            inLoop = around;
            next(b, loop, carried);
        });
    }

    /** Says what a loop of the kernel's own region leaves. */
    void results(TileNode.Loop loop, List<Held> left) {
        results(kernel.grid().body(), loop, left);
    }

    /** A tile in registers of a loop's own. */
    Held begin(Body body, Tile initial) {
        if (initial.node() instanceof TileNode.Full && !held.containsKey(initial)) {
            return node(body, initial);
        }
        Held first = get(body, initial);
        return copies(body, List.of(first)).getFirst();
    }

    private void results(Region around, TileNode.Loop loop, List<Held> left) {
        for (Region.Item item : around.items()) {
            if (item instanceof Tile tile && tile.node() instanceof TileNode.Result(TileNode.Loop of, int number)
                    && of == loop) {
                held.put(tile, left.get(number));
            }
        }
    }

    /** Hands on what a turn leaves: all at once, since one may be what another was. */
    private void next(Body body, TileNode.Loop loop, List<Held> carried) {
        List<Held> next = new ArrayList<>();
        for (int i = 0; i < carried.size(); i++) {
            next.add(exchange.as(body, get(body, loop.next().get(i)), carried.get(i).layout()));
        }
        for (int i = 0; i < next.size(); i++) {
            boolean moves = carried.contains(next.get(i)) && !next.get(i).equals(carried.get(i));
            if (moves) {
                next.set(i, copies(body, List.of(next.get(i))).getFirst());
            }
        }
        copy(body, next, carried);
    }

    private static void add(Body body, List<Held> from, List<Held> to) {
        for (int i = 0; i < to.size(); i++) {
            Held sum = to.get(i);
            Held other = from.get(i);
            Registers.each(body, sum.layout().registerCount(), (b, r) -> b.assign(sum.register().at(r),
                    sum.register().at(r).plus(other.register().at(r))));
        }
    }

    private List<Held> copies(Body body, List<Held> tiles) {
        List<Held> copies = tiles.stream().map(t -> Registers.held(body, "copy", t.type(), t.layout(),
                t.extents())).toList();
        copy(body, tiles, copies);
        return copies;
    }

    /** A tile in further registers. */
    Held copy(Body body, Held tile) {
        return copies(body, List.of(tile)).getFirst();
    }

    private void copy(Body body, List<Held> from, List<Held> to) {
        for (int i = 0; i < from.size(); i++) {
            Held source = from.get(i);
            Held target = to.get(i);
            if (!source.equals(target)) {
                Registers.each(body, target.layout().registerCount(), (b, r) -> b.assign(target.register().at(r),
                        source.register().at(r)));
            }
        }
    }

    private List<Integer> extents(Tile tile) {
        return extents(tile, indexes);
    }

    /** @throws IllegalArgumentException if an extent of a tile is not known */
    static List<Integer> extents(Tile tile, Indexes indexes) {
        return tile.shape().stream().map(dim -> Math.toIntExact(indexes.of(dim.value()).constant().orElseThrow(() ->
                new IllegalArgumentException("tile " + tile + " has extent '" + dim + "', which must be known when the "
                        + "kernel is lowered")))).toList();
    }

    private Held node(Body body, Tile tile) {
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
                mechanisms.ahead().filter(ahead -> ahead.tile() == tile).ifPresentOrElse(ahead -> {
                    ahead.take(body, out, now.number);
                    body.purpose("fetch the next tile's meanwhile").when(now.more, b -> ahead.next(b,
                            at(b, now.next)));
                }, () -> access(body).load(load, out));
                yield out;
            }
            case TileNode.Map map -> assigned(body, tile, function(body, tile, map));
            case TileNode.Reduce(Tile of, int axis, var reduction) -> {
                Elementwise elements = forReduction(body, of, axis);
                yield new Reducer(body, exchange).reduce(elements, halves(of, elements), axis, reduction);
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

    /** A function's elements in registers: those of a tile that nothing uses afterwards, or new ones. */
    private Held assigned(Body body, Tile tile, Elementwise elements) {
        Layout layout = elements.layout();
        Held out = sources(tile).filter(source -> uses.isLast(source, tile)).map(held::get)
                .filter(input -> input.type() == tile.type() && input.layout().equals(layout))
                .findFirst().map(input -> new Held(input.register(), layout, elements.extents()))
                .orElseGet(() -> Registers.held(body, Held.name(tile), tile.type(), layout, elements.extents()));
        moderate.remove(tile);
        elements.use(body, (inner, some) -> Registers.each(inner, layout.registerCount(), (b, r) -> b.assign(
                out.register().at(r), some.at(b, r)))).filter(_ -> elements.quick().orElseThrow().moderate())
                .ifPresent(all -> moderate.put(tile, all));
        return out;
    }

    /** Tiles in registers that a function of elements is made of, by itself or by others that are computed with it. */
    private Stream<Tile> sources(Tile function) {
        return function.node().inputs().stream().flatMap(input -> held.containsKey(input) ? Stream.of(input)
                : later.containsKey(input) ? sources(input) : Stream.empty());
    }

    /** A function of elements; what it needs of others is brought to where each thread has it now. */
    private Elementwise function(Body body, Tile tile, TileNode.Map map) {
        List<Integer> extents = extents(tile);
        Layout layout = map.inputs().stream().filter(t -> extents(t).equals(extents)).findFirst()
                .map(t -> of(body, t).layout()).orElseGet(() -> layout(extents));
        Map<Tile, Elementwise> inputs = new LinkedHashMap<>();
        map.inputs().forEach(t -> inputs.computeIfAbsent(t, input -> as(body, input, layout, extents)));
        Map<Value, Quick.Divisor> divisors = divisors(body, map, inputs);
        Elementwise.Code code = (b, r) -> value(map, elements(b, r, map, inputs, false));
        if (Quick.moderate(map.value(), v -> v).isPresent()) {
            Optional<Elementwise.Code> ofLeast = ofLeast(map, inputs);
            if (ofLeast.isPresent() || uses.isDivided(tile)) {
                return new Elementwise(tile.type(), layout, extents, true, code, Optional.of(new Elementwise.Quicker(
                        (b, r) -> condition(b, r, inputs, moderate(b, r, map, inputs).conditions()), ofLeast,
                        (b, r) -> moderate(b, r, map, inputs).value(), true)));
            }
        }
        Value shape = Quick.of(map.value(), Quick.Known.NOTHING, v -> v).value();
        boolean own = !divisors.isEmpty() || !shape.equals(map.value());
        boolean quick = own || inputs.values().stream().anyMatch(input -> input.quick().isPresent());
        return new Elementwise(tile.type(), layout, extents, true, code, !quick ? Optional.empty()
                : Optional.of(new Elementwise.Quicker((b, r) -> condition(b, r, inputs, own ? quick(b, r, map, inputs,
                        divisors).conditions() : List.of()), Optional.empty(), (b, r) -> quick(b, r, map, inputs,
                        divisors).value(), false)));
    }

    private Quick quick(Body b, Expr r, TileNode.Map map, Map<Tile, Elementwise> inputs,
            Map<Value, Quick.Divisor> divisors) {
        Map<Value, Value> known = new HashMap<>();
        inputs.forEach((input, elements) -> {
            if (moderate.containsKey(input) && Elementwise.of(held.get(input)).isHeldAs(elements)) {
                known.put(elements.at(b, r), moderate.get(input));
            }
        });
        return Quick.of(value(map, elements(b, r, map, inputs, true)), new Quick.Known(divisors, known), v ->
                named(b, v));
    }

    private Quick moderate(Body b, Expr r, TileNode.Map map, Map<Tile, Elementwise> inputs) {
        return Quick.moderate(value(map, elements(b, r, map, inputs, true)), v -> named(b, v)).orElseThrow();
    }

    /** What the least of a thread's elements less their greatest decides for all of them: none is above zero. */
    private Optional<Elementwise.Code> ofLeast(TileNode.Map map, Map<Tile, Elementwise> inputs) {
        Tile input = map.inputs().getFirst();
        return BelowGreatest.of(input, this::extents).filter(_ -> map.inputs().size() == 1
                && inputs.get(input).quick().isEmpty()).flatMap(below -> halves(below.row(), inputs.get(input))
                .map(halves -> (b, _) -> {
                    Value greatest = as(b, below.greatest(), halves.layout(), halves.extents()).at(b, Expr.of(0));
                    Value parameter = map.parameters().getFirst().get();
                    return HalfPairs.of(b, halves, BinaryOp.MIN_NAN).stream().map(least -> value(map,
                            Map.of(parameter, b.let("least", least.minus(greatest)))))
                            .flatMap(value -> Quick.moderate(value, v -> v).orElseThrow().conditions().stream())
                            .reduce(Value::and).orElseThrow();
                }));
    }

    /** The 16-bit floats in registers of which elements are made by nothing but conversion; none where padding is. */
    private Optional<Held> halves(Tile tile, Elementwise elements) {
        return tile.node() instanceof TileNode.Map map && tile.type() == ValueType.F32
                && map.value() instanceof Value.Convert(Value from, var _, var _)
                && from.equals(map.parameters().getFirst().get()) && elements.isWhole()
                ? Optional.ofNullable(held.get(map.inputs().getFirst())).filter(input -> input.layout().equals(
                        elements.layout()) && HalfPairs.has(input)) : Optional.empty();
    }

    private static Value named(Body b, Value value) {
        return value instanceof Value.Element ? value : b.let("part", value);
    }

    private static Value condition(Body b, Expr r, Map<Tile, Elementwise> inputs, List<Value> own) {
        List<Value> all = new ArrayList<>(own);
        inputs.values().forEach(input -> input.quick().ifPresent(quick -> all.add(quick.condition().at(b, r))));
        // None of an element whose divisor is another than that of the first ones: it is computed as ever.
        return all.stream().reduce(Value::and).orElseGet(() -> Value.of(Expr.of(0).isEqualTo(0)));
    }

    /** What a function's parameters stand for. @param quick whether they are computed by fewer operations */
    private Map<Value, Value> elements(Body b, Expr r, TileNode.Map map, Map<Tile, Elementwise> inputs, boolean quick) {
        Map<Tile, Value> values = new HashMap<>();
        inputs.forEach((input, elements) -> {
            Value value = quick && elements.quick().isPresent() ? elements.quick().get().code().at(b, r)
                    : elements.at(b, r);
            values.put(input, elements.later() && input.type() != ValueType.PRED ? b.let(Held.name(input), value)
                    : value);
        });
        Map<Value, Value> elements = new HashMap<>();
        for (int i = 0; i < map.inputs().size(); i++) {
            elements.put(map.parameters().get(i).get(), values.get(map.inputs().get(i)));
        }
        return elements;
    }

    /** Numbers of f32 that all of a thread's elements are divided by. */
    private static Map<Value, Quick.Divisor> divisors(Body body, TileNode.Map map, Map<Tile, Elementwise> inputs) {
        Map<Value, Quick.Divisor> divisors = new HashMap<>();
        for (int i = 0; i < map.inputs().size(); i++) {
            Elementwise input = inputs.get(map.inputs().get(i));
            Value parameter = map.parameters().get(i).get();
            Value first = input.later() ? null : input.at(body, Expr.of(0));
            boolean same = first != null && input.type() == ValueType.F32
                    && input.layout().registerCount() > 1 && first.equals(input.at(body, Expr.of(1)));
            if (same && divides(map.value(), parameter)) {
                divisors.put(first, Quick.Divisor.of(body, first));
            }
        }
        return divisors;
    }

    private static boolean divides(Value value, Value parameter) {
        boolean[] found = {false};
        ValueRewrite.of(value, part -> {
            found[0] |= part instanceof Value.Binary binary && binary.op() == BinaryOp.DIV
                    && binary.right().equals(parameter);
            return Optional.empty();
        });
        return found[0];
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
    private Elementwise as(Body body, Tile tile, Layout layout, List<Integer> extents) {
        Elementwise elements = of(body, tile);
        if (elements.layout().equals(layout) && elements.extents().equals(extents)) {
            return elements;
        }
        Optional<List<Integer>> repeats = Exchange.images(new Held(null, elements.layout(), elements.extents()), layout,
                extents);
        if (elements.later() && repeats.isPresent()) {
            return new Elementwise(elements.type(), layout, extents, true, (b, r) -> elements.at(b, Linear.of(r,
                    repeats.get())));
        }
        Held all = get(body, tile);
        // What is repeated moves once, not as often as it is repeated.
        Held own = team.blockBits() == 0 && Exchange.images(all, layout, extents).isEmpty()
                ? exchange.as(body, all, repeated(layout, all.extents())) : all;
        return Exchange.images(own, layout, extents).map(images -> new Elementwise(own.type(), layout, extents, false,
                (_, r) -> own.register().at(Linear.of(r, images)))).orElseGet(() -> Elementwise.of(
                        exchange.broadcast(body, own, layout, extents)));
    }
}

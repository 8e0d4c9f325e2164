package dev.tilewright.tile.run;

import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.ExprSearch;
import dev.tilewright.program.value.BinaryOp;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Axis;
import dev.tilewright.tile.LineException;
import dev.tilewright.tile.Reduction;
import dev.tilewright.tile.Region;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Computes tiles one after the other, in arrays of its own that it uses again for each. One thread has it. */
final class Worker {
    /** Rows that go somewhere once all tiles have been computed, in order. */
    record Scattered(long tile, long number, Region.Store store, Elements rows, Elements elements, Numbers numbers) { }

    /** The items of a region, each prepared when it is first met. */
    private final class Steps {
        private final List<Region.Item> items;
        private final Runnable[] steps;

        Steps(Region region) {
            this.items = region.items();
            this.steps = new Runnable[items.size()];
        }

        void run() {
            for (int i = 0; i < steps.length; i++) {
                if (steps[i] == null) {
                    steps[i] = step(items.get(i));
                }
                steps[i].run();
            }
        }
    }

    private final Map<String, TensorMemory> tensors;
    private final Map<String, TensorMemory> before;
    private final Products products;
    private final Numbers numbers;
    private final Steps body;
    private final Map<Tile, Elements> values = new HashMap<>();
    private final List<Scattered> scattered = new ArrayList<>();
    private long tile;

    /** @param before what tiles load from */
    Worker(Region body, Map<String, TensorMemory> tensors, Map<String, TensorMemory> before, Products products,
            Numbers numbers) {
        this.body = new Steps(body);
        this.tensors = tensors;
        this.before = before;
        this.products = products;
        this.numbers = numbers;
    }

    Numbers numbers() {
        return numbers;
    }

    List<Scattered> scattered() {
        return scattered;
    }

    void tile(long number) {
        tile = number;
        body.run();
    }

    private Runnable step(Region.Item item) {
        return switch (item) {
            case Tile t -> node(t);
            case Region.Store store -> store(store);
            case Region.When when -> {
                Steps then = new Steps(when.then());
                yield () -> {
                    if (numbers.of(when.condition()) != 0) {
                        then.run();
                    }
                };
            }
            case TileNode.Loop loop -> {
                Steps turn = new Steps(loop.body());
                yield () -> loop(loop, turn);
            }
        };
    }

    // ---- loops

    private void loop(TileNode.Loop loop, Steps turn) {
        long turns = numbers.of(loop.turns());
        long each = Math.ceilDiv(turns, loop.parts());
        List<Elements> initial = loop.initial().stream().map(this::value).toList();
        List<Elements> carried = loop.carried().stream().map(this::value).toList();
        List<Elements> next = loop.next().stream().map(this::value).toList();
        boolean apart = carried.stream().noneMatch(next::contains);
        List<Elements> sums = null;
        for (int part = 0; part < loop.parts(); part++) {
            copy(initial, carried);
            for (long i = part * each; i < Math.min(turns, (part + 1) * each); i++) {
                numbers.variables()[loop.turn().number()] = i;
                turn.run();
                // All at once: what one hands on may be what another was.
                copy(apart ? next : next.stream().map(Worker::snapshot).toList(), carried);
            }
            if (loop.parts() > 1) {
                sums = added(sums, carried);
            }
        }
        if (sums != null) {
            copy(sums, carried);
        }
    }

    private static List<Elements> added(List<Elements> sums, List<Elements> carried) {
        if (sums == null) {
            return carried.stream().map(Worker::snapshot).toList();
        }
        for (int i = 0; i < sums.size(); i++) {
            Elements sum = sums.get(i).settle(sums.get(i).count());
            Elements other = carried.get(i);
            other.settle(other.count());
            ArrayMath.settled(BinaryOp.ADD, sum, 0, other, 0, sum, 0, sum.count());
        }
        return sums;
    }

    private static void copy(List<Elements> from, List<Elements> to) {
        for (int i = 0; i < from.size(); i++) {
            to.get(i).take(from.get(i));
        }
    }

    private static Elements snapshot(Elements elements) {
        Elements copy = new Elements(elements.type, elements.count());
        copy.take(elements);
        return copy;
    }

    // ---- nodes

    private Elements value(Tile t) {
        return values.computeIfAbsent(t, key -> new Elements(key.type(), numbers.count(key.shape())));
    }

    private Runnable node(Tile t) {
        Elements out = value(t);
        return switch (t.node()) {
            case TileNode.Full(var value) -> () -> out.fill(0, out.count(), numbers.word(value));
            case TileNode.Iota(var span) -> () -> {
                long start = numbers.of(span.start());
                for (int i = 0; i < out.count(); i++) {
                    out.longs[i] = start + (long) i * span.step();
                }
            };
            case TileNode.Load load -> load(load, out);
            case TileNode.Map map -> {
                MapRun run = new MapRun(map, t.shape(), map.inputs().stream().map(this::value).toList(), numbers);
                yield () -> run.run(out);
            }
            case TileNode.Reduce(Tile of, int axis, Reduction reduction) -> {
                AlongAxis along = along(of, axis, t);
                yield () -> along.reduce(reduction.op(), out);
            }
            case TileNode.Extreme(Tile of, int axis, boolean greatest) -> {
                AlongAxis along = along(of, axis, t);
                yield () -> along.extreme(greatest, out);
            }
            case TileNode.Scan(Tile of, int axis, Reduction reduction) -> {
                AlongAxis along = along(of, axis, t);
                yield () -> along.scan(reduction.op(), out);
            }
            case TileNode.LookUp(Tile table, Tile places) -> {
                Elements from = value(table);
                Elements at = value(places);
                yield () -> lookUp(from, at, out);
            }
            case TileNode.Reshape(Tile of) -> taking(value(of), out);
            case TileNode.Transpose(Tile of, List<Integer> order) -> gather(of, IndexMaps.transpose(
                    numbers.extents(of.shape()), order), 0, out);
            case TileNode.Broadcast(Tile of) -> gather(of, IndexMaps.broadcast(numbers.extents(of.shape()),
                    numbers.extents(t.shape())), 0, out);
            case TileNode.Slice(Tile of, int axis, long first, var outside) -> gather(of, IndexMaps.slice(
                    numbers.extents(of.shape()), axis, first, numbers.extents(t.shape())[axis]), outside.word(), out);
            case TileNode.Product(Tile c, Tile a, Tile b) -> {
                int[] shape = numbers.extents(a.shape());
                int columns = numbers.extents(b.shape())[1];
                Elements sums = value(c);
                Elements left = value(a);
                Elements right = value(b);
                yield () -> {
                    out.take(sums);
                    products.add(left, right, out, shape[0], columns, shape[1]);
                };
            }
            case TileNode.Carried _ -> () -> { };
            case TileNode.Result(TileNode.Loop loop, int number) -> taking(value(loop.carried().get(number)), out);
        };
    }

    private static Runnable taking(Elements from, Elements out) {
        return () -> out.take(from);
    }

    private Runnable gather(Tile of, int[] map, long outside, Elements out) {
        Elements from = value(of);
        return () -> out.gather(from, map, outside);
    }

    /** @param by what takes elements together */
    private AlongAxis along(Tile of, int axis, Tile by) {
        int[] extents = numbers.extents(of.shape());
        if (extents[axis] == 0) {
            throw new LineException("there is nothing to take together along axis " + axis + " of tile " + of
                    + ": its extent is 0 in this launch", by.line());
        }
        return new AlongAxis(value(of), extents, axis);
    }

    private static void lookUp(Elements table, Elements numbers, Elements out) {
        int[] places = new int[out.count()];
        for (int k = 0; k < places.length; k++) {
            long number = numbers.type == ValueType.I64 ? numbers.longs[k] : numbers.ints[k];
            places[k] = number < 0 || number >= table.count() ? -1 : (int) number;
        }
        out.gather(table, places, 0);
    }

    // ---- tensors

    private Places places(TensorMemory memory, List<Axis> axes) {
        return Places.of(memory, axes, numbers, rows -> value(rows.numbers()));
    }

    /** What is at the same places for all tiles is loaded once: none changes what tiles load from. */
    private Runnable load(TileNode.Load load, Elements out) {
        TensorMemory memory = before.get(load.tensor().name());
        Runnable loading = () -> memory.load(places(memory, load.axes()), out, load.outside().word());
        if (!load.axes().stream().allMatch(Worker::isFixed)) {
            return loading;
        }
        loading.run();
        return () -> { };
    }

    private static boolean isFixed(Axis axis) {
        return axis instanceof Span span && !ExprSearch.any(span.start(), e -> e instanceof Expr.Var);
    }

    private Runnable store(Region.Store store) {
        TensorMemory memory = tensors.get(store.tensor().name());
        Elements from = value(store.tile());
        if (store.axes().getFirst() instanceof Axis.Rows rows) {
            return () -> scattered.add(new Scattered(tile, scattered.size(), store, snapshot(value(rows.numbers())),
                    snapshot(from.settle(from.count())), new Numbers(numbers.extents(), numbers.scalars(),
                            numbers.variables().clone())));
        }
        if (store.update().op().isEmpty()) {
            return () -> memory.store(places(memory, store.axes()), from.settle(from.count()), store.update());
        }
        return () -> {
            synchronized (memory.tensor()) {
                memory.store(places(memory, store.axes()), from.settle(from.count()), store.update());
            }
        };
    }
}

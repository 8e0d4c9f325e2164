package dev.tilewright.tile.run;

import dev.tilewright.program.value.BinaryOp;
import dev.tilewright.program.value.Comparison;
import dev.tilewright.program.value.LongBinaryPredicate;
import dev.tilewright.program.value.ValueMath;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Axis;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.LineException;
import dev.tilewright.tile.Reduction;
import dev.tilewright.tile.Region;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Computes tiles one after the other, in arrays of its own that it uses again for each. */
final class Worker {
    /** Rows that go somewhere once all tiles have been computed, in order. */
    record Scattered(long tile, long number, Region.Store store, Elements rows, Elements elements, Numbers numbers) { }

    private final Map<String, TensorMemory> tensors;
    private final Map<String, TensorMemory> before;
    private final Products products;
    private final Numbers numbers;
    private final Map<Tile, Elements> values = new HashMap<>();
    private final Map<Tile, int[]> maps = new HashMap<>();
    private final Map<TileNode.Map, MapRun> codes = new HashMap<>();
    private final List<Scattered> scattered = new ArrayList<>();
    private long tile;

    /** @param before what tiles load from */
    Worker(Map<String, TensorMemory> tensors, Map<String, TensorMemory> before, Products products, Numbers numbers) {
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

    void tile(long number, Region body) {
        tile = number;
        region(body);
    }

    private void region(Region region) {
        for (Region.Item item : region.items()) {
            switch (item) {
                case Tile t -> node(t);
                case Region.Store store -> store(store);
                case Region.When when -> {
                    if (numbers.of(when.condition()) != 0) {
                        region(when.then());
                    }
                }
                case TileNode.Loop loop -> loop(loop);
            }
        }
    }

    // ---- loops

    private void loop(TileNode.Loop loop) {
        long turns = numbers.of(loop.turns());
        long each = Math.ceilDiv(turns, loop.parts());
        List<Elements> sums = null;
        for (int part = 0; part < loop.parts(); part++) {
            for (int i = 0; i < loop.carried().size(); i++) {
                copy(value(loop.initial().get(i)), value(loop.carried().get(i)));
            }
            for (long turn = part * each; turn < Math.min(turns, (part + 1) * each); turn++) {
                numbers.variables()[loop.turn().number()] = turn;
                region(loop.body());
                // All at once: what one hands on may be what another was.
                List<Elements> next = loop.next().stream().map(t -> snapshot(value(t))).toList();
                for (int i = 0; i < next.size(); i++) {
                    copy(next.get(i), value(loop.carried().get(i)));
                }
            }
            if (loop.parts() > 1) {
                sums = added(sums, loop.carried());
            }
        }
        for (int i = 0; sums != null && i < sums.size(); i++) {
            copy(sums.get(i), value(loop.carried().get(i)));
        }
    }

    private List<Elements> added(List<Elements> sums, List<Tile> carried) {
        if (sums == null) {
            return carried.stream().map(t -> snapshot(value(t))).toList();
        }
        for (int i = 0; i < sums.size(); i++) {
            Elements sum = sums.get(i).settle(sums.get(i).count());
            Elements other = value(carried.get(i));
            other.settle(other.count());
            ArrayMath.settled(BinaryOp.ADD, sum, 0, other, 0, sum, 0, sum.count());
        }
        return sums;
    }

    private static Elements snapshot(Elements elements) {
        Elements copy = new Elements(elements.type, elements.count());
        copy(elements, copy);
        return copy;
    }

    private static void copy(Elements from, Elements to) {
        to.copy(0, from, 0, from.count());
        to.settledAs(from);
    }

    // ---- nodes

    private Elements value(Tile t) {
        return values.computeIfAbsent(t, key -> new Elements(key.type(), count(key.shape())));
    }

    private int count(List<Dim> shape) {
        long count = 1;
        for (Dim dim : shape) {
            count = Math.multiplyExact(count, numbers.of(dim.value()));
        }
        return Math.toIntExact(count);
    }

    private int[] extents(List<Dim> shape) {
        return shape.stream().mapToInt(dim -> Math.toIntExact(numbers.of(dim.value()))).toArray();
    }

    private void node(Tile t) {
        Elements out = value(t);
        switch (t.node()) {
            case TileNode.Full(var value) -> out.fill(0, out.count(), numbers.word(value));
            case TileNode.Iota(var span) -> {
                long start = numbers.of(span.start());
                for (int i = 0; i < out.count(); i++) {
                    out.longs[i] = start + (long) i * span.step();
                }
            }
            case TileNode.Load load -> {
                TensorMemory memory = before.get(load.tensor().name());
                memory.load(places(memory, load.axes()), out, load.outside().word());
            }
            case TileNode.Map map -> codes.computeIfAbsent(map, m -> new MapRun(m, t.shape())).run(out);
            case TileNode.Reduce(Tile of, int axis, Reduction reduction) -> reduce(some(of, axis, t), axis,
                    reduction.op(), out);
            case TileNode.Extreme(Tile of, int axis, boolean greatest) -> extreme(some(of, axis, t), axis,
                    greatest, out);
            case TileNode.Scan(Tile of, int axis, Reduction reduction) -> scan(some(of, axis, t), axis,
                    reduction.op(), out);
            case TileNode.LookUp(Tile table, Tile numbers) -> lookUp(value(table), value(numbers), out);
            case TileNode.Reshape(Tile of) -> copy(value(of), out);
            case TileNode.Transpose(Tile of, List<Integer> order) -> out.gather(value(of), maps.computeIfAbsent(t,
                    _ -> IndexMaps.transpose(extents(of.shape()), order)), 0);
            case TileNode.Broadcast(Tile of) -> out.gather(value(of), maps.computeIfAbsent(t,
                    _ -> IndexMaps.broadcast(extents(of.shape()), extents(t.shape()))), 0);
            case TileNode.Slice(Tile of, int axis, long first, var outside) -> out.gather(value(of),
                    maps.computeIfAbsent(t, _ -> IndexMaps.slice(extents(of.shape()), axis, first,
                            extents(t.shape())[axis])), outside.word());
            case TileNode.Product(Tile c, Tile a, Tile b) -> {
                int[] shape = extents(a.shape());
                copy(value(c), out);
                products.add(value(a), value(b), out, shape[0], extents(b.shape())[1], shape[1]);
            }
            case TileNode.Carried _ -> { }
            case TileNode.Result(TileNode.Loop loop, int number) -> copy(value(loop.carried().get(number)), out);
        }
    }

    private static void lookUp(Elements table, Elements numbers, Elements out) {
        int[] places = new int[out.count()];
        for (int k = 0; k < places.length; k++) {
            long number = numbers.type == ValueType.I64 ? numbers.longs[k] : numbers.ints[k];
            places[k] = number < 0 || number >= table.count() ? -1 : (int) number;
        }
        out.gather(table, places, 0);
    }

    private Places places(TensorMemory memory, List<Axis> axes) {
        return Places.of(memory, axes, numbers, rows -> value(rows.numbers()));
    }

    private void store(Region.Store store) {
        TensorMemory memory = tensors.get(store.tensor().name());
        Elements from = value(store.tile());
        from.settle(from.count());
        if (store.axes().getFirst() instanceof Axis.Rows rows) {
            scattered.add(new Scattered(tile, scattered.size(), store, snapshot(value(rows.numbers())), snapshot(from),
                    new Numbers(numbers.extents(), numbers.scalars(), numbers.variables().clone())));
            return;
        }
        Places places = places(memory, store.axes());
        if (store.update().op().isEmpty()) {
            memory.store(places, from, store.update());
        } else {
            synchronized (memory.tensor()) {
                memory.store(places, from, store.update());
            }
        }
    }

    // ---- along an axis: (outer, n, inner), the elements of inner following each other

    private record Along(int outer, int n, int inner) { }

    /** @param by what takes elements together */
    private Tile some(Tile of, int axis, Tile by) {
        if (extents(of.shape())[axis] == 0) {
            throw new LineException("there is nothing to take together along axis " + axis + " of tile " + of
                    + ": its extent is 0 in this launch", by.line());
        }
        return of;
    }

    private Along along(Tile of, int axis) {
        int[] extents = extents(of.shape());
        int outer = 1;
        for (int i = 0; i < axis; i++) {
            outer *= extents[i];
        }
        int inner = 1;
        for (int i = axis + 1; i < extents.length; i++) {
            inner *= extents[i];
        }
        return new Along(outer, extents[axis], inner);
    }

    /** In the order of {@link Reduction}. */
    private void reduce(Tile tile, int axis, BinaryOp op, Elements out) {
        Elements of = value(tile);
        of.settle(of.count());
        Along a = along(tile, axis);
        int accumulators = Math.min(a.n, Reduction.ACCUMULATORS);
        Elements sums = new Elements(of.type, accumulators * a.inner);
        Elements room = new Elements(of.type, sums.count());
        for (int o = 0; o < a.outer; o++) {
            int base = o * a.n * a.inner;
            sums.copy(0, of, base, sums.count());
            for (int i = accumulators; i < a.n; i += accumulators) {
                ArrayMath.into(op, sums, of, base + i * a.inner, room, Math.min(accumulators, a.n - i) * a.inner);
            }
            for (int h = Reduction.ACCUMULATORS / 2; h >= 1; h /= 2) {
                int partners = Math.min(h, accumulators - h);
                if (partners > 0) {
                    ArrayMath.into(op, sums, sums, h * a.inner, room, partners * a.inner);
                    accumulators = h;
                }
            }
            accumulators = Math.min(a.n, Reduction.ACCUMULATORS);
            out.copy(o * a.inner, sums, 0, a.inner);
            out.settleComputed(o * a.inner, a.inner);
        }
    }

    private void scan(Tile tile, int axis, BinaryOp op, Elements out) {
        Elements of = value(tile);
        of.settle(of.count());
        Along a = along(tile, axis);
        int most = Math.min(a.n, Reduction.ACCUMULATORS);
        Elements before = new Elements(of.type, most * a.inner);
        Elements after = new Elements(of.type, most * a.inner);
        Elements last = new Elements(of.type, most * a.inner);
        for (int o = 0; o < a.outer; o++) {
            for (int i = 0; i < a.n; i += most) {
                int base = (o * a.n + i) * a.inner;
                int run = Math.min(most, a.n - i);
                before.copy(0, of, base, run * a.inner);
                for (int h = 1; h < run; h *= 2) {
                    after.copy(0, before, 0, run * a.inner);
                    ArrayMath.settled(op, before, 0, before, h * a.inner, after, h * a.inner, (run - h) * a.inner);
                    before.copy(0, after, 0, run * a.inner);
                }
                for (int k = 0; k < run && i > 0; k++) {
                    last.copy(k * a.inner, out, base - a.inner, a.inner);
                }
                if (i > 0) {
                    ArrayMath.settled(op, last, 0, before, 0, before, 0, run * a.inner);
                }
                out.copy(base, before, 0, run * a.inner);
                out.settleComputed(base, run * a.inner);
            }
        }
    }

    private void extreme(Tile tile, int axis, boolean greatest, Elements out) {
        Elements of = value(tile);
        of.settle(of.count());
        Along a = along(tile, axis);
        LongBinaryPredicate better = ValueMath.compare(greatest ? Comparison.GT : Comparison.LT, of.type);
        LongBinaryPredicate differs = ValueMath.compare(Comparison.NE, of.type);
        for (int o = 0; o < a.outer; o++) {
            for (int k = 0; k < a.inner; k++) {
                int base = o * a.n * a.inner + k;
                long best = of.word(base);
                int at = 0;
                for (int i = 1; i < a.n; i++) {
                    long word = of.word(base + i * a.inner);
                    boolean first = differs.test(best, best) && !differs.test(word, word);
                    if (first || better.test(word, best)) {
                        best = word;
                        at = i;
                    }
                }
                out.longs[o * a.inner + k] = at;
            }
        }
    }

    /** A function of elements over a tile. */
    private final class MapRun {
        private static final int FEW = 2;
        /** Elements of a tile: what the second cache of a core has room for several times. */
        private static final int MOST = 1 << 14;

        private final TileNode.Map map;
        private final ElementCode code;
        private final Elements[] registers;
        private final int columns;
        private final int[] shape;
        private final int[][] strides;
        /** Whether a tile is computed as a whole: of few operations, which do not need their elements to be near. */
        private final boolean whole;
        private Elements[] wide = new Elements[0];

        MapRun(TileNode.Map map, List<Dim> shape) {
            this.map = map;
            this.code = new ElementCode(map.parameters(), map.value());
            this.registers = code.registers(ElementCode.RUN);
            int[] extents = extents(shape);
            boolean flat = map.inputs().stream().allMatch(t -> count(t.shape()) == 1 || t.shape().equals(shape));
            int total = count(shape);
            this.columns = flat || extents.length == 0 ? total : extents[extents.length - 1];
            this.shape = flat ? new int[] {total} : extents;
            this.strides = map.inputs().stream().map(t -> flat ? new int[] {count(t.shape()) == total ? 1 : 0}
                    : IndexMaps.strides(extents(t.shape()), extents.length)).toArray(int[][]::new);
            this.whole = flat && code.size() > 0 && code.size() <= FEW && total <= MOST
                    && Arrays.stream(strides).allMatch(s -> s[0] == 1);
        }

        void run(Elements out) {
            if (whole) {
                whole(out);
                return;
            }
            if (code.isMove() && shape.length == 1 && strides[code.result()][0] == 1) {
                copy(value(map.inputs().get(code.result())), out);
                return;
            }
            code.begin(registers, numbers::word);
            int rank = shape.length;
            int[] at = new int[rank];
            int rows = columns == 0 ? 0 : out.count() / columns;
            for (int row = 0; row < rows; row++) {
                for (int first = 0; first < columns; first += ElementCode.RUN) {
                    int n = Math.min(ElementCode.RUN, columns - first);
                    for (int i = 0; i < strides.length; i++) {
                        input(i, at, first, n);
                    }
                    code.apply(registers, n);
                    out.copy(row * columns + first, registers[code.result()], 0, n);
                    out.settledAs(registers[code.result()]);
                }
                for (int i = rank - 2; i >= 0 && ++at[i] == shape[i]; i--) {
                    at[i] = 0;
                }
            }
        }

        private void whole(Elements out) {
            int n = out.count();
            wide = wide.length == 0 ? code.registers(n) : wide;
            for (int i = 0; i < strides.length; i++) {
                wide[i] = value(map.inputs().get(i));
            }
            wide[code.result()] = out;
            code.begin(wide, numbers::word);
            code.apply(wide, n);
        }

        private void input(int i, int[] at, int first, int n) {
            Elements from = value(map.inputs().get(i));
            int base = 0;
            for (int d = 0; d < at.length - 1; d++) {
                base += at[d] * strides[i][d];
            }
            if (strides[i][strides[i].length - 1] == 0) {
                from.settle(from.count());
                registers[i].fill(0, n, from.word(base));
                registers[i].settledAs(from);
            } else {
                registers[i].copy(0, from, base + first, n);
                registers[i].settledAs(from);
            }
        }
    }
}

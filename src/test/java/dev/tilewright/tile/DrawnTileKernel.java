package dev.tilewright.tile;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.Comparison;
import dev.tilewright.program.value.ValueType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/** A tile kernel drawn at random, with what a launch of it takes. */
public final class DrawnTileKernel {
    private static final List<ValueType> TYPES = List.of(ValueType.F32, ValueType.F32, ValueType.F32, ValueType.I32,
            ValueType.BF16, ValueType.F16, ValueType.F64, ValueType.I64, ValueType.U8, ValueType.I16, ValueType.U32);
    private static final List<ValueType> FACTORS = List.of(ValueType.BF16, ValueType.F16, ValueType.F32,
            ValueType.F64, ValueType.I8, ValueType.E4M3, ValueType.E5M2);

    private final RandomGenerator random;
    public final TileKernel kernel;
    /** Words, row-major, by tensor. */
    public final Map<String, long[]> tensors = new HashMap<>();
    public final Map<String, long[]> extents = new HashMap<>();
    public final Map<String, Double> scalars = new HashMap<>();
    private final Map<String, Long> sizes = new HashMap<>();
    private TileScope k;
    private final List<Tile> tiles = new ArrayList<>();
    private int rows;
    private int columns;

    public DrawnTileKernel(RandomGenerator random) {
        this.random = random;
        this.kernel = TileKernel.of("drawn", this::trace);
        for (Tensor tensor : kernel.tensors()) {
            long[] shape = tensor.dims().stream().mapToLong(this::size).toArray();
            int count = 1;
            for (long extent : shape) {
                count *= (int) extent;
            }
            long[] words = new long[count];
            for (int i = 0; i < count; i++) {
                words[i] = word(tensor);
            }
            extents.put(tensor.name(), shape);
            tensors.put(tensor.name(), words);
        }
    }

    private long size(Dim dim) {
        return dim.size().isPresent() ? dim.size().getAsLong()
                : sizes.computeIfAbsent(dim.name(), _ -> 1L + random.nextInt(random.nextInt(8) == 0 ? 1300 : 40));
    }

    private long word(Tensor tensor) {
        ValueType type = tensor.type();
        if (tensor.name().startsWith("index")) {
            return random.nextInt(-2, 12);
        }
        if (!type.isFloat() || random.nextInt(12) == 0) {
            return type.word(random.nextInt(3) == 0 ? random.nextLong() : random.nextInt(-9, 10));
        }
        return ((Value.Const) Value.of(type, random.nextGaussian())).word();
    }

    private <T> T any(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    private int extent() {
        return random.nextInt(3) == 0 ? 1 << random.nextInt(6) : 1 + random.nextInt(20);
    }

    // ---- the kernel

    private void trace(TileScope scope) {
        k = scope;
        if (random.nextBoolean()) {
            k.arithmetic(MatrixArithmetic.HOPPER_MMA_SYNC);
        }
        Dim m = k.dim("m");
        Dim n = k.dim("n");
        Dim depth = k.dim("depth");
        ValueType x = any(TYPES);
        Tensor a = k.in("a", x, m, n).outside(random.nextInt(3));
        Tensor b = k.in("b", any(TYPES), m, n);
        Tensor row = k.in("row", any(TYPES), n);
        Tensor index = k.in("index", ValueType.I32, m).outside(-1);
        Tensor table = k.in("table", any(TYPES), Dim.of(9), n);
        ValueType factor = any(FACTORS);
        Tensor left = k.in("left", factor, m, depth);
        Tensor right = k.in("right", factor, depth, n);
        ValueType to = any(TYPES);
        Tensor out = k.out("out", to, m, n);
        Tensor sums = k.inOut("sums", ValueType.I32, m, n);
        Tensor scattered = k.inOut("scattered", any(List.of(ValueType.F32, ValueType.I32, ValueType.BF16,
                ValueType.U8)), Dim.of(9), n);
        Tensor place = k.inOut("place", any(TYPES), m, n).outside(1);
        Value s = k.scalar("s", ElementType.F32);
        scalars.put("s", random.nextGaussian());
        boolean wholeRows = random.nextInt(4) == 0;
        rows = wholeRows ? 1 : extent();
        columns = extent();
        if (wholeRows) {
            k.forEachRow(out, at -> body(at, a.row(at), b.row(at), row, to, out));
        } else {
            k.forEachTile(out, rows, columns, at -> {
                Span r = at.row().kept();
                Span c = at.column().kept();
                tiles.add(table.gather(index.tile(r), c));
                tiles.add(a.tile(r.widened(1, 2), c).slice(0, random.nextInt(4), rows));
                tiles.add(k.full(s).plus(k.iota(c).to(ValueType.F32)));
                tiles.add(a.tile(r.every(2), c.plus(-3)));
                boolean inPlace = random.nextInt(3) == 0;
                if (inPlace) {
                    tiles.add(place.tile(r, c));
                }
                if (random.nextBoolean()) {
                    tiles.add(product(r, c, left, right, depth, factor));
                }
                body(at, a.tile(r, c), b.tile(r, c), row, to, out);
                if (random.nextInt(3) == 0) {
                    sums.update(any(List.of(Update.ADD, Update.MAX, Update.XOR)), cast(any(whole()), ValueType.I32),
                            random.nextBoolean() ? r : Span.of(0, rows), c);
                }
                if (inPlace) {
                    place.store(cast(any(whole()), place.type()), r, c);
                }
                for (int i = random.nextInt(6); i < 2; i++) {
                    scattered.scatter(any(List.of(Update.ADD, Update.ADD, Update.SET)), index.tile(r),
                            cast(any(whole()), scattered.type()), random.nextInt(3) == 0 ? Span.of(1, columns) : c);
                }
            });
        }
    }

    private List<Tile> whole() {
        return tiles.stream().filter(t -> t.shape().equals(List.of(Dim.of(rows), Dim.of(columns)))).toList();
    }

    private Tile product(Span r, Span c, Tensor left, Tensor right, Dim depth, ValueType factor) {
        ValueType sum = factor == ValueType.F64 ? factor : factor == ValueType.I8 ? ValueType.I32 : ValueType.F32;
        int step = extent();
        Tile start = k.zeros(sum, rows, columns);
        return random.nextInt(3) == 0
                ? k.foldInParts(1 + random.nextInt(4), start, k.steps(depth, step), (t, i) ->
                        t.mma(left.tile(r, i.kept()), right.tile(i.kept(), c)))
                : k.fold(start, k.steps(depth, step), (t, i) -> t.mma(left.tile(r, i.kept()), right.tile(i.kept(), c)));
    }

    private void body(Position at, Tile a, Tile b, Tensor row, ValueType to, Tensor out) {
        tiles.add(a);
        tiles.add(b);
        if (at.spans().size() == 2) {
            tiles.add(row.tile(at.column().kept()));
        } else {
            tiles.add(row.tile());
        }
        for (int i = 0; i < 3 + random.nextInt(8); i++) {
            tiles.add(next());
        }
        Tile result = cast(tiles.getLast(), to);
        Tile fits = Tile.map(List.of(cast(a, to), result), values -> values.getLast());
        if (at.spans().size() == 2) {
            Span r = at.row().kept();
            Span c = at.column().kept();
            if (random.nextInt(4) == 0) {
                k.when(r.start().lessThan(Expr.of(20L)), () -> out.store(fits, r, c));
            } else {
                out.store(fits, r, c);
            }
        } else {
            out.storeRow(at, fits);
        }
    }

    private Tile cast(Tile tile, ValueType to) {
        return tile.type() == ValueType.PRED ? tile.map(p -> p.choose(Value.of(to, 1), Value.of(to, 0))) : tile.to(to);
    }

    private Tile next() {
        Tile x = any(tiles);
        Tile y = any(tiles);
        if (x.type() == ValueType.PRED) {
            return x.choose(y, y.map(v -> v));
        }
        Tile z = cast(y, x.type());
        boolean real = x.type() == ValueType.F32 || x.type() == ValueType.F64;
        int axes = x.shape().size();
        return switch (random.nextInt(14)) {
            case 0 -> x.plus(z);
            case 1 -> x.minus(z);
            case 2 -> x.type() == ValueType.I32 || x.type() == ValueType.U32 ? x.map(z, (v, w) -> v.dp4a(w, v))
                    : x.times(z);
            case 3 -> x.max(z);
            case 4 -> real ? x.exp() : x.negate();
            case 5 -> real ? x.dividedBy(z) : x.map(v -> v.min(Value.of(v.type(), 3)));
            case 6 -> x.compare(any(List.of(Comparison.LT, Comparison.EQ, Comparison.GE)), z).choose(x, z);
            case 7, 8 -> axes == 0 ? x : x.reduce(any(List.of(Reduction.SUM, Reduction.MAX, Reduction.MIN,
                    Reduction.PRODUCT)), random.nextInt(axes));
            case 9 -> axes == 0 ? x : x.scan(any(List.of(Reduction.SUM, Reduction.MAX)), random.nextInt(axes));
            case 10 -> axes == 0 ? x : x.argMax(random.nextInt(axes));
            case 11 -> axes == 0 ? x : x.shifted(random.nextInt(axes), random.nextInt(-3, 4), 2);
            case 12 -> axes == 2 ? x.transposed().reduce(Reduction.SUM, 0).transposed() : x.to(any(TYPES));
            default -> x.type().isFloat() && x.type().bits() >= 16 ? x.map(Value::abs) : x.to(any(TYPES));
        };
    }

    // ---- memory

    /** What the executor leaves. */
    public Map<String, long[]> executed() {
        Map<String, MemorySegment> memory = memory();
        CpuLaunch launch = kernel.onCpu();
        memory.forEach((name, segment) -> launch.set(name, segment, extents.get(name)));
        scalars.forEach(launch::scalar);
        launch.run();
        return words(memory);
    }

    /** Each tensor's words as bytes, by name. */
    public Map<String, MemorySegment> memory() {
        Map<String, MemorySegment> memory = new HashMap<>();
        for (Tensor tensor : kernel.tensors()) {
            long[] words = tensors.get(tensor.name());
            int bytes = tensor.type().bytes();
            MemorySegment segment = MemorySegment.ofArray(new long[Math.ceilDiv(words.length * bytes, 8)])
                    .asSlice(0, (long) words.length * bytes);
            for (int i = 0; i < words.length * bytes; i++) {
                segment.set(ValueLayout.JAVA_BYTE, i, (byte) (words[i / bytes] >> 8 * (i % bytes)));
            }
            memory.put(tensor.name(), segment);
        }
        return memory;
    }

    /** Each tensor's words. */
    public Map<String, long[]> words(Map<String, MemorySegment> memory) {
        Map<String, long[]> results = new HashMap<>();
        for (Tensor tensor : kernel.tensors()) {
            int bytes = tensor.type().bytes();
            long[] words = new long[tensors.get(tensor.name()).length];
            for (int i = 0; i < words.length; i++) {
                long word = 0;
                for (int b = 0; b < bytes; b++) {
                    word |= (memory.get(tensor.name()).get(ValueLayout.JAVA_BYTE, (long) i * bytes + b) & 0xFFL)
                            << 8 * b;
                }
                words[i] = tensor.type().word(word);
            }
            results.put(tensor.name(), words);
        }
        return results;
    }
}

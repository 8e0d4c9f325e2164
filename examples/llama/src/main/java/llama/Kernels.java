package llama;

import static dev.tilewright.program.value.ValueType.BF16;
import static dev.tilewright.program.value.ValueType.F32;
import static dev.tilewright.program.value.ValueType.I32;

import dev.tilewright.builder.Schedule;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.Update;
import dev.tilewright.tile.kernel.ElementKernels;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The kernels of a model. Each row of each result depends on that row of what is read, and on no other row beside it;
 * that is why a prompt's logits have the same bytes in any company.
 */
record Kernels(TileKernel embed, TileKernel norm, TileKernel addNorm, TileKernel product, TileKernel logits,
        List<TileKernel> parts, List<TileKernel> rotations, List<TileKernel> attention, TileKernel gate,
        TileKernel pick, TileKernel greatest, TileKernel advance) {
    /** Logits of which the greatest is found at a time. */
    static final int SEGMENT = 2048;

    /**
     * Parts of k of the products that have few columns, each of which has blocks of its own. The parts' sums are added
     * in ascending order, of few rows as of many: how many there are decides bits. Another number is for measurements.
     */
    static final int PARTS = Integer.getInteger("llama.parts", 4);

    private static final int ROWS = 64;
    private static final int FEW = 16;
    private static final int DEEP = 128;
    /** Steps along k of a part, of few rows and of many: each step has its time, and they decide no bits. */
    private static final List<Integer> STEPS = List.of(DEEP, 64);
    /** Leaves shared memory to the kernels before and behind, which are there early. */
    private static final Schedule NARROW = Schedule.parse("stages=6");
    /** Rows that a block turns at a time: what is scattered is stored by one block, row by row. */
    private static final List<Integer> ROTATED = List.of(1, 4, 16, ROWS);

    /** @param overlap whether a kernel begins before the one in front of it has ended, and loads weights meanwhile */
    static Kernels of(Config config, boolean overlap) {
        Schedule any = overlap ? Schedule.parse("early=1") : Schedule.DEFAULT;
        PagedAttention attention = new PagedAttention(config);
        Schedule weights = overlap ? Schedule.parse("early=weight") : Schedule.DEFAULT;
        return new Kernels(embedding().with(any), rmsNorm(false).with(any), rmsNorm(true).with(any),
                product("product", BF16).with(weights), product("logits", F32).with(weights),
                STEPS.stream().map(step -> partialProducts(step).with(step == DEEP ? weights.with(NARROW) : weights))
                        .toList(),
                ROTATED.stream().map(rows -> rotating(config, rows).with(any)).toList(),
                Stream.of(attention.kernel(), attention.apart(), attention.together()).map(one -> one.with(any))
                        .toList(), ElementKernels.swiGlu(BF16).with(any), picking().with(any),
                greatestOfSegments().with(any), advancing().with(any));
    }

    /** For so many rows. */
    TileKernel parts(int rows) {
        return parts.get(rows <= FEW ? 0 : 1);
    }

    /** For so many rows. */
    TileKernel rotate(int rows) {
        int number = 0;
        while (number < ROTATED.size() - 1 && ROTATED.get(number) < rows) {
            number++;
        }
        return rotations.get(number);
    }

    /** The rows of tokens: {@code x[r] = table[tokens[r]]}. */
    private static TileKernel embedding() {
        return TileKernel.of("embed", k -> {
            Dim rows = k.dim("rows"), vocabulary = k.dim("vocabulary"), width = k.dim("width");
            Tensor tokens = k.in("tokens", I32, rows), table = k.in("table", BF16, vocabulary, width);
            Tensor x = k.out("x", F32, rows, width);
            k.forEachRow(x, row -> x.store(row, table.gather(tokens.tile(row.column().kept())).to(F32).reshaped(
                    List.of(width))));
        });
    }

    /**
     * RMS norm: {@code y = bf16(x / sqrt(mean of squares + epsilon) * weight)}.
     *
     * @param added whether the sums of a product's parts are added to {@code x} before
     */
    private static TileKernel rmsNorm(boolean added) {
        return TileKernel.of(added ? "add_rms_norm" : "rms_norm", k -> {
            Dim rows = k.dim("rows"), width = k.dim("width");
            Tensor x = added ? k.inOut("x", F32, rows, width) : k.in("x", F32, rows, width);
            Optional<Tensor> parts = added ? Optional.of(k.in("parts", F32, Dim.of(PARTS), rows, width))
                    : Optional.empty();
            Tensor weight = k.in("weight", BF16, width);
            Tensor y = k.out("y", BF16, rows, width);
            Value epsilon = k.scalar("epsilon", ElementType.F32), n = width.value().toValue().to(F32);
            k.forEachRow(x, row -> {
                Tile v = x.row(row);
                if (added) {
                    for (int i = 0; i < PARTS; i++) {
                        v = v.plus(parts.get().tile(Span.at(i), row.column()));
                    }
                    x.storeRow(row, v);
                }
                Tile scale = v.times(v).sum().map(sum -> sum.dividedBy(n).plus(epsilon).rsqrt());
                y.storeRow(row, v.times(scale).times(weight.tile().to(F32)).to(BF16));
            });
        });
    }

    /** {@code y = x weightᵀ}, whose sums are rounded to a type. */
    private static TileKernel product(String name, ValueType type) {
        return TileKernel.of(name, k -> {
            Dim rows = k.dim("rows"), columns = k.dim("columns"), depth = k.dim("depth");
            Tensor x = k.in("x", BF16, rows, depth), weight = k.in("weight", BF16, columns, depth);
            Tensor y = k.out("y", type, rows, columns);
            k.forEachTile(y, ROWS, ROWS, at -> y.store(at, k.fold(k.zeros(F32, ROWS, ROWS), k.steps(depth, 64),
                    (s, i) -> s.mma(x.tile(at.row(), i), weight.tile(at.column(), i).transposed())).to(type)));
        });
    }

    /** {@code y[p] = x[p] weight[p]ᵀ} in f32 of each part of k. */
    private static TileKernel partialProducts(int step) {
        return TileKernel.of("partial", k -> {
            Dim parts = Dim.of(PARTS), rows = k.dim("rows"), columns = k.dim("columns"), depth = k.dim("depth");
            Tensor x = k.in("x", BF16, parts, rows, depth), weight = k.in("weight", BF16, parts, columns, depth);
            Tensor y = k.out("y", F32, parts, rows, columns);
            k.forEachTile(y, 1, ROWS, ROWS, at -> y.store(at, k.fold(k.zeros(F32, ROWS, ROWS), k.steps(depth, step),
                    (s, i) -> s.mma(x.tile(at.get(0), at.row(), i), weight.tile(at.get(0), at.column(), i)
                            .transposed()))));
        });
    }

    /**
     * Turns queries and keys by their positions, and puts keys and values into the cache. A row whose slot is below 0
     * leaves nothing there.
     */
    private static TileKernel rotating(Config config, int together) {
        int half = config.headWidth() / 2, group = config.group();
        return TileKernel.of("rotate", k -> {
            Dim rows = k.dim("rows"), positions = k.dim("positions"), slots = k.dim("slots");
            Dim heads = Dim.of(config.keyHeads()), width = Dim.of(config.headWidth()), halfWidth = Dim.of(half);
            Dim parts = Dim.of(config.heads() + 2L * config.keyHeads());
            Tensor x = k.in("x", F32, Dim.of(PARTS), rows, parts, width);
            Tensor position = k.in("position", I32, rows), slot = k.in("slot", I32, rows).outside(-1);
            Tensor cosine = k.in("cosine", F32, positions, halfWidth), sine = k.in("sine", F32, positions, halfWidth);
            Tensor queries = k.out("queries", BF16, rows, Dim.of(config.heads()), width);
            Tensor keys = k.inOut("keys", BF16, slots, heads, width);
            Tensor values = k.inOut("values", BF16, slots, heads, width);
            Span first = Span.of(0, half), second = Span.of(half, half);
            k.forEachTile(List.of(k.steps(rows, together), k.steps(heads, 1)), at -> {
                Span row = at.row().kept(), head = at.column();
                Tile p = position.tile(row), s = slot.tile(row), c = cosine.gather(p), t = sine.gather(p);
                for (int i = 0; i <= group; i++) {
                    Span part = i < group ? Span.at(head.start().times(group).plus(i))
                            : head.plus(config.heads());
                    Tile a = sum(x, row, part, first).to(F32), b = sum(x, row, part, second).to(F32);
                    Tile left = a.times(c).minus(b.times(t)).to(BF16), right = b.times(c).plus(a.times(t)).to(BF16);
                    if (i < group) {
                        queries.store(left, row, part, first);
                        queries.store(right, row, part, second);
                    } else {
                        keys.scatter(Update.SET, s, left, head, first);
                        keys.scatter(Update.SET, s, right, head, second);
                    }
                }
                values.scatter(Update.SET, s, sum(x, row, head.plus(config.heads() + config.keyHeads()), Span.of(0,
                        config.headWidth())), head);
            });
        });
    }

    /** What a product's parts are together, in bf16. */
    private static Tile sum(Tensor parts, Span row, Span head, Span elements) {
        Tile sum = parts.tile(Span.at(0), row, head, elements);
        for (int i = 1; i < PARTS; i++) {
            sum = sum.plus(parts.tile(Span.at(i), row, head, elements));
        }
        return sum.to(BF16);
    }

    /** The rows of {@code x} that are asked for. */
    private static TileKernel picking() {
        return TileKernel.of("pick", k -> {
            Dim rows = k.dim("rows"), asked = k.dim("asked"), width = k.dim("width");
            Tensor x = k.in("x", BF16, rows, width), which = k.in("which", I32, asked);
            Tensor y = k.out("y", BF16, asked, width);
            k.forEachRow(y, row -> y.store(row, x.gather(which.tile(row.column().kept())).reshaped(List.of(width))));
        });
    }

    /** The greatest logit of each segment, and the first token that has it. */
    private static TileKernel greatestOfSegments() {
        return TileKernel.of("greatest", k -> {
            Dim rows = k.dim("rows"), columns = k.dim("columns"), segments = k.dim("segments");
            Tensor x = k.in("x", F32, rows, columns).outside(Double.NEGATIVE_INFINITY);
            Tensor values = k.out("values", F32, rows, segments), tokens = k.out("tokens", I32, rows, segments);
            k.forEachTile(List.of(k.steps(rows, 1), k.steps(columns, SEGMENT)), at -> {
                Tile logits = x.tile(at);
                Span segment = Span.at(at.column().start().dividedBy(Expr.of((long) SEGMENT)));
                values.store(logits.max(), at.row(), segment);
                tokens.store(logits.argMax(0).reshaped().plus(k.full(at.column().start().toValue())).to(I32),
                        at.row(), segment);
            });
        });
    }

    /**
     * What the next step is given: the likeliest tokens, their positions, and where the cache has them. Each is written
     * down, too, at its row's and its position's place.
     */
    private static TileKernel advancing() {
        return TileKernel.of("advance", k -> {
            Dim rows = k.dim("rows"), segments = k.dim("segments"), entries = k.dim("entries");
            Dim places = k.dim("places");
            Tensor values = k.in("values", F32, rows, segments), likeliest = k.in("likeliest", I32, rows, segments);
            Tensor sequence = k.in("sequence", I32, rows), table = k.in("table", I32, entries);
            Tensor position = k.inOut("position", I32, rows), slot = k.inOut("slot", I32, rows);
            Tensor tokens = k.out("tokens", I32, rows), made = k.out("made", I32, places);
            Value pages = k.scalar("pages", ElementType.I32), context = k.scalar("context", ElementType.I32);
            k.forEachTile(List.of(k.steps(rows, ROWS)), at -> {
                Span row = at.column();
                Tile best = k.iota(Span.all(segments)).isEqualTo(values.tile(row).argMax(1));
                Tile token = best.choose(likeliest.tile(row), k.full(I32, Integer.MIN_VALUE)).max(1).reshaped(ROWS);
                Tile next = position.tile(row).map(p -> p.plus(1)), before = slot.tile(row);
                Tile page = table.gather(sequence.tile(row).map(next, (s, p) -> s.times(pages)
                        .plus(p.dividedBy(PagedAttention.PAGE))));
                tokens.store(at, token);
                position.store(at, next);
                slot.store(at, Tile.map(List.of(before, page, next), v -> v.get(0).lessThan(0).choose(v.get(0),
                        v.get(1).times(PagedAttention.PAGE).plus(v.get(2).remainder(Value.i32(PagedAttention.PAGE))))));
                made.scatter(Update.SET, k.iota(row).to(I32).map(next, (r, p) -> r.times(context).plus(p)).map(before,
                        (place, s) -> s.lessThan(0).choose(Value.i32(-1), place)), token);
            });
        });
    }
}

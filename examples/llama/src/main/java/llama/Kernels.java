package llama;

import static dev.tilewright.program.value.ValueType.BF16;
import static dev.tilewright.program.value.ValueType.F32;
import static dev.tilewright.program.value.ValueType.I32;

import dev.tilewright.builder.EarlyStart;
import dev.tilewright.builder.GridPolicy;
import dev.tilewright.builder.Schedule;
import dev.tilewright.builder.TileOption;
import dev.tilewright.program.expression.Value;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.Update;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * The kernels of a model. Each row of each result depends on that row of what is read, and on no other row beside it;
 * that is why a prompt's logits have the same bytes in any company.
 */
record Kernels(TileKernel embed, TileKernel norm, TileKernel addNorm, List<TileKernel> gated, TileKernel logits,
        List<TileKernel> parts, TileKernel rotate, List<TileKernel> attention, TileKernel pick, TileKernel greatest,
        TileKernel advance) {
    /** Logits of which the greatest is found at a time. */
    static final int SEGMENT = 2048;

    /**
     * Parts of k of the products that have few columns, each of which has blocks of its own. The parts' sums are added
     * in ascending order, of few rows as of many: how many there are decides bits. Another number is for measurements.
     */
    static final int PARTS = Integer.getInteger("llama.parts", 4);

    /** Rows of a weight that a block takes at a time. */
    private static final int WEIGHTS = 64;
    /** Rows of one of two matrices whose rows are between each other. */
    static final int GATED = WEIGHTS / 2;
    /** Rows of tokens that a block takes at a time, which decide no bits: as few as a launch has. */
    private static final List<Integer> TOKENS = List.of(16, 64, 128);
    private static final int DEEP = 128;
    /** Parts of k up to this length are in shared memory as a whole, before what they are multiplied by is there. */
    private static final int WHOLE = 4 * DEEP;

    /** From sm_90 on a kernel begins before the one in front of it has ended, and loads weights meanwhile. */
    static Kernels of(Config config, Target target) {
        Function<EarlyStart, Schedule> early = start -> target.supports(Target.SM_90)
                ? Schedule.DEFAULT.with(TileOption.EARLY, start) : Schedule.DEFAULT;
        Schedule whole = target.equals(Target.SM_90A) ? Schedule.DEFAULT
                .with(TileOption.TILE, List.of(TOKENS.getFirst(), WEIGHTS)).with(TileOption.STAGES, 4)
                .with(TileOption.STEPS, 1).with(GridPolicy.tilesEach(1)) : Schedule.DEFAULT;
        Schedule any = early.apply(EarlyStart.WAITING), weight = early.apply(EarlyStart.reading("weight"));
        // No kernel writes positions and slots but a step's last one, and the next step begins when that has ended.
        Schedule turning = early.apply(EarlyStart.reading("position", "slot", "cosine", "sine"));
        Schedule looking = early.apply(EarlyStart.reading("position", "sequence", "table"));
        PagedAttention attention = new PagedAttention(config);
        return new Kernels(embedding().with(any), rmsNorm(false).with(weight),
                rmsNorm(true).with(weight.with(ofRows(config.width()))),
                TOKENS.stream().map(tokens -> gatedProduct(tokens).with(weight)).toList(),
                logitsOfRows().with(weight),
                List.of(partialProducts().with(weight.with(whole)), partialProducts().with(weight)),
                rotating(config).with(turning),
                List.of(attention.kernel().with(any), attention.apart().with(looking), attention.together().with(any)),
                picking().with(any), greatestOfSegments().with(any), advancing().with(any));
    }

    /** Four elements a thread: a block has a whole row, and nothing beside it. */
    private static Schedule ofRows(int width) {
        return Schedule.DEFAULT.with(TileOption.THREADS, Math.clamp(Integer.highestOneBit(width / 4), 128, 1024));
    }

    /** For this many rows. */
    TileKernel gated(int rows) {
        int number = 0;
        while (number < TOKENS.size() - 1 && TOKENS.get(number) < rows) {
            number++;
        }
        return gated.get(number);
    }

    /** For this many rows, and parts of k of a length. */
    TileKernel parts(int rows, long length) {
        return parts.get(rows <= TOKENS.getFirst() && length <= WHOLE ? 0 : 1);
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
            Value epsilon = k.scalar("epsilon", F32), n = width.value().toValue().to(F32);
            k.forEachRow(x, row -> {
                // All is loaded before threads wait for each other.
                Tile w = weight.tile().to(F32), v = x.row(row);
                for (int i = 0; added && i < PARTS; i++) {
                    v = v.plus(parts.get().tile(Span.at(i), row.column()));
                }
                Tile scale = v.times(v).sum().map(sum -> sum.dividedBy(n).plus(epsilon).rsqrt());
                y.storeRow(row, v.times(scale).times(w).to(BF16));
                if (added) {
                    x.storeRow(row, v);
                }
            });
        });
    }

    /**
     * SwiGLU of a product: {@code y = silu(x gateᵀ) * (x upᵀ)}. Of {@code weight} every {@link #GATED} rows of the gate
     * are followed by as many of the other matrix, so that a block has both.
     */
    private static TileKernel gatedProduct(int tokens) {
        return TileKernel.of("gated", k -> {
            Dim rows = k.dim("rows"), columns = k.dim("columns"), inner = k.dim("inner"), depth = k.dim("depth");
            Tensor x = k.in("x", BF16, rows, depth), weight = k.in("weight", BF16, columns, depth);
            Tensor y = k.out("y", BF16, rows, inner);
            k.forEachTile(List.of(k.steps(rows, tokens), k.steps(columns, WEIGHTS)), at -> {
                Tile both = k.fold(k.zeros(F32, WEIGHTS, tokens), k.steps(depth, DEEP), (s, i) ->
                        s.mma(weight.tile(at.column(), i), x.tile(at.row(), i).transposed()));
                Tile gate = both.slice(0, 0, GATED), up = both.slice(0, GATED, GATED);
                y.store(gate.map(Value::silu).times(up).to(BF16).transposed(), at.row(),
                        Span.of(at.column().start().dividedBy(2), GATED));
            });
        });
    }

    /** {@code y = x weightᵀ} in f32. Of few tokens weights are the factor that tensor cores take more rows of. */
    private static TileKernel logitsOfRows() {
        return TileKernel.of("logits", k -> {
            Dim rows = k.dim("rows"), columns = k.dim("columns"), depth = k.dim("depth");
            Tensor x = k.in("x", BF16, rows, depth), weight = k.in("weight", BF16, columns, depth);
            Tensor y = k.out("y", F32, rows, columns);
            int tokens = TOKENS.getFirst();
            k.forEachTile(y, tokens, WEIGHTS, at -> y.store(at, k.fold(k.zeros(F32, WEIGHTS, tokens),
                    k.steps(depth, DEEP), (s, i) -> s.mma(weight.tile(at.column(), i), x.tile(at.row(), i)
                            .transposed())).transposed()));
        });
    }

    /** {@code y[p] = x[p] weight[p]ᵀ} in f32 of each part of k. */
    private static TileKernel partialProducts() {
        return TileKernel.of("partial", k -> {
            Dim parts = Dim.of(PARTS), rows = k.dim("rows"), columns = k.dim("columns"), depth = k.dim("depth");
            Tensor x = k.in("x", BF16, parts, rows, depth), weight = k.in("weight", BF16, parts, columns, depth);
            Tensor y = k.out("y", F32, parts, rows, columns);
            int tokens = TOKENS.getFirst();
            k.forEachTile(y, 1, tokens, WEIGHTS, at -> y.store(at, k.fold(k.zeros(F32, WEIGHTS, tokens),
                    k.steps(depth, DEEP), (s, i) -> s.mma(weight.tile(at.get(0), at.column(), i),
                            x.tile(at.get(0), at.row(), i).transposed())).transposed()));
        });
    }

    /**
     * Turns queries and keys by their positions, and puts keys and values into the cache. A row whose slot is below 0
     * leaves nothing there.
     */
    private static TileKernel rotating(Config config) {
        int half = config.headWidth() / 2;
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
            k.forEachTile(List.of(k.steps(rows, 1), k.steps(heads, 1)), at -> {
                Span row = at.row().kept(), head = at.column(), key = head.plus(config.heads());
                Span group = Span.of(head.start().times(config.group()), config.group());
                // What no launch in front writes comes first, and all is loaded before anything is stored.
                Tile p = position.tile(row), s = slot.tile(row), c = cosine.gather(p), t = sine.gather(p);
                Tile a = sum(x, row, group, first).to(F32), b = sum(x, row, group, second).to(F32);
                Tile e = sum(x, row, key, first).to(F32), f = sum(x, row, key, second).to(F32);
                Tile value = sum(x, row, key.plus(config.keyHeads()), Span.of(0, config.headWidth()));
                List<Dim> each = List.of(Dim.of(1), Dim.of(1), halfWidth);
                Tile cosines = c.reshaped(each), sines = t.reshaped(each);
                queries.store(a.times(cosines).minus(b.times(sines)).to(BF16), row, group, first);
                queries.store(b.times(cosines).plus(a.times(sines)).to(BF16), row, group, second);
                keys.scatter(Update.SET_APART, s, e.times(c).minus(f.times(t)).to(BF16), head, first);
                keys.scatter(Update.SET_APART, s, f.times(c).plus(e.times(t)).to(BF16), head, second);
                values.scatter(Update.SET_APART, s, value, head);
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
                Span segment = Span.at(at.column().start().dividedBy(SEGMENT));
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
            Value pages = k.scalar("pages", I32), context = k.scalar("context", I32);
            k.forEachTile(List.of(k.steps(rows, 1)), at -> {
                Span row = at.column().kept();
                Tile best = k.iota(Span.all(segments)).isEqualTo(values.tile(row).argMax(1));
                Tile token = best.choose(likeliest.tile(row), k.full(I32, Integer.MIN_VALUE)).max(1).reshaped(1);
                Tile next = position.tile(row).map(p -> p.plus(1)), before = slot.tile(row);
                Tile page = table.gather(sequence.tile(row).map(next, (s, p) -> s.times(pages)
                        .plus(p.dividedBy(PagedAttention.PAGE))));
                tokens.store(token, row);
                position.store(next, row);
                slot.store(Tile.map(List.of(before, page, next), v -> v.get(0).lessThan(0).choose(v.get(0),
                        v.get(1).times(PagedAttention.PAGE).plus(v.get(2).remainder(Value.i32(PagedAttention.PAGE))))),
                        row);
                made.scatter(Update.SET_APART, k.iota(row).to(I32).map(next, (r, p) -> r.times(context).plus(p))
                        .map(before, (place, s) -> s.lessThan(0).choose(Value.i32(-1), place)), token);
            });
        });
    }
}

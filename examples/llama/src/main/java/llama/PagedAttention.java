package llama;

import static dev.tilewright.program.value.ValueType.BF16;
import static dev.tilewright.program.value.ValueType.F32;
import static dev.tilewright.program.value.ValueType.I32;

import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Position;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.TileScope;
import java.util.List;

/**
 * Attention of each row to its sequence's keys up to its own position, page by page through the sequence's table: each
 * page by itself, and then one after the other in ascending order. A page that lies behind the position changes
 * nothing. One kernel does it all; of few rows another has a block for each page, and a third puts the pages together.
 * The bytes are the same.
 */
record PagedAttention(Config config) {
    /** Tokens of a page of the cache, which decide bits. */
    static final int PAGE = 64;

    /** Of each query the greatest score, the sum of weights, and that of weighted values. */
    private record Seen(Tile greatest, Tile weights, Tile values) {
        /** With what is seen behind it, where there is any. */
        Seen with(Seen more, Tile begun) {
            Tile most = greatest.max(more.greatest);
            Tile before = greatest.minus(most).exp2(), behind = more.greatest.minus(most).exp2();
            return new Seen(begun.choose(most, greatest),
                    begun.choose(weights.times(before).plus(more.weights.times(behind)), weights),
                    begun.choose(values.times(before).plus(more.values.times(behind)), values));
        }

        Tile result() {
            return values.dividedBy(weights).to(BF16);
        }
    }

    /** What a kernel is traced with. */
    private final class Trace {
        private final TileScope k;
        private final Dim rows, pages, heads = Dim.of(config.keyHeads()), group = Dim.of(config.group());
        private final Dim width = Dim.of(config.headWidth());
        private final Tensor position;

        private Trace(TileScope k) {
            this.k = k;
            rows = k.dim("rows");
            pages = k.dim("pages");
            position = k.in("position", I32, rows);
        }

        /** @param queries of a key head that a tile has */
        private Seen nothing(int queries) {
            return new Seen(k.full(F32, Double.NEGATIVE_INFINITY, queries, 1), k.zeros(F32, queries, 1),
                    k.zeros(F32, queries, config.headWidth()));
        }

        /** Whether a page does not lie behind a row's position. */
        private Tile begun(Span row, Span page) {
            return k.full(page.start().times(PAGE).toValue()).to(I32).atMost(position.tile(row.kept()));
        }
    }

    /** The cache, and what queries find in a page of it. */
    private final class Pages {
        private final Trace trace;
        private final Tensor queries, keys, values, sequence, table;

        private Pages(Trace trace) {
            this.trace = trace;
            TileScope k = trace.k;
            Dim slots = k.dim("slots"), sequences = k.dim("sequences");
            queries = k.in("queries", BF16, trace.rows, trace.heads, trace.group, trace.width);
            keys = k.in("keys", BF16, slots, trace.heads, trace.width);
            values = k.in("values", BF16, slots, trace.heads, trace.width);
            sequence = k.in("sequence", I32, trace.rows);
            table = k.in("table", I32, sequences, trace.pages);
        }

        private Seen of(Span row, Span head, Span page) {
            TileScope k = trace.k;
            Tile seen = k.iota(Span.of(page.start().times(PAGE), PAGE)).to(I32).atMost(trace.position.tile(row.kept()));
            Tile where = seen.choose(table.gather(sequence.tile(row.kept()), page).map(v -> v.times(PAGE))
                    .plus(k.iota(Span.of(0, PAGE)).to(I32)), k.full(I32, -1));
            Tile query = queries.tile(row, head);
            Tile key = keys.gather(where, head), value = values.gather(where, head);
            Tile scores = seen.choose(k.zeros(F32, config.group(), PAGE).mma(query, key.transposed())
                    .times(1 / (Math.sqrt(config.headWidth()) * Math.log(2))),
                    k.full(F32, Double.NEGATIVE_INFINITY));
            Tile greatest = scores.max(1), weights = scores.minus(greatest).exp2();
            return new Seen(greatest, weights.sum(1), k.zeros(F32, config.group(), config.headWidth())
                    .mma(weights.to(BF16), value));
        }
    }

    /** Of rows by their key heads, each through all pages. */
    TileKernel kernel() {
        return TileKernel.of("attend", k -> {
            Trace trace = new Trace(k);
            Pages pages = new Pages(trace);
            Tensor y = k.out("y", BF16, trace.rows, trace.heads, trace.group, trace.width);
            k.forEachTile(List.of(k.steps(trace.rows, 1), k.steps(trace.heads, 1)), at -> y.store(at, k.fold(
                    trace.nothing(config.group()), k.steps(trace.pages, 1), (was, page) -> was.with(pages.of(at.row(),
                    at.column(), page), trace.begun(at.row(), page))).result()));
        });
    }

    /** Of rows by their key heads by pages, for {@link #together}. */
    TileKernel apart() {
        return TileKernel.of("attend_apart", k -> {
            Trace trace = new Trace(k);
            Pages pages = new Pages(trace);
            Tensor greatest = k.out("greatest", F32, trace.rows, trace.pages, trace.heads, trace.group, Dim.of(1));
            Tensor weights = k.out("weights", F32, trace.rows, trace.pages, trace.heads, trace.group, Dim.of(1));
            Tensor sums = k.out("sums", F32, trace.rows, trace.pages, trace.heads, trace.group, trace.width);
            k.forEachTile(List.of(k.steps(trace.rows, 1), k.steps(trace.pages, 1), k.steps(trace.heads, 1)), at -> {
                Seen seen = pages.of(at.get(0), at.get(2), at.get(1));
                greatest.store(at, seen.greatest);
                weights.store(at, seen.weights);
                sums.store(at, seen.values);
            });
        });
    }

    /** Puts the pages of {@link #apart} together. */
    TileKernel together() {
        return TileKernel.of("attend_together", k -> {
            Trace trace = new Trace(k);
            Tensor greatest = k.in("greatest", F32, trace.rows, trace.pages, trace.heads, trace.group, Dim.of(1));
            Tensor weights = k.in("weights", F32, trace.rows, trace.pages, trace.heads, trace.group, Dim.of(1));
            Tensor sums = k.in("sums", F32, trace.rows, trace.pages, trace.heads, trace.group, trace.width);
            Tensor y = k.out("y", BF16, trace.rows, trace.heads, trace.group, trace.width);
            // A block has one query: its threads need nothing of each other.
            k.forEachTile(List.of(k.steps(trace.rows, 1), k.steps(trace.heads, 1), k.steps(trace.group, 1)), at ->
                    y.store(k.fold(trace.nothing(1), k.steps(trace.pages, 1), (was, page) -> was.with(new Seen(
                    of(greatest, at, page), of(weights, at, page), of(sums, at, page)), trace.begun(at.get(0), page)))
                    .result(), at.get(0), at.get(1), at.get(2).kept()));
        });
    }

    /** What a page had for a query. */
    private static Tile of(Tensor tensor, Position at, Span page) {
        return tensor.tile(at.get(0), page, at.get(1), at.get(2).kept());
    }
}

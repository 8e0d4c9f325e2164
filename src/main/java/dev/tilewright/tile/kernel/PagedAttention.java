package dev.tilewright.tile.kernel;

import dev.tilewright.NotNull;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Position;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.TileScope;
import java.util.List;
import java.util.Objects;

/**
 * Attention to keys and values that lie in pages of a cache, as decoding has it: {@code q} and {@code out} are {@code
 * batch} by {@code heads} by the group of query heads by {@code queries} by the head's width, {@code k} and {@code v}
 * are {@code pages} by {@code heads} by the keys of a page by the width. Row {@code b} of {@code table}, i32, has the
 * numbers of member {@code b}'s pages in order, and {@code lengths}, i32, how many keys it has, including those of its
 * queries: query {@code i} is at place {@code length + i - queries}, and sees no later key.
 *
 * {@snippet :
 * TileKernel decode = PagedAttention.of(Attention.of(ValueType.BF16).withGroupsOf(8), 16).kernel();
 * PagedAttention.requirePages(table, slots, lengths, 16, pages);
 * decode.onCpu().set("q", q, batch, heads, 8, 1, 128).set("k", k, pages, heads, 16, 128)
 *         .set("v", v, pages, heads, 16, 128).set("table", table, batch, slots).set("lengths", lengths, batch)
 *         .set("out", out, batch, heads, 8, 1, 128).run();
 * }
 *
 * <p>A member has the bits that {@link Attention} with the same options, causal, gives for its keys in a row:
 * whatever pages they lie in, and whatever else is in the batch. What is in a page behind a member's length is not
 * looked at. A turn takes all members' blocks, as many as {@code table} has columns for.
 *
 * @param attention its width, scale, window, group and block of keys; {@code rows} are queries of a tile. Tensor cores
 *     multiply 64 rows, which are {@code rows} of each query head of a group: Hopper's read the cache as fast as memory
 *     goes where that is just what there are, 8 of a group of 8
 * @param page keys of a page: a power of two of which a block of keys has one or more
 */
public record PagedAttention(Attention attention, int page) {
    public PagedAttention {
        Objects.requireNonNull(attention, "attention");
        if (page < 1 || Integer.bitCount(page) != 1 || page > attention.keyBlock()) {
            throw new IllegalArgumentException("a page has a power of two of keys, of which a block of "
                    + attention.keyBlock() + " has one or more, got " + page);
        }
    }

    /** Attention over pages of this many keys. */
    public static PagedAttention of(Attention attention, int page) {
        return new PagedAttention(attention, page);
    }

    /**
     * Refuses a table of pages that does not fit: what a kernel would read as zeros.
     *
     * @param table page numbers, a row a member
     * @param slots of a row
     * @param lengths keys of each member
     * @param page keys of a page
     * @param pages that there are
     */
    public static void requirePages(int[] table, int slots, int[] lengths, int page, int pages) {
        NotNull.all("table, lengths", table, lengths);
        if (slots < 0 || page < 1 || pages < 0) {
            throw new IllegalArgumentException("a row of a table has 0 slots or more, a page 1 key or more, and there "
                    + "are 0 pages or more, got " + slots + ", " + page + " and " + pages);
        }
        if (table.length != (long) slots * lengths.length) {
            throw new IllegalArgumentException("a table of " + lengths.length + " rows of " + slots + " pages has "
                    + (long) slots * lengths.length + " numbers, got " + table.length);
        }
        for (int member = 0; member < lengths.length; member++) {
            if (lengths[member] < 0 || lengths[member] > (long) slots * page) {
                throw new IllegalArgumentException("member " + member + " has " + lengths[member] + " keys, and its "
                        + slots + " pages of " + page + " have room for " + (long) slots * page);
            }
            for (int slot = 0; slot < Math.ceilDiv(lengths[member], page); slot++) {
                int number = table[member * slots + slot];
                if (number < 0 || number >= pages) {
                    throw new IllegalArgumentException("page " + slot + " of member " + member + " is number " + number
                            + ", and " + (pages == 0 ? "there are none" : "there are pages 0 to " + (pages - 1)));
                }
            }
        }
    }

    /** The kernel: {@code paged_attention}. */
    public TileKernel kernel() {
        return TileKernel.of("paged_attention", k -> {
            ValueType type = attention.type();
            Dim batch = k.dim("batch"), heads = k.dim("heads"), queries = k.dim("queries"), slots = k.dim("slots");
            Dim pages = k.dim("pages"), group = Dim.of(attention.group()), wide = Dim.of(attention.width());
            Tensor q = k.in("q", type, batch, heads, group, queries, wide);
            Tensor key = k.in("k", type, pages, heads, Dim.of(page), wide);
            Tensor v = k.in("v", type, pages, heads, Dim.of(page), wide);
            Tensor table = k.in("table", ValueType.I32, batch, slots).outside(-1);
            Tensor lengths = k.in("lengths", ValueType.I32, batch);
            Tensor out = k.out("out", type, batch, heads, group, queries, wide);
            long height = (long) attention.group() * attention.rows();
            k.forEachTile(List.of(k.steps(batch, 1), k.steps(heads, 1), k.steps(queries, attention.rows())), at -> {
                Span all = Span.all(group), rows = Span.of(at.get(2).start(), attention.rows());
                Tile length = lengths.tile(at.get(0));
                Tile place = places(k, rows, queries, length);
                Tile query = q.tile(at.get(0), at.get(1), all, rows).reshaped(height, attention.width());
                Attention.State end = k.fold(attention.start(k, height), k.steps(slots, attention.keyBlock() / page),
                        (state, block) -> {
                            Span keys = Span.of(block.start().times(page), attention.keyBlock());
                            Tile numbers = table.tile(at.get(0), Span.of(block.start(), attention.keyBlock() / page));
                            Tile number = k.iota(keys).to(ValueType.I32);
                            return attention.next(k, state, scores -> seen(scores, number, place, length), query,
                                    paged(key, numbers, at), within(paged(v, numbers, at), number, length));
                        });
                out.store(Attention.end(end).to(type).reshaped(attention.group(), attention.rows(),
                        attention.width()), at.get(0), at.get(1), all, rows);
            });
        });
    }

    /** Where each row's query is among the keys: rows of one query head after those of another. */
    private Tile places(TileScope k, Span rows, Dim queries, Tile length) {
        Value before = queries.value().minus(rows.start()).toValue().to(ValueType.I32);
        Span all = Span.of(0, attention.group() * attention.rows()).kept();
        return k.iota(all).to(ValueType.I32).map(length, (i, n) -> i.and(Value.i32(attention.rows() - 1)).plus(n)
                .minus(before)).asColumn();
    }

    private Tile paged(Tensor cache, Tile numbers, Position at) {
        return cache.gather(numbers, at.get(1)).reshaped(attention.keyBlock(), attention.width());
    }

    private Tile seen(Tile scores, Tile number, Tile place, Tile length) {
        return Tile.map(List.of(scores, number, place, length), v -> {
            Value sees = v.get(1).lessThan(v.get(3)).and(v.get(1).atMost(v.get(2)));
            Value near = attention.window() > 0 ? sees.and(v.get(2).minus(v.get(1)).lessThan(
                    Value.i32(attention.window()))) : sees;
            return near.choose(v.get(0), Value.f32(Float.NEGATIVE_INFINITY));
        });
    }

    /** Zeros behind the length, where anything may lie. */
    private Tile within(Tile values, Tile number, Tile length) {
        return Tile.map(List.of(values, number.asColumn(), length), v -> v.get(1).lessThan(v.get(2)).choose(v.get(0),
                Value.of(attention.type(), 0)));
    }
}

package dev.tilewright.tile.lower.packed;

import dev.tilewright.program.Body;
import dev.tilewright.program.Warp;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedRegion;

/**
 * The copies of packed bytes by the warp that multiplies them, line after line of each of its columns, 16 bytes a
 * thread: neighbouring threads take a row, whose length is a multiple of 16 bytes. Chunks are swizzled, so that those
 * who read rows meet all banks.
 */
final class PackedCopies {
    private static final int CHUNK = 16;
    private static final int LINE = 128;
    private static final int SWIZZLED = 8;
    /** Lines that come to L2 before the launch in front is waited for; two took longer. */
    private static final int AHEAD = 1;

    private final PackedPattern pattern;
    private final PackedRows rows;
    private final SharedRegion.Buffer lines;
    private final Expr column;
    private final Expr lane;
    private final Expr columns;
    private final Expr below;
    private final Register from;
    private final Register rest;
    private final Expr to;

    /**
     * @param body where the places in memory are computed
     * @param line where the warp's lines go, in bytes
     * @param column the warp's first
     * @param first turn of the part, of the whole of k
     */
    PackedCopies(Body body, PackedPattern pattern, PackedRows rows, SharedRegion.Buffer lines, Expr line, Expr column,
            Expr first) {
        this.pattern = pattern;
        this.rows = rows;
        this.lines = lines;
        this.column = column;
        int chunks = pattern.lineBytes() / CHUNK;
        lane = body.let("lane", Builtin.THREAD.modulo(Warp.LANES));
        Expr chunk = lane.modulo(chunks).times(CHUNK);
        Expr row = lane.dividedBy(chunks);
        columns = body.purpose("columns of the tile that there are").let("columns", rows.there(pattern.sums()
                .getLast()));
        below = body.purpose("from one of a thread's rows to the next").let("below", rows.stride().times(Warp.LANES
                / chunks));
        Expr along = first.toS64().times(pattern.rowBytes()).plus(chunk.toS64());
        from = body.purpose("where this thread's next bytes of '" + rows.pointer().name() + "' are").variable(
                "packed_from", rows.start(column.plus(row)).plus(along));
        rest = body.purpose("how many its rows have from there on").variable("packed_rest", rows.length().minus(along)
                .min(Integer.MAX_VALUE).toS32());
        to = body.purpose("where they go").let("packed_to", line.plus(place(pattern, row, lane.modulo(chunks))));
    }

    /** Packed bytes that are copied at once for a warp. */
    static int bytes(PackedPattern pattern) {
        return PackedPattern.WARP_COLUMNS * pattern.lineBytes();
    }

    /** Where a chunk of a row is, in a line of a warp's columns. */
    static Expr place(PackedPattern pattern, Expr row, Expr chunk) {
        int bytes = pattern.lineBytes();
        return row.times(bytes).plus(chunk.xor(row.modulo(SWIZZLED).times(bytes).dividedBy(LINE)
                .bitAnd(bytes / CHUNK - 1)).times(CHUNK));
    }

    /** Fetches a part's first lines of packed bytes to L2. @param turn of the whole of k */
    void fetch(Body body, Expr turn) {
        int bytes = AHEAD * pattern.lineBytes();
        Expr along = body.purpose("bytes of '" + rows.pointer().name() + "'").let("along",
                turn.toS64().times(pattern.rowBytes()));
        Expr row = column.plus(lane);
        Expr inside = along.plus(Expr.of((long) bytes)).atMost(rows.length());
        body.purpose("a row's first lines come to L2, which changes nothing").when(row.lessThan(columns).and(inside),
                b -> b.bulkPrefetch(rows.at(rows.start(row).plus(along)), bytes));
    }

    /** Starts the copies of the next line; what lies outside of the tensor is filled in. */
    void next(Body body) {
        int apart = Warp.LANES * CHUNK / pattern.lineBytes();
        Expr inside = body.purpose("columns behind the thread's first whose rows go on here").let("inside", rest.get()
                .toIndex().atLeast(1).choose(columns.minus(column).minus(lane.dividedBy(pattern.lineBytes()
                / CHUNK)), 0));
        for (int i = 0; i < PackedPattern.WARP_COLUMNS / apart; i++) {
            // The swizzle of rows that lie so far apart.
            int other = i * apart % SWIZZLED * pattern.lineBytes() / LINE % (pattern.lineBytes() / CHUNK) * CHUNK;
            body.cpAsync(lines.at(to.xor(other).plus(i * apart * pattern.lineBytes())),
                    rows.at(from.get().toIndex().plus(below.times(i))), CHUNK)
                    .sourceBytes(Expr.of(i * apart).lessThan(inside).choose(CHUNK, 0));
        }
        body.assign(from, from.get().toIndex().plus(pattern.lineBytes()));
        body.assign(rest, rest.get().toIndex().minus(pattern.lineBytes()));
    }
}

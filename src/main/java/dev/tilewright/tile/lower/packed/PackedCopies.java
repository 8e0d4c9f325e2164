package dev.tilewright.tile.lower.packed;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.SharedRegion;
import java.util.function.Consumer;

/**
 * The copies of a warp, 16 bytes a thread: neighbouring threads take a row, of the packed bytes all of a line; rows
 * have a multiple of 16 bytes. Chunks are swizzled, so that those who read rows meet all banks.
 */
final class PackedCopies {
    private static final int WARP = PackedPattern.WARP;
    private static final int CHUNK = 16;
    private static final int LINE = 128;
    private static final int SWIZZLED = 8;
    /** Lines that come to L2 before the launch in front is waited for; two took longer. */
    private static final int AHEAD = 1;

    private final PackedPattern pattern;
    private final PackedTurns.Sources from;
    private final SharedRegion.Buffer left;
    private final SharedRegion.Buffer packed;
    private final Expr lane;
    private final Expr column;
    private final Expr rows;
    private final Expr columns;
    private final Expr packedFrom;
    private final Expr packedBelow;
    private final Expr leftFrom;
    private final Expr leftBelow;

    /** @param body where the places in memory are computed @param column the warp's first */
    PackedCopies(Body body, PackedPattern pattern, PackedTurns.Sources from, SharedRegion.Buffer left,
            SharedRegion.Buffer packed, Expr column) {
        this.pattern = pattern;
        this.from = from;
        this.left = left;
        this.packed = packed;
        this.column = column;
        lane = body.let("lane", Builtin.THREAD.modulo(WARP));
        rows = body.purpose("rows of the tile that there are").let("rows", from.left()
                .there(pattern.sums().getFirst()));
        columns = body.purpose("and columns").let("columns", from.packed().there(pattern.sums().getLast()));
        packedFrom = body.purpose("where this thread's first bytes of packed rows lie").let("packed_from", from.packed()
                .start(column.plus(packedRow(0))).plus(packedChunk().times(CHUNK).toS64()));
        packedBelow = body.purpose("from one of its rows to the next").let("packed_below", from.packed().stride()
                .times(WARP * CHUNK / pattern.lineBytes()));
        leftFrom = body.purpose("where this thread's first bytes of the left factor lie").let("left_from", from.left()
                .start(leftRow(0))
                .plus(leftChunk().times(CHUNK / Short.BYTES).toS64()));
        leftBelow = body.let("left_below", from.left().stride().times(WARP * CHUNK / leftRowBytes()));
    }

    /** 16 bytes of each lane. */
    private static int units(int bytes) {
        return Math.ceilDiv(bytes, CHUNK * WARP);
    }

    private int leftRowBytes() {
        return pattern.group() * Short.BYTES;
    }

    private Expr packedRow(int unit) {
        int chunks = pattern.lineBytes() / CHUNK;
        return lane.dividedBy(chunks).plus(unit * WARP / chunks);
    }

    private Expr packedChunk() {
        return lane.modulo(pattern.lineBytes() / CHUNK);
    }

    private Expr leftRow(int unit) {
        int chunks = leftRowBytes() / CHUNK;
        return lane.dividedBy(chunks).plus(unit * WARP / chunks);
    }

    private Expr leftChunk() {
        return lane.modulo(leftRowBytes() / CHUNK);
    }

    /** Bytes of the left factor that a turn of a warp takes in shared memory. */
    static int leftBytes(PackedPattern pattern) {
        return pattern.leftBytes();
    }

    /** Packed bytes that are copied at once for a warp. */
    static int packedBytes(PackedPattern pattern) {
        return PackedPattern.WARP_COLUMNS * pattern.lineBytes();
    }

    /** Where a chunk of a packed row is, in the bytes of a warp. */
    static Expr packedPlace(PackedPattern pattern, Expr row, Expr chunk) {
        int bytes = pattern.lineBytes();
        return row.times(bytes).plus(chunk.xor(row.modulo(SWIZZLED).times(bytes).dividedBy(LINE)
                .bitAnd(bytes / CHUNK - 1)).times(CHUNK));
    }

    /** Where a chunk of the left factor is in the bytes of a turn: in panels of 64 elements along k. */
    private Expr leftPlace(Expr row, Expr chunk) {
        return chunk.dividedBy(SWIZZLED).times(pattern.sums().getFirst() * LINE).plus(row.times(LINE))
                .plus(chunk.modulo(SWIZZLED).xor(row.modulo(SWIZZLED)).times(CHUNK));
    }

    /** Fetches a part's first lines of packed bytes to L2. @param turn of the whole of k, which there is */
    void fetch(Body body, Expr turn) {
        int bytes = AHEAD * pattern.lineBytes();
        Expr along = body.purpose("bytes of '" + from.packed().pointer().name() + "'").let("along",
                turn.toS64().times(pattern.rowBytes()));
        Expr row = column.plus(lane);
        Expr inside = along.plus(Expr.of((long) bytes)).atMost(from.packed().length());
        body.purpose("a row's first lines come to L2, which changes nothing").when(row.lessThan(columns).and(inside),
                b -> b.bulkPrefetch(from.packed().at(from.packed().start(row).plus(along)), bytes));
    }

    /**
     * Starts the copies of packed bytes.
     *
     * @param stage where they go, its first byte
     * @param turn of the whole of k, which there is, the first of a line
     */
    void packed(Body body, Expr stage, Expr turn) {
        Expr along = body.purpose("bytes of '" + from.packed().pointer().name() + "'").let("along",
                turn.toS64().times(pattern.rowBytes()));
        Expr inside = body.purpose("columns whose rows go on here").let("inside", along.plus(packedChunk().times(CHUNK)
                .toS64()).lessThan(from.packed().length()).choose(columns.minus(column), Expr.of(0)));
        for (int i = 0; i < units(packedBytes(pattern)); i++) {
            body.cpAsync(packed.at(stage.plus(packedPlace(pattern, packedRow(i), packedChunk()))),
                    from.packed().at(packedFrom.plus(along).plus(packedBelow.times(i))), CHUNK)
                    .sourceBytes(packedRow(i).lessThan(inside).choose(CHUNK, 0));
        }
    }

    /**
     * Starts the copies of the left factor.
     *
     * @param stage where they go, its first byte
     * @param turn of the whole of k, which there is
     */
    void left(Body body, Expr stage, Expr turn) {
        Expr along = body.purpose("elements of '" + from.left().pointer().name() + "'").let("along",
                turn.toS64().times(pattern.group()));
        Expr inside = body.purpose("rows that go on here").let("inside", along.plus(leftChunk().times(CHUNK
                / Short.BYTES).toS64()).lessThan(from.left().length()).choose(rows, Expr.of(0)));
        int bytes = leftBytes(pattern);
        for (int i = 0; i < units(bytes); i++) {
            int unit = i;
            Consumer<Body> copy = b -> b.cpAsync(left.at(stage.plus(leftPlace(leftRow(unit), leftChunk()))),
                    from.left().at(leftFrom.plus(along).plus(leftBelow.times(unit))), CHUNK)
                    .sourceBytes(leftRow(unit).lessThan(inside).choose(CHUNK, 0));
            if (bytes < WARP * CHUNK) {
                body.purpose("threads that have a part of it").when(lane.lessThan(bytes / CHUNK), copy);
            } else {
                copy.accept(body);
            }
        }
    }
}

package dev.tilewright.tile.lower.packed;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.SharedRegion;
import java.util.function.Consumer;

/**
 * The copies of a part's turns by its own warps, 16 bytes a thread: neighbouring threads take a row, of the packed
 * bytes all of a turn; rows have a multiple of 16 bytes. Chunks of packed rows are swizzled, rows of the left factor
 * lie apart by 32 bytes more than they have, so that those who read them meet all banks.
 */
final class PackedCopies {
    private static final int CHUNK = 16;
    private static final int LINE = 128;
    private static final int SWIZZLED = 8;
    private static final int APART = 32;

    private final PackedPattern pattern;
    private final PackedTurns.Sources from;
    private final SharedRegion.Buffer left;
    private final SharedRegion.Buffer packed;
    private final Expr slot;
    private final Expr thread;
    private final Expr rows;
    private final Expr columns;
    private final Expr packedFrom;
    private final Expr packedBelow;
    private final Expr leftFrom;
    private final Expr leftBelow;

    /** @param slot of the part among those of a stage @param body where the places in memory are computed */
    PackedCopies(Body body, PackedPattern pattern, PackedTurns.Sources from, SharedRegion.Buffer left,
            SharedRegion.Buffer packed, Expr slot) {
        this.pattern = pattern;
        this.from = from;
        this.left = left;
        this.packed = packed;
        this.slot = slot;
        thread = body.purpose("which thread of the part's").let("copier", Builtin.THREAD.modulo(threads()));
        rows = body.purpose("rows of the tile that there are").let("rows", from.left()
                .there(pattern.sums().getFirst()));
        columns = body.purpose("and columns").let("columns", from.packed().there(pattern.sums().getLast()));
        packedFrom = body.purpose("where this thread's first bytes of packed rows lie").let("packed_from", from.packed()
                .start(packedRow(0)).plus(packedChunk().times(CHUNK).toS64()));
        packedBelow = body.purpose("from one of its rows to the next").let("packed_below", from.packed().stride()
                .times(threads() * CHUNK / pattern.lineBytes()));
        leftFrom = body.purpose("where this thread's first bytes of the left factor lie").let("left_from", from.left()
                .start(leftRow(0))
                .plus(leftChunk().times(CHUNK / Short.BYTES).toS64()));
        leftBelow = body.let("left_below", from.left().stride().times(threads() * CHUNK / leftRowBytes()));
    }

    private int threads() {
        return PackedPattern.WARP * pattern.warpsOfPart();
    }

    /** 16 bytes of a thread. */
    private int units(int bytes) {
        return Math.ceilDiv(bytes, CHUNK * threads());
    }

    private int leftRowBytes() {
        return pattern.group() * Short.BYTES;
    }

    private Expr packedRow(int unit) {
        int chunks = pattern.lineBytes() / CHUNK;
        return thread.dividedBy(chunks).plus(unit * threads() / chunks);
    }

    private Expr packedChunk() {
        return thread.modulo(pattern.lineBytes() / CHUNK);
    }

    private Expr leftRow(int unit) {
        int chunks = leftRowBytes() / CHUNK;
        return thread.dividedBy(chunks).plus(unit * threads() / chunks);
    }

    private Expr leftChunk() {
        return thread.modulo(leftRowBytes() / CHUNK);
    }

    /** From one row of the left factor to the next in shared memory, in bytes. */
    static int leftPitch(PackedPattern pattern) {
        return pattern.group() * Short.BYTES + APART;
    }

    /** Bytes of the left factor that a turn of a part takes in shared memory. */
    static int leftBytes(PackedPattern pattern) {
        return pattern.sums().getFirst() * leftPitch(pattern);
    }

    /** Packed bytes that are copied at once for a part. */
    static int packedBytes(PackedPattern pattern) {
        return pattern.sums().getLast() * pattern.lineBytes();
    }

    /** Where a chunk of a packed row is, in the bytes of a part. */
    static Expr packedPlace(PackedPattern pattern, Expr row, Expr chunk) {
        int bytes = pattern.lineBytes();
        return row.times(bytes).plus(chunk.xor(row.modulo(SWIZZLED).times(bytes).dividedBy(LINE)
                .bitAnd(bytes / CHUNK - 1)).times(CHUNK));
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
                .toS64()).lessThan(from.packed().length()).choose(columns, Expr.of(0)));
        for (int i = 0; i < units(packedBytes(pattern)); i++) {
            body.cpAsync(packed.at(stage.plus(slot.times(packedBytes(pattern))).plus(packedPlace(pattern,
                    packedRow(i), packedChunk()))), from.packed().at(packedFrom.plus(along).plus(packedBelow.times(i))),
                    CHUNK).sourceBytes(packedRow(i).lessThan(inside).choose(CHUNK, 0));
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
        int bytes = pattern.sums().getFirst() * leftRowBytes();
        for (int i = 0; i < units(bytes); i++) {
            int unit = i;
            Consumer<Body> copy = b -> b.cpAsync(left.at(stage.plus(slot.times(leftBytes(pattern))).plus(leftRow(unit)
                    .times(leftPitch(pattern))).plus(leftChunk().times(CHUNK))), from.left().at(leftFrom.plus(along)
                    .plus(leftBelow.times(unit))), CHUNK).sourceBytes(leftRow(unit).lessThan(inside).choose(CHUNK, 0));
            if (bytes < threads() * CHUNK) {
                body.purpose("threads that have a part of it").when(thread.lessThan(bytes / CHUNK), copy);
            } else {
                copy.accept(body);
            }
        }
    }
}

package dev.tilewright.tile.lower.ring;

import dev.tilewright.NotNull;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Axis;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.TileNode;
import dev.tilewright.tile.lower.analysis.Factor;
import dev.tilewright.tile.lower.layout.Layout;
import dev.tilewright.tile.lower.layout.Vectors;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * A factor of a product as threads' copies lay it in shared memory: rows of the tensor, each a power of two of bytes,
 * whose chunks of 16 bytes are exchanged by the row's number, so that {@code ldmatrix} meets all banks.
 *
 * @param factor what is loaded, and how it is meant
 * @param along whether neighbours in memory are neighbours along k
 * @param height of the tile in rows of the tensor
 * @param width of the tile in elements of such a row
 * @param rows in shared memory: a power of two, {@code height} or more
 * @param pitch bytes of a row in shared memory: a power of two, 16 or more
 * @param copied bytes of a copy: 4, 8 or 16
 */
public record RingFactor(Factor factor, boolean along, int height, int width, int rows, int pitch, int copied) {
    static final int CHUNK = 16;
    private static final int LINE = 128;
    private static final int MATRIX = 8;
    private static final int LEAST_COPY = 4;

    public RingFactor {
        NotNull.all("factor", factor);
    }

    /**
     * A factor of rows or columns by k.
     *
     * @param left whether it is A
     * @param extents of the factor, as it is multiplied
     * @param places of the factor that instructions take, a power of two each
     */
    static RingFactor of(Factor factor, boolean left, List<Integer> extents, List<Integer> places, Vectors vectors) {
        boolean along = factor.exchanged() != left;
        int outer = factor.exchanged() ? 1 : 0;
        TileNode.Load load = factor.load();
        int bytes = load.tensor().type().bytes();
        int height = extents.get(outer);
        int width = extents.get(1 - outer);
        return new RingFactor(factor, along, height, width, places.get(outer), Math.max(CHUNK,
                places.get(1 - outer) * bytes), bytes * vectors.widest(load.tensor(), load.axes(), List.of(height,
                width)));
    }

    /** Why copies do not bring what tensor cores read; nothing where they do. */
    Optional<String> whyNot() {
        TileNode.Load load = load();
        String name = load.tensor().name();
        if (load.outside().word() != 0) {
            return Optional.of("'" + name + "' is " + load.outside() + " outside, and copies fill with zeros");
        }
        boolean rows = load.axes().stream().allMatch(axis -> axis instanceof Span span && span.step() == 1
                && !span.clamped());
        if (!rows) {
            return Optional.of("places of '" + name + "' do not follow each other");
        }
        if (load.axes().getLast().single() || load.axes().stream().filter(axis -> !axis.single()).count() != 2) {
            return Optional.of("a tile of '" + name + "' is no rows of neighbours");
        }
        if (copied < LEAST_COPY) {
            return Optional.of("rows of '" + name + "' do not begin at multiples of 16 bytes, and cp.async copies 4 "
                    + "bytes or more");
        }
        return along || stored().bytes() > 1 ? Optional.empty() : Optional.of("ldmatrix takes factors of "
                + factor.type() + " whose neighbours along k lie together, and those of '" + name + "' along k are "
                + "rows apart: give it with the other order of dimensions");
    }

    /** Whether matrices that {@code ldmatrix} reads are what instructions take. */
    boolean isOfMatrices() {
        return stored().bytes() == 2 || along && stored().bytes() < Long.BYTES;
    }

    TileNode.Load load() {
        return factor.load();
    }

    ValueType stored() {
        return load().tensor().type();
    }

    /** In shared memory. */
    int bytes() {
        return rows * pitch;
    }

    /** The place among the load's axes of that from row to row. */
    int outer() {
        List<Axis> axes = load().axes();
        return IntStream.range(0, axes.size() - 1).filter(i -> !axes.get(i).single()).findFirst().orElseThrow();
    }

    /** What the chunks of a row are exchanged by. */
    Expr swizzle(Expr row) {
        int line = Math.min(pitch, LINE);
        return line == LINE ? row.modulo(MATRIX) : line == CHUNK ? Expr.of(0)
                : row.modulo(MATRIX).dividedBy(LINE / line).bitAnd(line / CHUNK - 1);
    }

    /** By what four rows exchange bytes beyond what the first four do. @param row the first of them */
    int exchangedAt(int row) {
        int line = Math.min(pitch, LINE);
        return row % MATRIX * line / LINE % (line / CHUNK) * CHUNK;
    }

    /** The byte in shared memory of a byte of a row. */
    Expr place(Expr row, Expr at) {
        return row.times(pitch).plus(at.dividedBy(CHUNK).xor(swizzle(row)).times(CHUNK)).plus(at.modulo(CHUNK));
    }

    /** The next power of two. */
    static int power(int extent) {
        return 1 << Layout.bitsOf(extent);
    }
}

package dev.tilewright.tile.lower;

import dev.tilewright.layout.MatrixMajor;
import dev.tilewright.layout.MatrixTile;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Axis;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.TileNode;
import dev.tilewright.tile.lower.analysis.Factor;
import dev.tilewright.tile.lower.analysis.Indexes;
import dev.tilewright.tile.lower.exchange.Exchange;
import dev.tilewright.tile.lower.layout.Bounds;
import dev.tilewright.tile.lower.layout.Im2col;
import dev.tilewright.tile.lower.layout.Multiples;
import dev.tilewright.tile.lower.layout.ProgramMaps;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.Optional;

/**
 * A factor of a product as the copy engine lays it in shared memory: in panels as wide as the swizzle's span, one
 * behind the other, or in one where there is none.
 *
 * @param factor what is loaded, and how it is meant
 * @param mn rows of A or columns of B
 * @param k the other extent
 * @param major which of them lies contiguous
 * @param brought rows, or columns, that a copy brings: fewer than there are where copies of those outside are left out
 * @param sharers blocks of a cluster each of which brings a part to all; 1 where a block brings its own
 */
record Operand(Factor factor, int mn, int k, MatrixMajor major, Swizzle swizzle, int brought, int sharers) {
    private static final int COPY_ALIGNMENT = 128;
    private static final int LINE = 128;
    /** The number of rows after which a swizzled pattern repeats. */
    static final int SWIZZLED_ROWS = 8;

    /** Why the copy engine does not bring a tile; nothing where it does. */
    static Optional<String> whyNotCopied(Factor factor, boolean left, boolean aligned) {
        TileNode.Load load = factor.load();
        if (!aligned) {
            return Optional.of("rows of '" + load.tensor().name() + "' do not begin at multiples of 16 bytes");
        }
        if (!load.outside().equals(Exchange.zero(load.outside().type()))) {
            return Optional.of("'" + load.tensor().name() + "' is " + load.outside() + " outside, and the copy engine "
                    + "fills with zeros");
        }
        Optional<String> within = whyNotChunks(load.tensor(), load.axes());
        if (within.isPresent()) {
            return within;
        }
        if (major(factor, left) == MatrixMajor.MN && factor.type().bytes() != 2 && factor.type() != ValueType.F32
                && factor.type() != ValueType.F64) {
            return Optional.of("tensor cores take factors of " + factor.type() + " whose neighbours along k lie "
                    + "together, and those of '" + load.tensor().name() + "' along k are rows apart: give it with the "
                    + "other order of dimensions");
        }
        return Im2col.of(load.axes()).map(patches -> Im2col.whyNot(load, patches, major(factor, left) == MatrixMajor.K))
                .orElseGet(() -> whyNotBoxes(load.tensor().name(), load.axes()));
    }

    private static MatrixMajor major(Factor factor, boolean left) {
        return factor.exchanged() == left ? MatrixMajor.MN : MatrixMajor.K;
    }

    /** Why places of a row do not begin where boxes do, in any launch; nothing where they do. */
    static Optional<String> whyNotChunks(Tensor tensor, List<Axis> axes) {
        return axes.getLast() instanceof Span span && !Multiples.isChunk(tensor, span) ? Optional.of("tiles of '"
                + tensor.name() + "' need not begin at multiples of 16 bytes of a row") : Optional.empty();
    }

    /** Why places are none that a box of the copy engine has; nothing where they are. */
    static Optional<String> whyNotBoxes(String tensor, List<Axis> axes) {
        if (!axes.stream().allMatch(axis -> axis instanceof Span span && span.step() == 1 && !span.clamped())) {
            return Optional.of("places of '" + tensor + "' do not follow each other");
        }
        return axes.getLast().single() ? Optional.of("'" + tensor + "' has one place in its last dimension")
                : Optional.empty();
    }

    /** As there, of places that are stored to: a box that begins before its tensor is loaded, but not stored. */
    static Optional<String> whyNotStored(String tensor, List<Axis> axes) {
        return whyNotBoxes(tensor, axes).or(() -> axes.stream().allMatch(axis -> axis instanceof Span span
                && Bounds.isNatural(span.start())) ? Optional.empty() : Optional.of("tiles may begin before '" + tensor
                + "' does, where the copy engine stores none"));
    }

    /**
     * A factor for tensor cores, or of f32 for fused multiply-adds, which read neighbours along rows or columns as they
     * are.
     *
     * @param factor A, or B
     * @param left whether it is A
     */
    static Operand of(Factor factor, int mn, int k, boolean left) {
        MatrixMajor major = major(factor, left);
        return new Operand(factor, mn, k, major, swizzle(factor.type(), major, major == MatrixMajor.K ? k : mn), mn, 1);
    }

    /** The widest whose span divides what lies together. @param contiguous elements */
    private static Swizzle swizzle(ValueType type, MatrixMajor major, int contiguous) {
        int row = contiguous * type.bytes();
        return type == ValueType.F32 && major == MatrixMajor.MN ? Swizzle.NONE
                : row % 128 == 0 ? Swizzle.B128 : row % 64 == 0 ? Swizzle.B64 : Swizzle.B32;
    }

    /** It as tensor cores read it. */
    MatrixTile matrix() {
        return new MatrixTile(mn, k, factor.type().bytes(), major, swizzle);
    }

    private int contiguousBytes() {
        return (major == MatrixMajor.K ? k : mn) * factor.type().bytes();
    }

    /** Bytes from a row of a panel to the next. */
    int pitch() {
        return swizzle == Swizzle.NONE ? contiguousBytes() : swizzle.span();
    }

    int panels() {
        return contiguousBytes() / pitch();
    }

    /** Elements of a panel's row. */
    int panelElements() {
        return pitch() / factor.type().bytes();
    }

    /** Bytes from one panel to the next. */
    int panelStride() {
        return (major == MatrixMajor.K ? mn : k) * pitch();
    }

    int bytes() {
        return panels() * panelStride();
    }

    /** What it begins at multiples of, for the copy engine and the swizzle. */
    int alignment() {
        return Math.max(COPY_ALIGNMENT, swizzle.period());
    }

    TileNode.Load load() {
        return factor.load();
    }

    /** What the copy engine takes elements for: it rounds those of tf32, of all others it moves the bits. */
    TensorDataType elements() {
        return factor.type() == ValueType.TF32 ? TensorDataType.TFLOAT32 : ProgramMaps.bits(factor.type());
    }

    /** The span of the load whose elements follow each other, in elements of a panel: the width of a copy's box. */
    List<Integer> box() {
        return load().axes().stream().map(axis -> axis.single() ? 1 : axis == load().axes().getLast()
                ? panelElements() : transposed() ? k : brought / sharers).toList();
    }

    /** This, of several steps along k at once. */
    Operand deep(int steps) {
        return new Operand(factor, mn, k * steps, major, swizzle(factor.type(), major, major == MatrixMajor.K
                ? k * steps : mn), brought, sharers);
    }

    /** This, a copy of which brings this many rows or columns. */
    Operand bringing(int rows) {
        return new Operand(factor, mn, k, major, swizzle, rows, sharers);
    }

    /** This, of which blocks of a cluster bring parts, or nothing where it has no such parts. */
    Optional<Operand> sharedBy(int blocks) {
        boolean parts = transposed() ? panels() % blocks == 0 : brought == mn && mn % (SWIZZLED_ROWS * blocks) == 0;
        return parts ? Optional.of(new Operand(factor, mn, k, major, swizzle, brought, blocks)) : Optional.empty();
    }

    /** The place among its load's axes of that along which are rows or columns, counted from the last, and not k. */
    int acrossFromLast() {
        return transposed() ? 0 : load().axes().size() - 1 - outer();
    }

    /** The place among its load's axes of that along k. */
    int along() {
        return transposed() ? outer() : load().axes().size() - 1;
    }

    /** The axis beside the last that is not a single place. */
    private int outer() {
        return IntStream.range(0, load().axes().size() - 1).filter(i -> !load().axes().get(i).single()).findFirst()
                .orElseThrow();
    }

    /** How many of a tile's rows, or columns, are within the tensor, at most. @param extents by name */
    long inside(Map<String, Long> extents) {
        int covered = 0;
        long inside = mn;
        for (Axis axis : load().axes()) {
            boolean last = axis == load().axes().getLast();
            if (!axis.single() && last == transposed()) {
                Indexes indexes = new Indexes(Map.of(), extents);
                inside = (axis instanceof Axis.Patches patches ? Im2col.pixels(patches, load().tensor(), indexes::of)
                        : indexes.of(load().tensor().dims().get(covered).value())).constant().orElse(inside);
            }
            covered += axis.covers();
        }
        return Math.min(mn, inside);
    }

    /** Whether rows of a dense tensor begin within lines of L2: what a copy reads of each lies in two of them. */
    boolean isAcrossLines(Map<String, Long> extents) {
        return new Indexes(Map.of(), extents).of(load().tensor().dims().getLast().value()).constant().orElse(0)
                * load().tensor().type().bytes() % LINE != 0;
    }

    boolean transposed() {
        return major == MatrixMajor.MN;
    }
}

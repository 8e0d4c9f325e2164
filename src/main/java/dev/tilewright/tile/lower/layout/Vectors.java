package dev.tilewright.tile.lower.layout;

import dev.tilewright.tile.Axis;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;
import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;

/**
 * How many neighbours one access takes.
 *
 * @param aligned whether a tensor's rows begin at multiples of 16 bytes and are that long: each group of 16 bytes is
 *     then wholly inside or wholly outside
 */
public record Vectors(Predicate<Tensor> aligned) {
    /** Bits of a place that a thread holds side by side: the most that an access of any of these tensors takes. */
    public int bits(Collection<Tensor> tensors) {
        return tensors.stream().filter(aligned).mapToInt(t -> Layout.bitsOf(Multiples.CHUNK / t.type().bytes())).max()
                .orElse(0);
    }

    /** Elements of one access, a power of two. @param extents of the tile */
    public int width(Tensor tensor, List<Axis> axes, Layout layout, List<Integer> extents) {
        return Math.min(widest(tensor, axes, extents), 1 << layout.side());
    }

    /** The most elements that an access may take, in any layout. @param extents of the tile */
    public int widest(Tensor tensor, List<Axis> axes, List<Integer> extents) {
        if (!aligned.test(tensor) || !(axes.getLast() instanceof Span span) || span.single() || span.step() != 1
                || span.clamped()) {
            return 1;
        }
        int most = Math.min(extents.getLast() & -extents.getLast(), Multiples.CHUNK / tensor.type().bytes());
        return Math.min(most, 1 << Math.min(Multiples.exponent(span.start()), Layout.bitsOf(most)));
    }
}

package dev.tilewright.tile.lower.layout;

import dev.tilewright.program.expression.Expr;
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
    private static final int BYTES = 16;

    /** Bits of a place that a thread holds side by side: the most that an access of any of these tensors takes. */
    public int bits(Collection<Tensor> tensors) {
        return tensors.stream().filter(aligned).mapToInt(t -> Layout.bitsOf(BYTES / t.type().bytes())).max().orElse(0);
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
        long divisor = gcd(gcd(divisor(span.start()), extents.getLast()), BYTES / tensor.type().bytes());
        return (int) Long.lowestOneBit(divisor);
    }

    /** A number that divides an index, whatever its variables are; 0 of 0. */
    private static long divisor(Expr e) {
        return e.constant().isPresent() ? Math.abs(e.constant().getAsLong()) : switch (e) {
            case Expr.Convert convert -> divisor(convert.value());
            case Expr.Binary binary -> switch (binary.op()) {
                case ADD, SUB -> gcd(divisor(binary.left()), divisor(binary.right()));
                case MUL -> divisor(binary.left()) * divisor(binary.right());
                default -> 1;
            };
            default -> 1;
        };
    }

    private static long gcd(long a, long b) {
        return b == 0 ? a : gcd(b, a % b);
    }
}

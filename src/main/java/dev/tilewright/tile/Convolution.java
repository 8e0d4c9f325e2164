package dev.tilewright.tile;

import dev.tilewright.NotNull;
import dev.tilewright.program.expression.Expr;
import java.util.List;
import java.util.Objects;

/**
 * The geometry of a convolution: for each spatial dimension, outermost first, the filter's extent, the stride of its
 * places, the dilation between its elements, and the padding before and after. An output exists where the whole filter
 * lies within the padded image: there are {@code (in + 2 padding - dilation (filter - 1) - 1) / stride + 1} of them.
 */
public record Convolution(List<Integer> filter, List<Integer> stride, List<Integer> dilation, List<Integer> padding) {
    public Convolution {
        filter = positive("filter", filter, 1);
        stride = positive("stride", stride, 1);
        dilation = positive("dilation", dilation, 1);
        padding = positive("padding", padding, 0);
        int rank = filter.size();
        if (rank < 1 || rank > 3 || stride.size() != rank || dilation.size() != rank || padding.size() != rank) {
            throw new IllegalArgumentException("a convolution has 1 to 3 spatial dimensions, and a stride, a dilation "
                    + "and a padding for each, got filter " + filter + ", stride " + stride + ", dilation " + dilation
                    + ", padding " + padding);
        }
    }

    private static List<Integer> positive(String what, List<Integer> numbers, int least) {
        NotNull.all(what, numbers);
        List<Integer> copy = List.copyOf(numbers);
        if (copy.stream().anyMatch(n -> n < least)) {
            throw new IllegalArgumentException("a convolution's " + what + " must be at least " + least + ", got "
                    + copy);
        }
        return copy;
    }

    /** A convolution of images by a square filter. */
    public static Convolution square(int filter, int stride, int padding) {
        return new Convolution(List.of(filter, filter), List.of(stride, stride), List.of(1, 1),
                List.of(padding, padding));
    }

    /** How many outputs a spatial dimension of this extent has; none where the filter does not fit. */
    public long outputs(int dimension, long in) {
        requireDimension(dimension);
        long rest = in + 2L * padding.get(dimension) - (long) dilation.get(dimension) * (filter.get(dimension) - 1) - 1;
        return rest < 0 ? 0 : rest / stride.get(dimension) + 1;
    }

    private void requireDimension(int dimension) {
        if (dimension < 0 || dimension >= filter.size()) {
            throw new IllegalArgumentException("a convolution of " + filter.size() + " spatial dimensions has no "
                    + "dimension " + dimension + ": they are counted from 0");
        }
    }

    /** How many outputs a spatial dimension has, as an extent. */
    public Dim outputs(int dimension, Dim in) {
        Objects.requireNonNull(in, "in");
        requireDimension(dimension);
        if (in.size().isPresent()) {
            return Dim.of(outputs(dimension, in.size().getAsLong()));
        }
        long each = stride.get(dimension);
        long without = 2L * padding.get(dimension) - (long) dilation.get(dimension) * (filter.get(dimension) - 1) - 1;
        return Dim.computed("outputs(" + in + " " + filter.get(dimension) + "/" + each + "/" + dilation.get(dimension)
                + "/" + padding.get(dimension) + ")", in.value().plus(Expr.of(without + each)).max(0)
                .dividedBy(Expr.of(each)));
    }
}

package dev.tilewright.tile.lower.layout;

import dev.tilewright.layout.Swizzle;
import dev.tilewright.layout.TensorDataType;
import dev.tilewright.program.Body;
import dev.tilewright.program.array.ArrayShape;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tensormap.Im2colTensorMap;
import dev.tilewright.tensormap.rules.Limits;
import dev.tilewright.tile.Axis;
import dev.tilewright.tile.Convolution;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.TileNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/**
 * What a filter's element meets, as the copy engine brings it: pixels of images in the order of a convolution's
 * outputs, by a map of their own kind (CUDA driver API, {@code cuTensorMapEncodeIm2col}).
 */
public final class Im2col {
    /** Elements from one pixel to the next, at most. */
    private static final int MOST_STRIDE = 8;

    private Im2col() {
    }

    /** What a load has of it; nothing of another. */
    public static Optional<Axis.Patches> of(List<Axis> axes) {
        return axes.getFirst() instanceof Axis.Patches patches ? Optional.of(patches) : Optional.empty();
    }

    /**
     * Why the copy engine does not bring a tile of pixels; nothing where it does.
     *
     * @param k whether channels go along k
     */
    public static Optional<String> whyNot(TileNode.Load load, Axis.Patches patches, boolean k) {
        String name = "'" + load.tensor().name() + "'";
        Convolution c = patches.convolution();
        int rank = c.filter().size();
        int end = Limits.cornerEnd(rank + 2);
        if (patches.pixels().step() != 1 || !(load.axes().getLast() instanceof Span channels) || channels.step() != 1
                || channels.clamped() || channels.single()) {
            return Optional.of("places of " + name + " do not follow each other");
        }
        if (!k) {
            return Optional.of("pixels of " + name + " go along k, and im2col copies have their channels follow each "
                    + "other");
        }
        for (int d = 0; d < rank; d++) {
            int reach = reach(c, d);
            if (c.stride().get(d) > MOST_STRIDE) {
                return Optional.of("im2col copies have strides of " + MOST_STRIDE + " at most, and that of " + name
                        + " is " + c.stride().get(d));
            }
            if (Math.max(c.padding().get(d), reach - c.padding().get(d)) > end || reach >= 2 * end
                    || c.padding().get(d) - reach == end) {
                return Optional.of("a filter's element lies up to " + reach + " places from its first, with a padding "
                        + "of " + c.padding().get(d) + " in " + name + ", and im2col copies of rank " + (rank + 2)
                        + " reach " + (2 * end - 1) + " places, " + end + " outside");
            }
        }
        return Optional.empty();
    }

    /** The map of images. @param box pixels and channels of a copy */
    public static Im2colTensorMap map(Convolution c, TensorDataType elements, ArrayShape shape, List<Integer> box,
            Swizzle swizzle) {
        int rank = c.filter().size();
        long[] extents = shape.extents().stream().mapToLong(e -> e).toArray();
        long[] steps = new long[rank + 2];
        long[] lower = new long[rank];
        long[] upper = new long[rank];
        steps[0] = 1;
        steps[rank + 1] = 1;
        for (int d = 0; d < rank; d++) {
            int reach = reach(c, d);
            steps[d + 1] = c.stride().get(d);
            lower[d] = -c.padding().get(d);
            upper[d] = c.padding().get(d) - reach;
            // Where the filter does not fit there is no output and no copy, and a map has one pixel at least.
            extents[d + 1] = Math.max(extents[d + 1], reach + 1 - 2L * c.padding().get(d));
        }
        return Im2colTensorMap.outermostFirst(elements).shape(extents).stridesInElements(shape.strides().stream()
                .mapToLong(s -> s).toArray()).elementStrides(steps).lowerCorner(lower).upperCorner(upper)
                .pixels(box.getFirst()).channels(box.getLast()).swizzle(swizzle).build(Target.SM_90);
    }

    /** From a filter's first element to its last. */
    private static int reach(Convolution c, int dimension) {
        return c.dilation().get(dimension) * (c.filter().get(dimension) - 1);
    }

    /** How many pixels there are along each dimension, outermost first. */
    private static List<Expr> outputs(Axis.Patches patches, Tensor tensor, UnaryOperator<Expr> own) {
        Convolution c = patches.convolution();
        return IntStream.range(0, c.filter().size()).mapToObj(d -> own.apply(tensor.dims().get(d + 1).value())
                .plus(Expr.of(2L * c.padding().get(d) - reach(c, d) - 1 + c.stride().get(d))).max(0)
                .dividedBy(c.stride().get(d))).toList();
    }

    /** How many pixels there are. */
    public static Expr pixels(Axis.Patches patches, Tensor tensor, UnaryOperator<Expr> own) {
        return outputs(patches, tensor, own).stream().reduce(own.apply(tensor.dims().getFirst().value()),
                Expr::times);
    }

    /**
     * Where copies of a tile's pixels begin, innermost first, of channels 0.
     *
     * @param row the pixel of the tile with which they begin
     */
    public static List<Expr> start(Body body, Axis.Patches patches, Tensor tensor, UnaryOperator<Expr> own, Expr row) {
        Convolution c = patches.convolution();
        List<Expr> outputs = outputs(patches, tensor, own);
        List<Expr> start = new ArrayList<>(Expr.list(0));
        Expr rest = body.purpose("the first pixel's index").let("pixel", own.apply(patches.pixels().start())
                .plus(row.toS64()));
        for (int d = outputs.size() - 1; d >= 0; d--) {
            // None where the filter does not fit: nothing is divided by zero then.
            Expr count = body.let("outputs", outputs.get(d).max(1));
            start.add(body.let("place", rest.modulo(count).times(c.stride().get(d))
                    .minus(c.padding().get(d)).as(IntType.S32)));
            rest = body.let("rest", rest.dividedBy(count));
        }
        start.add(rest.as(IntType.S32));
        return start;
    }

    /** How far a filter's element lies from its first, innermost first. */
    public static List<Expr> offsets(Axis.Patches patches, UnaryOperator<Expr> own) {
        return IntStream.range(0, patches.filter().size()).mapToObj(d -> own.apply(patches.filter().get(d))
                .times(Expr.of((long) patches.convolution().dilation().get(d))).as(IntType.S32)).toList().reversed();
    }
}

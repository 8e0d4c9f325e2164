package dev.tilewright.tile.kernel;

import dev.tilewright.NotNull;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Convolution;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Position;
import dev.tilewright.tile.Steps;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.TileScope;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A convolution of images of 1 to 3 spatial dimensions, as a product of what the filter's elements meet (im2col) and
 * the filters: {@code y = activation(patches w + bias)}. Channels are the innermost dimension. Sums are f32, through
 * the filter's elements in row-major order, and of each through the channels in ascending order, by the tensor cores'
 * arithmetic; of f32 a chain of fused multiply-adds.
 *
 * {@snippet :
 * TileKernel conv = Conv.of(ValueType.BF16, Convolution.square(3, 1, 1)).kernel();
 * conv.onCpu().set("x", x, images, height, width, channels).set("w", w, 9, channels, filters)
 *         .set("y", y, images * height * width, filters).run();
 * }
 *
 * @param type of {@code x}, {@code w} and {@code y}: f16, bf16 or f32
 * @param geometry the filter's extents, strides, dilations and paddings
 * @param bias whether a bias of f32 is added to each filter's outputs
 * @param activation of what is stored
 */
public record Conv(ValueType type, Convolution geometry, boolean bias, Activation activation) {
    private static final int PIXELS = 64;
    private static final int FILTERS = 64;
    /** Bytes along k of a step: as wide as a line, and as the swizzle of what tensor cores read. */
    private static final int DEPTH_BYTES = 128;
    private static final List<String> SPATIAL = List.of("depth", "height", "width");

    public Conv {
        NotNull.all("type, geometry, activation", type, geometry, activation);
    }

    /** A convolution without a bias or an activation. */
    public static Conv of(ValueType type, Convolution geometry) {
        return new Conv(type, geometry, false, Activation.NONE);
    }

    /** Adds a bias for each filter, before the activation. */
    public Conv withBias() {
        return new Conv(type, geometry, true, activation);
    }

    /** Applies a function to each sum, before it is rounded. */
    public Conv with(Activation function) {
        Objects.requireNonNull(function, "function");
        return new Conv(type, geometry, bias, function);
    }

    /**
     * The kernel. {@code x} has dimensions {@code images}, then of {@code depth}, {@code height} and {@code width} as
     * many as the filter has, the last ones, then {@code channels}; {@code w} the filter's elements, row-major, by
     * {@code channels} by {@code filters}; {@code y} all outputs of all images, row-major, by {@code filters}.
     */
    public TileKernel kernel() {
        int rank = geometry.filter().size();
        return TileKernel.of("conv_" + rank + "d", k -> {
            List<Dim> dims = new ArrayList<>(List.of(k.dim("images")));
            SPATIAL.subList(SPATIAL.size() - rank, SPATIAL.size()).forEach(name -> dims.add(k.dim(name)));
            Dim pixels = dims.getFirst(), channels = k.dim("channels"), filters = k.dim("filters");
            for (int i = 0; i < rank; i++) {
                pixels = pixels.times(geometry.outputs(i, dims.get(i + 1)));
            }
            dims.add(channels);
            Dim elements = Dim.of(geometry.filter().stream().reduce(1, Math::multiplyExact));
            Tensor x = k.in("x", type, dims.toArray(Dim[]::new)), w = k.in("w", type, elements, channels, filters);
            Optional<Tensor> added = bias ? Optional.of(k.in("bias", ValueType.F32, filters)) : Optional.empty();
            Tensor y = k.out("y", type, pixels, filters);
            k.forEachTile(y, PIXELS, FILTERS, at -> {
                Tile product = product(k, at, x, w, k.steps(channels, DEPTH_BYTES / type.bytes()));
                Tile sum = added.map(vector -> product.plus(vector.tile(at.column()))).orElse(product);
                y.store(at, (activation == Activation.NONE ? sum : sum.map(activation::of)).to(type));
            });
        });
    }

    private Tile product(TileScope k, Position at, Tensor x, Tensor w, Steps channels) {
        return k.fold(k.zeros(ValueType.F32, PIXELS, FILTERS), k.steps(w.dims().getFirst(), 1), (sum, element) ->
                k.fold(sum, channels, (s, c) -> s.mma(x.patches(geometry, at.row(), places(element.start()), c),
                        w.tile(element, c, at.column()))));
    }

    /** An element's place in the filter, of its number. */
    private List<Expr> places(Expr number) {
        int rank = geometry.filter().size();
        Expr[] places = new Expr[rank];
        Expr rest = number;
        for (int i = rank - 1; i >= 0; i--) {
            Expr extent = Expr.of((long) geometry.filter().get(i));
            places[i] = i == 0 ? rest : rest.modulo(extent);
            rest = rest.dividedBy(extent);
        }
        return Arrays.asList(places);
    }
}

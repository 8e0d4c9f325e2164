package dev.tilewright.tile.drawn;

import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Convolution;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Position;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileScope;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Convolutions of one to three spatial dimensions as products, and the greatest under a filter. */
final class PatchRecipe implements Recipe {
    private static final int MOST_TILE = 16;
    private static final List<Integer> MOST = List.of(60, 14, 7);

    private final Draw draw;
    private final int spatial;
    private final int pixels;
    private final int channels;
    private final boolean products;
    private final Convolution convolution;

    PatchRecipe(Draw draw) {
        this.draw = draw;
        spatial = draw.between(1, MOST.size());
        pixels = draw.extent(MOST_TILE);
        channels = draw.extent(MOST_TILE);
        products = draw.once(2);
        convolution = spatial == 2 && draw.once(2)
                ? Convolution.square(draw.between(1, 3), draw.between(1, 2), draw.between(0, 2))
                : new Convolution(numbers(1, spatial == 1 ? 5 : 2), numbers(1, 3), numbers(1, 2), numbers(0, 2));
    }

    private List<Integer> numbers(int least, int most) {
        return IntStream.range(0, spatial).mapToObj(_ -> draw.between(least, most)).toList();
    }

    @Override
    public int most(String dim) {
        return dim.equals("images") ? 3 : dim.startsWith("s") ? MOST.get(spatial - 1)
                : dim.equals("pixels") ? 200 : 24;
    }

    @Override
    public void trace(TileScope k) {
        List<Dim> dims = new ArrayList<>(List.of(k.dim("images")));
        IntStream.range(0, spatial).forEach(i -> dims.add(k.dim("s" + i)));
        Dim depth = k.dim("channels");
        dims.add(depth);
        ValueType type = products ? draw.any(ValueType.BF16, ValueType.F16, ValueType.F32) : draw.any(TileWords.TYPES);
        Tensor images = k.in("images_", type, dims.toArray(Dim[]::new));
        Dim outputs = draw.once(2) ? k.dim("pixels") : IntStream.range(0, spatial).mapToObj(i ->
                convolution.outputs(i, dims.get(i + 1))).reduce(dims.getFirst(), Dim::times);
        if (!products) {
            Tensor out = k.out("out", type, outputs, depth);
            k.forEachTile(out, pixels, channels, at -> out.store(at, greatest(k, images.outside(1), at)));
            return;
        }
        Dim filters = k.dim("filters");
        Tensor weights = k.in("weights", type, Dim.of(elements().size()).times(Dim.of(1)), depth, filters);
        Tensor out = k.out("out", draw.any(type, ValueType.F32), outputs, filters);
        k.forEachTile(out, pixels, channels, at -> out.store(at, product(k, images, weights, depth, at)
                .to(out.type())));
    }

    /** Numbers of all elements of the filter. */
    private List<List<Expr>> elements() {
        List<List<Expr>> all = List.of(List.of());
        for (int extent : convolution.filter()) {
            all = all.stream().flatMap(start -> IntStream.range(0, extent).mapToObj(i -> Stream.concat(start.stream(),
                    Stream.of(Expr.of((long) i))).toList())).toList();
        }
        return all;
    }

    private Tile greatest(TileScope k, Tensor images, Position at) {
        Tile greatest = null;
        for (List<Expr> element : elements()) {
            Tile under = images.patches(convolution, at.row().kept(), element, at.column().kept());
            greatest = greatest == null ? under : under.type().isArithmetic() ? greatest.max(under) : under;
        }
        return greatest.reshaped(Stream.of(at.row(), at.column()).filter(span -> !span.single()).map(Span::length)
                .toList());
    }

    private Tile product(TileScope k, Tensor images, Tensor weights, Dim depth, Position at) {
        Tile sum = k.zeros(ValueType.F32, pixels, channels);
        Along along = draw.along(16);
        int number = 0;
        for (List<Expr> element : elements()) {
            Span weight = Span.at(number++);
            sum = k.fold(sum, along.steps(k, depth), (s, i) -> s.mma(images.patches(convolution, at.row().kept(),
                    element, along.of(i)), weights.tile(weight, along.ofOther(i), at.column().kept())));
        }
        return sum.reshaped(Stream.of(at.row(), at.column()).filter(span -> !span.single()).map(Span::length)
                .toList());
    }
}

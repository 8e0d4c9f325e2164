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

/**
 * Convolutions in large tiles, as loops in each other: one through all elements of the filter, or one for each of its
 * dimensions, and in that one through channels. Filters, and what they meet, may be either factor.
 */
final class ConvolutionRecipe implements Recipe {
    private static final List<Integer> MOST = List.of(60, 9, 5);

    private final Draw draw;
    private final ValueType type;
    private final ValueType sums;
    private final Convolution convolution;
    private final int pixels;
    private final int filters;
    private final Along along;
    /** Every so many of a filter's elements, or of those along a dimension, take part. */
    private final int every;
    /** Whether a filter's channels follow each other in memory. */
    private final boolean turned;
    /** Whether filters are the left factor. */
    private final boolean exchanged;
    private final boolean eachDimension;
    private final boolean bias;

    ConvolutionRecipe(Draw draw) {
        this.draw = draw;
        type = draw.any(ValueType.BF16, ValueType.BF16, ValueType.F16, ValueType.F16, ValueType.TF32, ValueType.E4M3,
                ValueType.I8, ValueType.F32);
        sums = type.isInteger() ? ValueType.I32 : ValueType.F32;
        int spatial = draw.between(1, MOST.size());
        boolean far = draw.once(12);
        convolution = new Convolution(numbers(spatial, 1, spatial == 1 ? 5 : 3), numbers(spatial, 1, far ? 9 : 3),
                numbers(spatial, 1, far ? 12 : 3), numbers(spatial, 0, far ? 17 : 2));
        pixels = 64 << draw.below(3);
        filters = type == ValueType.F32 ? 128 * 128 / pixels : 16 << draw.below(pixels == 256 ? 3 : 5);
        along = draw.along(256 / type.bits() << draw.below(3));
        turned = type.bits() != 16 && type != ValueType.F32 || draw.once(3);
        exchanged = turned && type != ValueType.F32 && draw.once(3);
        eachDimension = draw.once(3);
        bias = draw.once(3);
        every = along.skips() ? 2 : 1;
    }

    private List<Integer> numbers(int count, int least, int most) {
        return IntStream.range(0, count).mapToObj(_ -> draw.between(least, most)).toList();
    }

    @Override
    public boolean isForCopyEngine() {
        return true;
    }

    @Override
    public List<Integer> units() {
        return List.of(1, 16, 16, 16, 16, 16, 16, 16);
    }

    @Override
    public int most(String dim) {
        return dim.equals("images") ? 3 : dim.startsWith("s") ? MOST.get(convolution.filter().size() - 1)
                : dim.equals("channels") ? 70 : 140;
    }

    @Override
    public void trace(TileScope k) {
        int spatial = convolution.filter().size();
        List<Dim> dims = new ArrayList<>(List.of(k.dim("images")));
        IntStream.range(0, spatial).forEach(i -> dims.add(k.dim("s" + i)));
        Dim channels = k.dim("channels"), count = k.dim("filters");
        dims.add(channels);
        ValueType held = type == ValueType.TF32 ? ValueType.F32 : type;
        Tensor images = k.in("images_", held, dims.toArray(Dim[]::new));
        Dim outputs = IntStream.range(0, spatial).mapToObj(i -> convolution.outputs(i, dims.get(i + 1)))
                .reduce(dims.getFirst(), Dim::times);
        Dim elements = Dim.of(convolution.filter().stream().reduce(1, Math::multiplyExact));
        Tensor weights = turned ? k.in("weights", held, elements, count, channels)
                : k.in("weights", held, elements, channels, count);
        Tensor out = k.out("out", held, exchanged ? count : outputs, exchanged ? outputs : count);
        Tensor added = bias ? k.in("bias", sums, exchanged ? outputs : count) : null;
        int rows = exchanged ? filters : pixels;
        int columns = exchanged ? pixels : filters;
        k.forEachTile(out, rows, columns, at -> {
            Tile sum = elements(k, k.zeros(sums, rows, columns), List.of(), (before, element) -> k.fold(before,
                    along.steps(k, channels), (s, c) -> product(s, images, weights, element, at, c)));
            Tile result = added == null ? sum : sum.plus(added.tile(at.column()));
            out.store(at, result.map(x -> ElementWords.to(draw, x, held)));
        });
    }

    private interface Element {
        Tile of(Tile before, List<Expr> places);
    }

    /** Through what is left of the filter's dimensions. */
    private Tile elements(TileScope k, Tile before, List<Expr> places, Element code) {
        List<Integer> filter = convolution.filter();
        if (places.size() == filter.size()) {
            return code.of(before, places);
        }
        if (!eachDimension) {
            return k.fold(before, k.steps(Dim.of(filter.stream().reduce(1, Math::multiplyExact)), every),
                    (sum, element) -> code.of(sum, takenApart(element.start())));
        }
        return k.fold(before, k.steps(Dim.of(filter.get(places.size())), every), (sum, at) -> {
            List<Expr> more = new ArrayList<>(places);
            more.add(at.start());
            return elements(k, sum, more, code);
        });
    }

    private List<Expr> takenApart(Expr number) {
        List<Expr> places = new ArrayList<>();
        Expr rest = number;
        for (int extent : convolution.filter().reversed()) {
            places.addFirst(rest.modulo(Expr.of((long) extent)));
            rest = rest.dividedBy(Expr.of((long) extent));
        }
        return places;
    }

    private Tile product(Tile sum, Tensor images, Tensor weights, List<Expr> element, Position at, Span step) {
        Expr number = Expr.of(0L);
        for (int i = 0; i < element.size(); i++) {
            number = number.times(Expr.of((long) convolution.filter().get(i))).plus(element.get(i));
        }
        Span channels = along.ofOther(step);
        Span which = exchanged ? at.row() : at.column();
        Tile met = images.patches(convolution, exchanged ? at.column() : at.row(), element, along.of(step));
        Tile weight = turned ? weights.tile(Span.at(number), which, channels)
                : weights.tile(Span.at(number), channels, which);
        if (type == ValueType.TF32) {
            met = met.to(type);
            weight = weight.to(type);
        }
        return exchanged ? sum.mma(weight, met.transposed()) : sum.mma(met, turned ? weight.transposed() : weight);
    }
}

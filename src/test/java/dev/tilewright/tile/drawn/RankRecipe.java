package dev.tilewright.tile.drawn;

import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Position;
import dev.tilewright.tile.Span;
import dev.tilewright.tile.Steps;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileScope;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/** Tiles of tensors of rank 1 to 5, some of whose dimensions are single places and some whole. */
final class RankRecipe implements Recipe {
    private static final int MOST_RANK = 5;
    private static final int MOST_ELEMENTS = 1500;
    private static final List<Integer> MOST = List.of(900, 60, 14, 8, 6);

    private final Draw draw;
    private final TileWords words;
    private final int rank;
    /** Leading dimensions that are gone through; the others are whole. */
    private final int stepped;
    private final List<Integer> lengths = new ArrayList<>();

    RankRecipe(Draw draw) {
        this.draw = draw;
        this.words = new TileWords(draw, false);
        rank = draw.between(1, MOST_RANK);
        stepped = draw.once(4) ? draw.between(0, rank - 1) : rank;
        int room = MOST_ELEMENTS;
        for (int i = 0; i < stepped; i++) {
            int length = draw.once(4) ? 1 : draw.extent(Math.max(1, Math.min(room, MOST.get(rank - 1))));
            lengths.add(length);
            room /= length;
        }
    }

    @Override
    public int most(String dim) {
        return MOST.get(rank - 1) * (rank == 1 ? 1 : 2);
    }

    @Override
    public void trace(TileScope k) {
        Dim[] dims = IntStream.range(0, rank).mapToObj(i -> k.dim("d" + i)).toArray(Dim[]::new);
        Tensor a = k.in("a", draw.any(TileWords.TYPES), dims).outside(1);
        Tensor b = k.in("b", draw.any(TileWords.TYPES), dims);
        Tensor out = k.out("out", draw.any(TileWords.TYPES), dims);
        if (rank == stepped && rank == 1) {
            k.forEachTile(out, lengths.get(0), at -> tile(k, at, a, b, out));
        } else if (rank == stepped && rank == 2 && draw.once(2)) {
            k.forEachTile(out, lengths.get(0), lengths.get(1), at -> tile(k, at, a, b, out));
        } else if (rank == stepped && rank == 3) {
            k.forEachTile(out, lengths.get(0), lengths.get(1), lengths.get(2), at -> tile(k, at, a, b, out));
        } else {
            k.forEachTile(IntStream.range(0, stepped).mapToObj(i -> new Steps(dims[i], lengths.get(i))).toList(),
                    at -> tile(k, at, a, b, out));
        }
    }

    private void tile(TileScope k, Position at, Tensor a, Tensor b, Tensor out) {
        Tile first = a.tile(at);
        List<Dim> shape = first.shape();
        words.add(k.zeros(ValueType.F32).plus(2));
        words.add(moved(at, b));
        words.add(first);
        if (!shape.isEmpty() && stepped == rank) {
            int axis = draw.below(rank);
            Span span = at.get(axis);
            if (!span.single()) {
                words.add(haloed(at, a, axis));
                words.add(permuted(b.tile(at)));
            }
        }
        words.grow(draw.between(2, 8));
        out.store(at, words.to(words.last(), out.type()));
    }

    /** Another tile of the same shape. */
    private Tile moved(Position at, Tensor tensor) {
        List<Span> spans = new ArrayList<>();
        for (int i = 0; i < stepped; i++) {
            Span span = at.get(i);
            spans.add(switch (draw.below(5)) {
                case 0 -> span.plus(draw.between(-3, 3));
                case 1 -> span.single() ? span.plus(1) : span.every(2);
                case 2 -> span.single() ? Span.at(draw.between(-1, 3)) : Span.of(draw.between(-3, 3), lengths.get(i));
                default -> span;
            });
        }
        if (stepped < rank && draw.once(2)) {
            spans.add(Span.all(tensor.dims().get(stepped)));
        }
        return tensor.tile(spans.toArray(Span[]::new));
    }

    /** With a halo along one dimension, of which a part is left. */
    private Tile haloed(Position at, Tensor tensor, int dimension) {
        List<Span> spans = new ArrayList<>(at.spans());
        spans.set(dimension, at.get(dimension).widened(1, 2));
        int axis = (int) at.spans().subList(0, dimension).stream().filter(span -> !span.single()).count();
        return tensor.tile(spans.toArray(Span[]::new)).slice(axis, draw.below(4), lengths.get(dimension));
    }

    /** With axes in another order, taken together along one, and back. */
    private Tile permuted(Tile tile) {
        int axes = tile.shape().size();
        List<Integer> order = new ArrayList<>(IntStream.range(0, axes).boxed().toList());
        Collections.rotate(order, draw.below(axes));
        int[] there = order.stream().mapToInt(i -> i).toArray();
        int[] back = IntStream.range(0, axes).map(order::indexOf).toArray();
        Tile turned = words.to(tile, ValueType.F32).transposed(there);
        return (draw.once(2) ? turned.max(draw.below(axes)) : turned.shifted(draw.below(axes), 1, -1)).transposed(back);
    }
}

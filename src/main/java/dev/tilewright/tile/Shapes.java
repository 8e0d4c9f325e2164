package dev.tilewright.tile;

import java.util.ArrayList;
import java.util.List;

/** How shapes go together. */
final class Shapes {
    private Shapes() { }

    /** Whether a shape's extents, aligned at the last, are those of the other or 1. */
    static boolean fits(List<Dim> shape, List<Dim> larger) {
        int before = larger.size() - shape.size();
        if (before < 0) {
            return false;
        }
        for (int i = 0; i < shape.size(); i++) {
            if (!shape.get(i).isOne() && !shape.get(i).equals(larger.get(before + i))) {
                return false;
            }
        }
        return true;
    }

    /** The shape that all of these fill. */
    static List<Dim> common(List<Tile> tiles) {
        List<Dim> shape = List.of();
        for (Tile tile : tiles) {
            shape = common(shape, tile);
        }
        return shape;
    }

    private static List<Dim> common(List<Dim> shape, Tile tile) {
        int rank = Math.max(shape.size(), tile.shape().size());
        List<Dim> common = new ArrayList<>();
        for (int i = 0; i < rank; i++) {
            Dim a = fromEnd(shape, rank - i);
            Dim b = fromEnd(tile.shape(), rank - i);
            if (!a.isOne() && !b.isOne() && !a.equals(b)) {
                throw new IllegalArgumentException("tiles of shapes " + Tensor.shown(shape) + " and "
                        + Tensor.shown(tile.shape()) + " do not go together: " + a + " and " + b
                        + " must be equal, or one of them 1");
            }
            common.add(a.isOne() ? b : a);
        }
        return common;
    }

    private static Dim fromEnd(List<Dim> shape, int place) {
        return place > shape.size() ? Dim.of(1) : shape.get(shape.size() - place);
    }

    /** How many elements, as an extent. */
    static Dim count(List<Dim> shape) {
        return shape.stream().reduce(Dim.of(1), (a, b) -> a.isOne() ? b : b.isOne() ? a : a.times(b));
    }

    static List<Dim> with(List<Dim> shape, int axis, Dim dim) {
        List<Dim> changed = new ArrayList<>(shape);
        changed.set(axis, dim);
        return changed;
    }
}

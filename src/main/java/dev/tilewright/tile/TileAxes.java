package dev.tilewright.tile;

import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.ExprSearch;
import dev.tilewright.program.expression.Value;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Which axes of a kernel's tiles follow a dimension of its grid: element {@code i} along such an axis has to do with
 * place {@code number * length + i} alone, whatever tile it is in, so that tiles may have another length.
 */
final class TileAxes {
    private static final int FREE = -2;
    private static final int FIXED = -1;

    private final Grid grid;
    private final Set<Integer> dimensions;
    private final Map<Tile, Integer> first = new HashMap<>();
    /** Of each axis one that is as long for the same reason, or itself. */
    private final List<Integer> same = new ArrayList<>();
    private final List<Integer> follows = new ArrayList<>();
    /** Of what is looked at. */
    private String line;

    /**
     * @param dimensions of the grid whose tiles are to have other lengths
     * @throws LineException if an element depends on which tile it is in; the message is a reason
     */
    TileAxes(Grid grid, Set<Integer> dimensions) {
        this.grid = grid;
        this.dimensions = dimensions;
        this.line = grid.line();
        region(grid.body());
    }

    /** The grid's dimension that an axis follows; nothing of an axis that stays as long as it is. */
    Optional<Integer> of(Tile tile, int axis) {
        return Optional.of(follows.get(find(id(tile, axis)))).filter(i -> i >= 0);
    }

    /** A span whose tile's number is multiplied by another length. */
    Span with(Span span, Map<Integer, Integer> lengths) {
        Optional<Integer> dimension = along(span.start());
        return dimension.map(i -> new Span(with(span.start(), i, lengths.get(i)), Dim.of(lengths.get(i)), 1, false,
                span.clamped()))
                .orElse(span);
    }

    private Expr with(Expr e, int dimension, long length) {
        return switch (e) {
            case Expr.Binary b when isStart(b, dimension) -> b.left().times(Expr.of(length));
            case Expr.Binary b when b.op() == Expr.Op.ADD -> with(b.left(), dimension, length).plus(with(b.right(),
                    dimension, length));
            case Expr.Binary b when b.op() == Expr.Op.SUB -> with(b.left(), dimension, length).minus(b.right());
            case Expr.Convert c -> with(c.value(), dimension, length).as(c.type());
            default -> e;
        };
    }

    private void region(Region region) {
        for (Region.Item item : region.items()) {
            switch (item) {
                case Tile tile -> {
                    line = tile.line();
                    tile(tile);
                }
                case Region.Store store -> {
                    line = store.line();
                    store(store);
                }
                case Region.When when -> {
                    requireNoNumber(when.condition(), "a condition");
                    region(when.then());
                }
                case TileNode.Loop loop -> {
                    requireNoNumber(loop.turns(), "a loop");
                    for (int i = 0; i < loop.carried().size(); i++) {
                        join(loop.carried().get(i), loop.initial().get(i));
                        join(loop.carried().get(i), loop.next().get(i));
                    }
                    region(loop.body());
                }
            }
        }
    }

    private void tile(Tile tile) {
        switch (tile.node()) {
            case TileNode.Full(Value value) -> requireNoNumber(value, tile);
            case TileNode.Iota(Span span) -> place(tile, 0, span);
            case TileNode.Load load -> places(tile, load.axes());
            case TileNode.Reduce(Tile of, int axis, var _) -> allBut(tile, of, axis);
            case TileNode.Extreme(Tile of, int axis, boolean _) -> allBut(tile, of, axis);
            case TileNode.Scan(Tile of, int axis, var _) -> allBut(tile, of, axis);
            case TileNode.Slice(Tile of, int axis, long _, var _) -> allBut(tile, of, axis);
            case TileNode.Transpose(Tile of, List<Integer> order) -> {
                for (int i = 0; i < order.size(); i++) {
                    join(tile, i, of, order.get(i));
                }
            }
            case TileNode.Reshape(Tile of) -> reshape(tile, of);
            case TileNode.Product(Tile c, Tile a, Tile b) -> {
                join(tile, c);
                join(tile, 0, a, 0);
                join(tile, 1, b, 1);
                join(a, 1, b, 0);
                follow(a, 1, FIXED);
            }
            case TileNode.Result(TileNode.Loop loop, int number) -> join(tile, loop.next().get(number));
            case TileNode.Carried _ -> throw new AssertionError(tile);
            case TileNode node -> {
                if (node instanceof TileNode.Map map) {
                    requireNoNumber(map.value(), tile);
                }
                node.aligned().forEach(input -> aligned(tile, input));
                node.inputs().stream().filter(input -> !node.aligned().contains(input)).forEach(this::fixed);
                if (node.aligned().isEmpty()) {
                    fixed(tile);
                }
            }
        }
    }

    private void store(Region.Store store) {
        Set<Integer> stored = new HashSet<>();
        int covered = 0;
        for (Axis axis : store.axes()) {
            if (axis instanceof Span span && !span.single()) {
                Dim dim = store.tensor().dims().get(covered);
                along(span.start()).filter(i -> span.start() instanceof Expr.Binary b && isStart(b, i)
                        && dim.equals(grid.steps().get(i).dim())).ifPresent(stored::add);
            }
            covered += axis.covers();
        }
        dimensions.stream().filter(i -> !stored.contains(i)).findFirst().ifPresent(i -> {
            throw refused("'" + store.tensor().name() + "' is not stored at the tile's own places along '"
                    + grid.steps().get(i).dim() + "'");
        });
        places(store.tile(), store.axes());
    }

    private void places(Tile tile, List<Axis> axes) {
        int own = 0;
        for (Axis axis : axes) {
            switch (axis) {
                case Span span when span.single() -> requireNoNumber(span.start(), tile + "'s place");
                case Span span -> place(tile, own++, span);
                case Axis.Rows(Tile numbers) -> join(tile, own++, numbers, 0);
                case Axis.Patches patches -> {
                    patches.filter().forEach(e -> requireNoNumber(e, "a filter's place"));
                    place(tile, own++, patches.pixels());
                }
            }
        }
    }

    private void place(Tile tile, int axis, Span span) {
        Optional<Integer> dimension = along(span.start());
        if (dimension.isEmpty()) {
            requireNoNumber(span.start(), tile + "'s place");
        } else if (span.step() != 1 || span.length().size().orElse(0) != grid.steps().get(dimension.get()).length()) {
            throw refused(tile + " does not have one element for each place of a tile along '"
                    + grid.steps().get(dimension.get()).dim() + "'");
        }
        follow(tile, axis, dimension.orElse(FIXED));
    }

    /** The dimension whose tiles' starts a number of which nothing else depends on a tile is added to. */
    private Optional<Integer> along(Expr start) {
        return dimensions.stream().filter(i -> isAlong(start, i)).findFirst();
    }

    private boolean isAlong(Expr e, int dimension) {
        return switch (e) {
            case Expr.Binary b when isStart(b, dimension) -> true;
            case Expr.Binary b when b.op() == Expr.Op.ADD -> isAlong(b.left(), dimension) && !hasNumber(b.right())
                    || isAlong(b.right(), dimension) && !hasNumber(b.left());
            case Expr.Binary b when b.op() == Expr.Op.SUB -> isAlong(b.left(), dimension) && !hasNumber(b.right());
            case Expr.Convert c -> isAlong(c.value(), dimension);
            default -> false;
        };
    }

    private boolean isStart(Expr.Binary product, int dimension) {
        return product.op() == Expr.Op.MUL && product.left().equals(grid.numbers().get(dimension))
                && product.right().constant().orElse(0) == grid.steps().get(dimension).length();
    }

    private boolean hasNumber(Expr e) {
        return ExprSearch.any(e, this::isNumber);
    }

    private boolean isNumber(Expr e) {
        return dimensions.stream().anyMatch(i -> grid.numbers().get(i).equals(e));
    }

    private void requireNoNumber(Expr e, String what) {
        if (hasNumber(e)) {
            throw refused(what + " depends on the number of the tile");
        }
    }

    private void requireNoNumber(Value value, Tile tile) {
        if (ExprSearch.any(value, this::isNumber)) {
            throw refused(tile + " depends on the number of the tile");
        }
    }

    /** Joins axes of equal extent, aligned at the last ones. */
    private void aligned(Tile tile, Tile input) {
        int before = tile.shape().size() - input.shape().size();
        for (int i = 0; i < input.shape().size(); i++) {
            if (input.shape().get(i).equals(tile.shape().get(before + i))) {
                join(tile, before + i, input, i);
            }
        }
    }

    /** Its axes stay as long as they are. */
    private void fixed(Tile tile) {
        for (int i = 0; i < tile.shape().size(); i++) {
            follow(tile, i, FIXED);
        }
    }

    /** Along one axis elements are taken together; the others are each on their own. */
    private void allBut(Tile tile, Tile of, int axis) {
        for (int i = 0; i < tile.shape().size(); i++) {
            if (i != axis) {
                join(tile, i, of, i);
            }
        }
        follow(of, axis, FIXED);
        follow(tile, axis, FIXED);
    }

    private void reshape(Tile tile, Tile of) {
        List<Integer> to = notOne(tile);
        List<Integer> from = notOne(of);
        boolean sameAxes = to.stream().map(tile.shape()::get).toList().equals(from.stream().map(of.shape()::get)
                .toList());
        for (int i = 0; i < Math.max(to.size(), from.size()); i++) {
            if (sameAxes) {
                join(tile, to.get(i), of, from.get(i));
            } else {
                to.stream().skip(i).findFirst().ifPresent(axis -> follow(tile, axis, FIXED));
                from.stream().skip(i).findFirst().ifPresent(axis -> follow(of, axis, FIXED));
            }
        }
    }

    private static List<Integer> notOne(Tile tile) {
        List<Integer> axes = new ArrayList<>();
        for (int i = 0; i < tile.shape().size(); i++) {
            if (!tile.shape().get(i).isOne()) {
                axes.add(i);
            }
        }
        return axes;
    }

    private int id(Tile tile, int axis) {
        return axis + first.computeIfAbsent(tile, t -> {
            int id = same.size();
            for (int i = 0; i < t.shape().size(); i++) {
                same.add(id + i);
                follows.add(FREE);
            }
            return id;
        });
    }

    private int find(int id) {
        int at = id;
        while (same.get(at) != at) {
            at = same.get(at);
        }
        return at;
    }

    private void join(Tile a, Tile b) {
        for (int i = 0; i < a.shape().size(); i++) {
            join(a, i, b, i);
        }
    }

    private void join(Tile a, int i, Tile b, int j) {
        int one = find(id(a, i));
        int other = find(id(b, j));
        if (one != other) {
            int label = follows.get(other);
            same.set(other, one);
            follow(a, i, label);
        }
    }

    private void follow(Tile tile, int axis, int dimension) {
        int id = find(id(tile, axis));
        int is = follows.get(id);
        if (is != FREE && dimension != FREE && is != dimension) {
            throw refused(tile + " takes together what lies along "
                    + grid.steps().get(Math.max(is, dimension)).dim());
        }
        follows.set(id, dimension == FREE ? is : dimension);
    }

    private LineException refused(String reason) {
        return new LineException(reason, line);
    }
}

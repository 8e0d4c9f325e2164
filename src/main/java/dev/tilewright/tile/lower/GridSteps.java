package dev.tilewright.tile.lower;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Grid;
import dev.tilewright.tile.lower.analysis.Indexes;
import dev.tilewright.tile.lower.layout.Held;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Writes how blocks, or clusters of them, go through the tiles of a kernel's grid. */
final class GridSteps {
    private final TileSteps steps;
    private Turn now;

    /** Of a cluster that takes one tile after the other. @param more whether another one follows: the next */
    private record Turn(Expr number, Expr more, Expr next) { }

    GridSteps(TileSteps steps) {
        this.steps = steps;
    }

    /** Of a whole kernel. */
    void write(Body body) {
        steps.numbers.putAll(numbers(steps.kernel.grid()));
        steps.mechanisms.ahead().ifPresentOrElse(ahead -> turns(body, ahead), () -> {
            steps.exchange.start(body, Expr.of(1));
            place(body, steps.team.blockBits() == 0 ? Builtin.BLOCK : Builtin.BLOCK.dividedBy(steps.team.blocks()));
            serial(body, steps.order.serial());
        });
        steps.exchange.cluster().end();
    }

    /** A cluster takes one tile after the other: as many clusters as there are take neighbouring ones. */
    private void turns(Body body, RowAhead ahead) {
        Expr tiles = steps.kernel.grid().steps().stream().map(s -> steps.indexes.of(s.count())).reduce(Expr::times)
                .orElse(Expr.of(1L)).toS64();
        Expr first = body.let("cluster", Builtin.BLOCK.dividedBy(steps.team.blocks()).toS64());
        Expr clusters = body.let("clusters", Builtin.GRID.dividedBy(steps.team.blocks()).toS64());
        Expr mine = body.purpose("how many tiles this cluster takes").let("tiles", tiles.minus(first).plus(clusters)
                .minus(1).dividedBy(clusters).as(IntType.S32));
        steps.exchange.start(body, mine);
        ahead.start(body, at(body, first));
        body.loop("turn", mine, (b, turn) -> {
            steps.exchange.turn(turn);
            Expr tile = b.let("tile", first.plus(turn.toS64().times(clusters)));
            place(b, tile);
            now = new Turn(turn, turn.plus(1).lessThan(mine), tile.plus(clusters));
            steps.region(b, steps.kernel.grid().body());
        });
    }

    /** Which of the tiles that may be computed in any order it is. */
    private void place(Body body, Expr tile) {
        steps.variables.putAll(at(body, tile).variables());
    }

    /** @param tile its number; of 32 bits where the grid has it as a block, and no more tiles along any dimension */
    private Indexes at(Body body, Expr tile) {
        Grid grid = steps.kernel.grid();
        Map<Integer, Expr> at = new HashMap<>();
        List<Integer> free = IntStream.range(0, grid.steps().size()).filter(i -> !steps.order.serial().contains(i))
                .boxed().toList();
        Expr rest = tile;
        for (int i : free.reversed()) {
            Expr number = rest;
            if (i != free.getFirst()) {
                Expr count = steps.indexes.of(grid.steps().get(i).count()).as(tile.type());
                Expr before = body.let("rest", quotient(rest, count));
                number = rest.minus(before.times(count));
                rest = before;
            }
            at.put(grid.numbers().get(i).number(), body.let(grid.numbers().get(i).name(), number.toS64()));
        }
        return new Indexes(at, steps.known);
    }

    /** A quotient; of 32 bits without a sign, as no number of tiles has one, and without a call of ptxas. */
    private static Expr quotient(Expr a, Expr b) {
        return a.type() == IntType.S64 ? a.dividedBy(b) : a.toValue().bitCast(ValueType.U32).dividedBy(b.toValue()
                .bitCast(ValueType.U32)).bitCast(ValueType.I32).toIndex();
    }

    /** The numbers of tiles that are those of places, each with its dimension. */
    static Map<Expr, Dim> numbers(Grid grid) {
        return IntStream.range(0, grid.steps().size()).filter(i -> grid.steps().get(i).length() == 1).boxed()
                .collect(Collectors.toMap(grid.numbers()::get, i -> grid.steps().get(i).dim()));
    }

    /** Goes through the numbers of what is left of the grid, in ascending order. */
    private void serial(Body body, List<Integer> dimensions) {
        if (dimensions.isEmpty()) {
            steps.region(body, steps.kernel.grid().body());
            return;
        }
        Expr.Var number = steps.kernel.grid().numbers().get(dimensions.getFirst());
        body.loop(number.name(), Expr.of(0L), steps.indexes.of(steps.kernel.grid().steps().get(dimensions.getFirst())
                .count()), Expr.of(1L), (b, turn) -> {
                    steps.exchange.unknown();
                    steps.variables.put(number.number(), turn);
                    serial(b, dimensions.subList(1, dimensions.size()));
                });
    }

    /** Takes a tile that was brought ahead, and has the next one brought meanwhile. */
    void take(Body body, RowAhead ahead, Held out) {
        ahead.take(body, out, now.number);
        body.purpose("fetch the next tile's meanwhile").when(now.more, b -> ahead.next(b, at(b, now.next)));
    }
}

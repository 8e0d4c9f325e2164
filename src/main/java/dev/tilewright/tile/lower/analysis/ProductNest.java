package dev.tilewright.tile.lower.analysis;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.tile.Region;
import dev.tilewright.tile.TileNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * Loops each of which does nothing but run the next: the turns of all, one after the other, are those of one loop. A
 * convolution's go through the filter's elements and, of each, through channels.
 *
 * @param loops outermost first, one at least
 */
public record ProductNest(List<TileNode.Loop> loops) {

    /** All that this loop runs. */
    public static ProductNest of(TileNode.Loop outermost) {
        List<TileNode.Loop> loops = new ArrayList<>(List.of(outermost));
        while (inner(loops.getLast()) instanceof TileNode.Loop inner) {
            loops.add(inner);
        }
        return new ProductNest(List.copyOf(loops));
    }

    /** The loop that is all of another's turn; null where there is none. */
    private static TileNode.Loop inner(TileNode.Loop loop) {
        List<Region.Item> items = loop.body().items();
        boolean one = loop.parts() == 1 && loop.next().size() == 1 && items.size() == 2
                && items.getFirst() instanceof TileNode.Loop inner && inner.initial().equals(loop.carried())
                && items.getLast() == loop.next().getFirst() && loop.next().getFirst().node()
                instanceof TileNode.Result(TileNode.Loop of, int _) && of == inner;
        return one ? (TileNode.Loop) items.getFirst() : null;
    }

    public TileNode.Loop innermost() {
        return loops.getLast();
    }

    public boolean isOne() {
        return loops.size() == 1;
    }

    /** Turns of all loops. @param own the program's numbers that replace the kernel's */
    public Expr turns(UnaryOperator<Expr> own) {
        return loops.stream().map(loop -> own.apply(loop.turns())).reduce(Expr::times).orElseThrow();
    }

    /**
     * Says which turn of each loop this is.
     *
     * @param own the program's numbers that replace the kernel's
     * @param variables to which loops' numbers are added
     * @param turn of all loops' turns, 32 bits
     */
    public void put(Body body, UnaryOperator<Expr> own, Map<Integer, Expr> variables, Expr turn) {
        Expr rest = turn;
        for (TileNode.Loop loop : loops.subList(1, loops.size()).reversed()) {
            Expr turns = own.apply(loop.turns()).as(IntType.S32);
            variables.put(loop.turn().number(), body.let("inner", rest.modulo(turns).toS64()));
            rest = body.let("outer", rest.dividedBy(turns));
        }
        variables.put(loops.getFirst().turn().number(), rest.toS64());
    }
}

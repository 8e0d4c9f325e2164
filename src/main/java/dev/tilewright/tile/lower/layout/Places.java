package dev.tilewright.tile.lower.layout;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;
import java.util.ArrayList;
import java.util.List;

/** Where what a thread holds lies in a tile: along each axis, for each of its registers. */
public final class Places {
    private final Layout layout;
    private final List<Expr> threads = new ArrayList<>();

    public Places(Body body, Layout layout) {
        this.layout = layout;
        for (int axis = 0; axis < layout.bits().size(); axis++) {
            Expr part = layout.threadPart(axis);
            threads.add(part.constant().isPresent() ? part : body.let("at", part));
        }
    }

    /** @param register its number: a constant or the variable of an unrolled loop */
    public Expr at(int axis, Expr register) {
        Expr part = Linear.of(register, layout.registers().stream().map(basis -> basis.get(axis)).toList());
        return layout.isDisjoint(axis) ? threads.get(axis).plus(part) : threads.get(axis).xor(part);
    }

    /** Whether the place is within a tile of these extents; nothing where it always is. */
    public Expr inside(List<Integer> extents, Expr register) {
        Expr inside = null;
        for (int axis = 0; axis < extents.size(); axis++) {
            if (extents.get(axis) < 1 << layout.bits().get(axis)) {
                Expr one = at(axis, register).lessThan(extents.get(axis));
                inside = inside == null ? one : inside.and(one);
            }
        }
        return inside;
    }

    /** The element's number in a tile of these extents, row-major. */
    public Expr element(List<Integer> extents, Expr register) {
        Expr element = Expr.of(0);
        for (int axis = 0; axis < extents.size(); axis++) {
            element = element.times(extents.get(axis)).plus(at(axis, register));
        }
        return element;
    }
}

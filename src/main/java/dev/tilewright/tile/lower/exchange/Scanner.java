package dev.tilewright.tile.lower.exchange;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Reduction;
import dev.tilewright.tile.lower.layout.Held;
import dev.tilewright.tile.lower.layout.Layout;
import dev.tilewright.tile.lower.layout.Places;
import dev.tilewright.tile.lower.layout.Registers;
import java.util.List;

/** Takes each element together with all before it along an axis, in the order of {@link Reduction}, through memory. */
public record Scanner(Body body, Exchange exchange) {
    public Held scan(Held from, int axis, Reduction reduction) {
        Layout layout = from.layout();
        List<Integer> extents = from.extents();
        int extent = extents.get(axis);
        ValueType type = from.type();
        Held now = Registers.held(body, "scanned", type, layout, extents);
        Registers.each(body, layout.registerCount(), (b, r) -> b.assign(now.register().at(r),
                from.register().at(r)));
        Held before = Registers.held(body, "before", type, layout, extents);
        for (int h = 1; h < Math.min(extent, Reduction.ACCUMULATORS); h *= 2) {
            int distance = h;
            step(now, before, axis, reduction, (places, r) -> places.at(axis, r)
                    .modulo(Reduction.ACCUMULATORS).atLeast(distance), (places, r) -> places.at(axis, r)
                    .minus(distance));
        }
        for (int run = Reduction.ACCUMULATORS; run < extent; run += Reduction.ACCUMULATORS) {
            int first = run;
            step(now, before, axis, reduction, (places, r) -> places.at(axis, r).atLeast(first)
                    .and(places.at(axis, r).lessThan(first + Reduction.ACCUMULATORS)), (_, _) -> Expr.of(first - 1));
        }
        if (type.isFloat()) {
            Registers.each(body, layout.registerCount(), (b, r) -> b.assign(now.register().at(r),
                    now.register().at(r).isNan().choose(Value.of(type, Double.NaN), now.register().at(r))));
        }
        return now;
    }

    private interface At {
        Expr of(Places places, Expr register);
    }

    /** Where a condition holds the element is taken together with the one at another place, which is the left side. */
    private void step(Held now, Held before, int axis, Reduction reduction, At condition, At place) {
        exchange.write(body, now);
        exchange.readInto(body, before, (places, r) -> {
            Expr element = Expr.of(0);
            for (int i = 0; i < now.extents().size(); i++) {
                element = element.times(now.extents().get(i)).plus(i == axis ? place.of(places, r) : places.at(i, r));
            }
            Expr inside = places.inside(now.extents(), r);
            Expr wanted = condition.of(places, r);
            return new Exchange.Place(element, inside == null ? wanted : wanted.and(inside));
        }, Exchange.zero(now.type()));
        Places places = new Places(body, now.layout());
        Registers.each(body, now.layout().registerCount(), (b, r) -> b.when(condition.of(places, r), in -> in.assign(
                now.register().at(r), new Value.Binary(reduction.op(), before.register().at(r),
                        now.register().at(r)))));
    }
}

package dev.tilewright.tile;

import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.ExprSearch;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.expression.ValueFunction;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/**
 * Refuses functions of elements that use anything else than the elements that they are given, scalars, and numbers that
 * are the same at all elements.
 *
 * @param parameters what stands for the elements: these records themselves, as those of other functions are equal
 */
record ElementRules(TraceRules rules, List<Register> parameters) {
    private static final String OF_OTHERS = ": give all tiles to one map, as Tile.map(List.of(…), …) takes them";

    /** @throws IllegalArgumentException if it is of something else */
    void require(Value value) {
        require(value, Collections.newSetFromMap(new IdentityHashMap<>()));
    }

    /** @param seen parts that are right */
    private void require(Value value, Set<Object> seen) {
        if (!seen.add(value)) {
            return;
        }
        switch (value) {
            case Value.Element element -> requireOwn(element);
            case Value.Index(Expr e) -> {
                if (ExprSearch.any(e, part -> part instanceof Expr.OfValue)) {
                    throw new IllegalArgumentException("an index within a function of elements is computed of extents "
                            + "and of numbers of tiles and steps, and not of values: compute with values, as "
                            + "x.to(I64).plus(1) does, and leave out toIndex()");
                }
                rules.requireNumbers(e);
            }
            case Value.Scalar scalar -> rules.requireScalars(scalar);
            case Value.Approximate v -> throw new IllegalArgumentException(v.op() + " has not the same bits "
                    + "everywhere: use an exact function of values");
            case Value.Call(ValueFunction function, List<Value> arguments, var _) -> {
                arguments.forEach(argument -> require(argument, seen));
                if (seen.add(function)) {
                    requireClosed(function);
                }
            }
            case Value v -> v.parts().forEach(part -> require(part, seen));
        }
    }

    private void requireOwn(Value.Element element) {
        if (parameters.stream().noneMatch(p -> p == element.register())) {
            throw new IllegalArgumentException("a function of elements uses an element of " + element.type()
                    + " that is not given to it, such as one of another map" + OF_OTHERS);
        }
        if (element.index().constant().orElse(-1) != 0) {
            throw new IllegalArgumentException("a function of elements has one element of each tile, and not one at "
                    + Listing.expr(element.index()) + ": shift or gather the tile");
        }
    }

    /** A function that programs have once is of its arguments alone. */
    private static void requireClosed(ValueFunction function) {
        List<Register> own = new ArrayList<>(function.parameters());
        function.lets().forEach(let -> own.add(let.register()));
        List<Value> parts = new ArrayList<>(function.lets().stream().map(ValueFunction.Let::value).toList());
        parts.add(function.result());
        Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        parts.forEach(part -> requireClosed(function, own, part, seen));
    }

    private static void requireClosed(ValueFunction function, List<Register> own, Value value, Set<Object> seen) {
        if (!seen.add(value)) {
            return;
        }
        boolean closed = switch (value) {
            case Value.Element(Register register, Expr _) -> own.contains(register);
            case Value.Index(Expr e) -> e.constant().isPresent();
            case Value.Scalar _, Value.Approximate _ -> false;
            default -> true;
        };
        if (!closed) {
            throw new IllegalArgumentException("function '" + function.name() + "' uses " + Listing.value(value)
                    + ", and its value follows from its arguments alone, with the same bits everywhere: make it an "
                    + "argument");
        }
        value.parts().forEach(part -> requireClosed(function, own, part, seen));
        if (value instanceof Value.Call call && seen.add(call.function())) {
            requireClosed(call.function());
        }
    }
}

package dev.tilewright.tile.lower;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.expression.ValueRewrite;
import dev.tilewright.program.value.BinaryOp;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileNode;
import dev.tilewright.tile.lower.analysis.BelowGreatest;
import dev.tilewright.tile.lower.analysis.Quick;
import dev.tilewright.tile.lower.layout.Elementwise;
import dev.tilewright.tile.lower.layout.HalfPairs;
import dev.tilewright.tile.lower.layout.Held;
import dev.tilewright.tile.lower.layout.Layout;
import dev.tilewright.tile.lower.layout.Registers;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Writes functions of elements, and where a condition allows it by fewer operations. */
final class FunctionSteps {
    private final TileSteps steps;
    /** What says of tiles in registers that a thread's elements are between 2^-60 and 2^60. */
    private final Map<Tile, Value> moderate = new HashMap<>();

    FunctionSteps(TileSteps steps) {
        this.steps = steps;
    }

    /** Knows nothing of a tile that is held anew. */
    void forget(Tile tile) {
        moderate.remove(tile);
    }

    /** A function's elements in registers that may be those of an element that it is made of. */
    void assign(Body body, Tile tile, Held to) {
        function(body, tile, (TileNode.Map) tile.node()).use(body, (inner, some) -> Registers.each(inner,
                to.layout().registerCount(), (b, r) -> b.assign(to.register().at(r), some.at(b, r))));
    }

    /** A function's elements in registers: those of a tile that nothing uses afterwards, or new ones. */
    Held assigned(Body body, Tile tile, Elementwise elements) {
        Layout layout = elements.layout();
        Held out = sources(tile).filter(source -> steps.uses.isLast(source, tile)).map(steps.held::get)
                .filter(input -> input.type() == tile.type() && input.layout().equals(layout))
                .findFirst().map(input -> new Held(input.register(), layout, elements.extents()))
                .orElseGet(() -> Registers.held(body, Held.name(tile), tile.type(), layout, elements.extents()));
        moderate.remove(tile);
        elements.use(body, (inner, some) -> Registers.each(inner, layout.registerCount(), (b, r) -> b.assign(
                out.register().at(r), some.at(b, r)))).filter(_ -> elements.quick().orElseThrow().moderate())
                .ifPresent(all -> moderate.put(tile, all));
        return out;
    }

    /** Tiles in registers that a function of elements is made of, by itself or by others that are computed with it. */
    private Stream<Tile> sources(Tile function) {
        return function.node().inputs().stream().flatMap(input -> steps.held.containsKey(input) ? Stream.of(input)
                : steps.later.containsKey(input) ? sources(input) : Stream.empty());
    }

    /** A function of elements; what it needs of others is brought to where each thread has it now. */
    Elementwise function(Body body, Tile tile, TileNode.Map map) {
        List<Integer> extents = steps.extents(tile);
        Layout layout = map.inputs().stream().filter(t -> steps.extents(t).equals(extents)).findFirst()
                .map(t -> steps.of(body, t).layout()).orElseGet(() -> steps.layout(extents));
        Map<Tile, Elementwise> inputs = new LinkedHashMap<>();
        map.inputs().forEach(t -> inputs.computeIfAbsent(t, input -> steps.as(body, input, layout, extents)));
        Map<Value, Quick.Divisor> divisors = divisors(body, map, inputs);
        Elementwise.Code code = (b, r) -> steps.value(map, elements(b, r, map, inputs, false));
        if (Quick.moderate(map.value(), v -> v).isPresent()) {
            Optional<Elementwise.Code> ofLeast = ofLeast(map, inputs);
            if (ofLeast.isPresent() || steps.uses.isDivided(tile)) {
                return new Elementwise(tile.type(), layout, extents, true, code, Optional.of(new Elementwise.Quicker(
                        (b, r) -> condition(b, r, inputs, moderate(b, r, map, inputs).conditions()), ofLeast,
                        (b, r) -> moderate(b, r, map, inputs).value(), true)));
            }
        }
        Value shape = Quick.of(map.value(), Quick.Known.NOTHING, v -> v).value();
        boolean own = !divisors.isEmpty() || !shape.equals(map.value());
        boolean quick = own || inputs.values().stream().anyMatch(input -> input.quick().isPresent());
        return new Elementwise(tile.type(), layout, extents, true, code, !quick ? Optional.empty()
                : Optional.of(new Elementwise.Quicker((b, r) -> condition(b, r, inputs, own ? quick(b, r, map, inputs,
                        divisors).conditions() : List.of()), Optional.empty(), (b, r) -> quick(b, r, map, inputs,
                        divisors).value(), false)));
    }

    private Quick quick(Body b, Expr r, TileNode.Map map, Map<Tile, Elementwise> inputs,
            Map<Value, Quick.Divisor> divisors) {
        Map<Value, Value> known = new HashMap<>();
        inputs.forEach((input, elements) -> {
            if (moderate.containsKey(input) && Elementwise.of(steps.held.get(input)).isHeldAs(elements)) {
                known.put(elements.at(b, r), moderate.get(input));
            }
        });
        return Quick.of(steps.value(map, elements(b, r, map, inputs, true)), new Quick.Known(divisors, known), v ->
                named(b, v));
    }

    private Quick moderate(Body b, Expr r, TileNode.Map map, Map<Tile, Elementwise> inputs) {
        return Quick.moderate(steps.value(map, elements(b, r, map, inputs, true)), v -> named(b, v)).orElseThrow();
    }

    /** What the least of a thread's elements less their greatest decides for all of them: none is above zero. */
    private Optional<Elementwise.Code> ofLeast(TileNode.Map map, Map<Tile, Elementwise> inputs) {
        Tile input = map.inputs().getFirst();
        return BelowGreatest.of(input, steps::extents).filter(_ -> map.inputs().size() == 1
                && inputs.get(input).quick().isEmpty()).flatMap(below -> halves(below.row(), inputs.get(input))
                .map(halves -> (b, _) -> {
                    Value greatest = steps.as(b, below.greatest(), halves.layout(), halves.extents()).at(b, Expr.of(0));
                    Value parameter = map.parameters().getFirst().get();
                    return HalfPairs.of(b, halves, BinaryOp.MIN_NAN).stream().map(least -> steps.value(map,
                            Map.of(parameter, b.let("least", least.minus(greatest)))))
                            .flatMap(value -> Quick.moderate(value, v -> v).orElseThrow().conditions().stream())
                            .reduce(Value::and).orElseThrow();
                }));
    }

    /** The 16-bit floats in registers of which elements are made by nothing but conversion; none where padding is. */
    Optional<Held> halves(Tile tile, Elementwise elements) {
        return tile.node() instanceof TileNode.Map map && tile.type() == ValueType.F32
                && map.value() instanceof Value.Convert(Value from, var _, var _)
                && from.equals(map.parameters().getFirst().get()) && elements.isWhole()
                ? Optional.ofNullable(steps.held.get(map.inputs().getFirst())).filter(input -> input.layout().equals(
                        elements.layout()) && HalfPairs.has(input)) : Optional.empty();
    }

    private static Value named(Body b, Value value) {
        return value instanceof Value.Element ? value : b.let("part", value);
    }

    private static Value condition(Body b, Expr r, Map<Tile, Elementwise> inputs, List<Value> own) {
        List<Value> all = new ArrayList<>(own);
        inputs.values().forEach(input -> input.quick().ifPresent(quick -> all.add(quick.condition().at(b, r))));
        // None of an element whose divisor is another than that of the first ones: it is computed as ever.
        return all.stream().reduce(Value::and).orElseGet(() -> Value.of(Expr.of(0).isEqualTo(0)));
    }

    /** What a function's parameters stand for. @param quick whether they are computed by fewer operations */
    private Map<Value, Value> elements(Body b, Expr r, TileNode.Map map, Map<Tile, Elementwise> inputs, boolean quick) {
        Map<Tile, Value> values = new HashMap<>();
        inputs.forEach((input, elements) -> {
            Value value = quick && elements.quick().isPresent() ? elements.quick().get().code().at(b, r)
                    : elements.at(b, r);
            values.put(input, elements.later() && input.type() != ValueType.PRED ? b.let(Held.name(input), value)
                    : value);
        });
        Map<Value, Value> elements = new HashMap<>();
        for (int i = 0; i < map.inputs().size(); i++) {
            elements.put(map.parameters().get(i).get(), values.get(map.inputs().get(i)));
        }
        return elements;
    }

    /** Numbers of f32 that all of a thread's elements are divided by. */
    private static Map<Value, Quick.Divisor> divisors(Body body, TileNode.Map map, Map<Tile, Elementwise> inputs) {
        Map<Value, Quick.Divisor> divisors = new HashMap<>();
        for (int i = 0; i < map.inputs().size(); i++) {
            Elementwise input = inputs.get(map.inputs().get(i));
            Value parameter = map.parameters().get(i).get();
            Value first = input.later() ? null : input.at(body, Expr.of(0));
            boolean same = first != null && input.type() == ValueType.F32
                    && input.layout().registerCount() > 1 && first.equals(input.at(body, Expr.of(1)));
            if (same && divides(map.value(), parameter)) {
                divisors.put(first, Quick.Divisor.of(body, first));
            }
        }
        return divisors;
    }

    private static boolean divides(Value value, Value parameter) {
        boolean[] found = {false};
        ValueRewrite.of(value, part -> {
            found[0] |= part instanceof Value.Binary binary && binary.op() == BinaryOp.DIV
                    && binary.right().equals(parameter);
            return Optional.empty();
        });
        return found[0];
    }
}

package dev.tilewright.tile.lower;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Region;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileNode;
import dev.tilewright.tile.lower.layout.Elementwise;
import dev.tilewright.tile.lower.layout.Held;
import dev.tilewright.tile.lower.layout.Layout;
import dev.tilewright.tile.lower.layout.Linear;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Functions of elements that are computed where their result is stored, element by element, instead of a tile at a
 * time: a product's sums leave few registers. A region's tiles that are held do not change, so that later is as good.
 */
final class Fusion {
    private final Region region;
    private final Set<Tile> fused = new LinkedHashSet<>();
    private final Layout layout;
    private final List<Integer> extents;
    private final Set<Tile> idle;

    /**
     * @param extents of the tiles that are fused
     * @param layout how their elements are shared out
     * @param idle tiles of which no element is needed
     */
    Fusion(Region region, List<Integer> extents, Layout layout, Set<Tile> idle) {
        this.region = region;
        this.idle = idle;
        this.extents = extents;
        this.layout = layout;
    }

    /** Whether a tile need not be held. */
    boolean takes(Tile tile, List<Integer> itsExtents) {
        boolean right = itsExtents.equals(extents) && switch (tile.node()) {
            case TileNode.Map _ -> true;
            case TileNode.Load load -> load.axes().stream().allMatch(dev.tilewright.tile.Span.class::isInstance)
                    && isUnchanged(load);
            default -> false;
        };
        if (right) {
            fused.add(tile);
        }
        return right || idle.contains(tile);
    }

    boolean has(Tile tile) {
        return fused.contains(tile);
    }

    /** Whether what is loaded later is what was there before the region's stores. */
    private boolean isUnchanged(TileNode.Load load) {
        return load.tensor().role() == Tensor.Role.IN || region.items().stream().allMatch(item ->
                !(item instanceof Region.Store store) || store.tensor() != load.tensor()
                || store.axes().equals(load.axes()));
    }

    /** What a thread computes of a tile. */
    Elementwise of(Tile tile, TileSteps steps) {
        Elementwise.CodeOfParts code = (body, r, own) -> new Element(body, steps, r, own).of(tile);
        return new Elementwise(tile.type(), layout, extents, true, (body, r) -> code.at(body, r, r), Optional.empty(),
                Optional.of(new Elementwise.Parts(held(tile).map(steps.held::get).distinct().toList(), code)));
    }

    /** Tiles in registers that a tile is computed of. */
    private Stream<Tile> held(Tile tile) {
        return !has(tile) ? Stream.of(tile) : tile.node() instanceof TileNode.Map map
                ? map.inputs().stream().flatMap(this::held) : Stream.empty();
    }

    /** Computes one element, each tile that it takes once. @param own which element of tiles in registers it is */
    private final class Element {
        private final Map<Tile, Value> known = new HashMap<>();
        private final Body body;
        private final TileSteps steps;
        private final Expr register;
        private final Expr own;

        Element(Body body, TileSteps steps, Expr register, Expr own) {
            this.body = body;
            this.steps = steps;
            this.register = register;
            this.own = own;
        }

        Value of(Tile tile) {
            Value before = known.get(tile);
            if (before != null) {
                return before;
            }
            Value value = switch (tile.node()) {
                case TileNode.Map map when has(tile) -> {
                    Map<Value, Value> elements = new HashMap<>();
                    for (int i = 0; i < map.inputs().size(); i++) {
                        elements.put(map.parameters().get(i).get(), of(map.inputs().get(i)));
                    }
                    Value result = steps.value(map, elements);
                    yield tile.type() == ValueType.PRED ? result : body.let(Held.name(tile), result);
                }
                case TileNode.Load load when has(tile) -> {
                    Register element = body.registers(Held.name(tile), tile.type(), 1);
                    steps.access(body).loadElement(load, element, layout, extents, register);
                    yield element.at(0);
                }
                default -> {
                    Held held = steps.get(body, tile);
                    yield held.register().at(Linear.of(own, held.images(layout, extents).orElseThrow()));
                }
            };
            known.put(tile, value);
            return value;
        }
    }

    /** Brings what is not fused to where each thread has it, before elements are computed. */
    void prepare(Body body, Tile tile, TileSteps steps) {
        if (tile.node() instanceof TileNode.Map map && has(tile)) {
            map.inputs().forEach(input -> prepare(body, input, steps));
        } else if (!has(tile)) {
            Held held = steps.get(body, tile);
            Optional<List<Integer>> own = held.images(layout, extents);
            if (own.isEmpty()) {
                steps.put(tile, steps.broadcast(body, held, layout, extents));
            }
        }
    }
}

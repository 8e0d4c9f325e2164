package dev.tilewright.tile.lower;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import dev.tilewright.tile.Region;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileNode;
import dev.tilewright.tile.lower.exchange.Exchange;
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
        return new Elementwise(tile.type(), layout, extents, true, (body, r) -> element(body, tile, r, steps,
                new HashMap<>()));
    }

    private Value element(Body body, Tile tile, Expr r, TileSteps steps, Map<Tile, Value> known) {
        Value before = known.get(tile);
        if (before != null) {
            return before;
        }
        Value value = switch (tile.node()) {
            case TileNode.Map map when has(tile) -> {
                Map<Value, Value> elements = new HashMap<>();
                for (int i = 0; i < map.inputs().size(); i++) {
                    elements.put(map.parameters().get(i).get(), element(body, map.inputs().get(i), r, steps, known));
                }
                Value result = steps.value(map, elements);
                yield tile.type() == dev.tilewright.program.value.ValueType.PRED ? result
                        : body.let(Held.name(tile), result);
            }
            case TileNode.Load load when has(tile) -> {
                Register element = body.registers(Held.name(tile), tile.type(), 1);
                steps.access(body).loadElement(load, element, layout, extents, r);
                yield element.at(0);
            }
            default -> {
                Held held = steps.get(body, tile);
                yield held.register().at(Linear.of(r, Exchange.images(held, layout, extents).orElseThrow()));
            }
        };
        known.put(tile, value);
        return value;
    }

    /** Brings what is not fused to where each thread has it, before elements are computed. */
    void prepare(Body body, Tile tile, TileSteps steps) {
        if (tile.node() instanceof TileNode.Map map && has(tile)) {
            map.inputs().forEach(input -> prepare(body, input, steps));
        } else if (!has(tile)) {
            Held held = steps.get(body, tile);
            Optional<List<Integer>> own = Exchange.images(held, layout, extents);
            if (own.isEmpty()) {
                steps.put(tile, steps.broadcast(body, held, layout, extents));
            }
        }
    }
}

package dev.tilewright.tile.lower;

import dev.tilewright.program.Body;
import dev.tilewright.tile.Axis;
import dev.tilewright.tile.Region;
import dev.tilewright.tile.Update;
import dev.tilewright.tile.lower.layout.Coalescing;
import dev.tilewright.tile.lower.layout.Elementwise;
import dev.tilewright.tile.lower.layout.Held;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/** Writes how tiles are stored. */
final class StoreSteps {
    private final TileSteps steps;
    /** Tensors that a tile has been stored into. */
    private final Set<String> stored = new HashSet<>();

    StoreSteps(TileSteps steps) {
        this.steps = steps;
    }

    /** A store. @param fusion what computes its tile piece by piece */
    void store(Body body, Region.Store store, Optional<Fusion> fusion) {
        if (steps.order.isOrdered(store)) {
            steps.direct.add(store.tensor());
            new Scatter(body, steps.exchange, steps.indexes, steps.team).store(store, steps.get(body, store.tile()),
                    steps.get(body, ((Axis.Rows) store.axes().getFirst()).numbers()));
            return;
        }
        if (Scatter.isOfSums(store, steps.team)) {
            steps.direct.add(store.tensor());
            Held tile = steps.get(body, store.tile());
            Held numbers = steps.exchange.as(body, steps.get(body, ((Axis.Rows) store.axes().getFirst())
                    .numbers()), tile.layout());
            Scatter scatter = new Scatter(body, steps.exchange, steps.indexes, steps.team);
            boolean alone = !steps.loops.isAddingUp();
            if (alone) {
                scatter.begin(store.tensor());
            }
            scatter.add(store, tile, numbers);
            if (alone) {
                scatter.end(store.tensor());
            }
            return;
        }
        fusion.ifPresent(f -> f.prepare(body, store.tile(), steps));
        Elementwise tile = fusion.map(f -> f.of(store.tile(), steps)).orElseGet(() -> steps.of(body,
                store.tile()));
        // Other threads have loaded, or stored, what goes to the same places.
        boolean first = stored.add(store.tensor().name());
        if (steps.team.blockBits() != 0 && !(steps.order.hasPlacesOf(store)
                && tile.layout().equals(steps.layout(tile.extents())))) {
            if (steps.order.isLoaded(store.tensor()) || !first) {
                steps.exchange.cluster().sync(body);
            }
        } else if (steps.order.isLoaded(store.tensor()) || !first || steps.loops.isWithin()) {
            steps.team.sync(body);
        }
        if (!steps.mechanisms.store(body, store, tile)) {
            alongRows(body, store, tile).use(body, (b, elements) -> steps.access(b).store(store, elements,
                    store.update() == Update.SET && !steps.windows.isEmpty()));
        }
    }

    /** The tile as memory takes it well: it may be exchanged between threads first. */
    private Elementwise alongRows(Body body, Region.Store store, Elementwise tile) {
        // Of a team that is a part of its block the shared memory has been given out; what all blocks have one stores.
        if (!steps.team.whole() || steps.team.blockBits() != 0) {
            return tile;
        }
        return Coalescing.of(store, tile.layout(), tile.extents(), steps.vectors).filter(Coalescing::exchanged)
                .map(c -> Elementwise.of(steps.exchange.computed(body, tile, c.layout()).orElseGet(() ->
                        steps.exchange.as(body, steps.get(body, store.tile()), c.layout())))).orElse(tile);
    }
}

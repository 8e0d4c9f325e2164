package dev.tilewright.tile.lower;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import dev.tilewright.tile.Region;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileNode;
import dev.tilewright.tile.lower.layout.Elementwise;
import dev.tilewright.tile.lower.layout.Held;
import dev.tilewright.tile.lower.layout.Registers;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Writes loops: what their turns carry, and what they leave. */
final class LoopSteps {
    private final TileSteps steps;
    private boolean within;
    /** The tensor to which a loop adds; nothing outside of such loops. */
    private Tensor addingUp;

    LoopSteps(TileSteps steps) {
        this.steps = steps;
    }

    /** Whether steps of a turn are being written. */
    boolean isWithin() {
        return within;
    }

    /** Whether a loop adds to a tensor. */
    boolean isAddingUp() {
        return addingUp != null;
    }

    /** A loop of a region. */
    void loop(Body body, TileNode.Loop loop, Region around) {
        results(around, loop, steps.mechanisms.loop(body, loop, () -> loop.initial().stream()
                .map(tile -> steps.get(body, tile)).toList()).orElseGet(() -> addingUp(body, loop)));
    }

    /** What its turns add to a tensor is added up in shared memory. */
    private List<Held> addingUp(Body body, TileNode.Loop loop) {
        Optional<Tensor> sums = addingUp == null ? Scatter.sums(loop.body(), steps.team).map(Region.Store::tensor)
                .filter(tensor -> !steps.order.isLoaded(tensor)) : Optional.empty();
        sums.ifPresent(tensor -> {
            new Scatter(body, steps.exchange, steps.indexes, steps.team).begin(tensor);
            addingUp = tensor;
        });
        List<Held> left = turns(body, loop);
        sums.ifPresent(tensor -> {
            new Scatter(body, steps.exchange, steps.indexes, steps.team).end(tensor);
            addingUp = null;
        });
        return left;
    }

    /** What a loop leaves. */
    private List<Held> turns(Body body, TileNode.Loop loop) {
        List<Elementwise> starts = new ArrayList<>();
        List<Held> carried = new ArrayList<>();
        for (int i = 0; i < loop.carried().size(); i++) {
            starts.add(start(body, loop, i));
            carried.add(Registers.held(body, "carried", starts.get(i).type(), starts.get(i).layout(),
                    starts.get(i).extents()));
            steps.held.put(loop.carried().get(i), carried.get(i));
        }
        Expr turns = steps.indexes.of(loop.turns());
        Expr each = turns.plus(Expr.of(loop.parts() - 1L)).dividedBy(Expr.of((long) loop.parts()));
        if (loop.parts() == 1) {
            part(body, loop, starts, carried, Expr.of(0L), turns);
            return carried;
        }
        List<Held> sums = carried.stream().map(tile -> Registers.held(body, "sums", tile.type(), tile.layout(),
                tile.extents())).toList();
        body.purpose("one part after another").loop("part", loop.parts(), (b, part) -> {
            Expr first = each.times(part.toS64());
            part(b, loop, starts, carried, first, turns.min(first.plus(each)));
            b.when(part.isEqualTo(0), one -> copy(one, carried, sums), more -> add(more, carried, sums));
        });
        return sums;
    }

    /** What a loop begins with, held as what it carries is. */
    private Elementwise start(Body body, TileNode.Loop loop, int number) {
        Tile tile = loop.initial().get(number);
        List<Integer> extents = steps.extents(tile);
        if (steps.uses.begins(tile) && !steps.held.containsKey(tile)) {
            Value value = steps.indexes.of(((TileNode.Full) tile.node()).value());
            TileNode.Product product = (TileNode.Product) loop.next().get(number).node();
            return new Elementwise(tile.type(), Multiplier.sums(product.a().type(), extents, steps.whose,
                    steps.team.bits()).orElseGet(() -> steps.layout(extents)), extents, true, (_, _) -> value);
        }
        Held first = steps.get(body, tile);
        return Elementwise.of(steps.exchange.as(body, first, Multiplier.carried(loop, number, first,
                steps.whose, steps.team.bits())));
    }

    /** The turns of a part, from what is carried into the loop on. */
    private void part(Body body, TileNode.Loop loop, List<Elementwise> starts, List<Held> carried, Expr first,
            Expr end) {
        for (int i = 0; i < starts.size(); i++) {
            Elementwise start = starts.get(i);
            Register to = carried.get(i).register();
            Registers.each(body, to.count(), (b, r) -> b.assign(to.at(r), start.at(b, r)));
        }
        if (steps.mechanisms.turns(body, steps.indexes, loop, carried, first, end)) {
            return;
        }
        body.loop("turn", first, end, Expr.of(1L), (b, turn) -> {
            steps.exchange.unknown();
            steps.variables.put(loop.turn().number(), turn);
            boolean before = within;
            within = true;
            steps.region(b, loop.body());
            within = before;
            next(b, loop, carried);
        });
    }

    /** Says what a loop of the kernel's own region leaves. */
    void results(TileNode.Loop loop, List<Held> left) {
        results(steps.kernel.grid().body(), loop, left);
    }

    /** A tile in registers of a loop's own. */
    Held begin(Body body, Tile initial) {
        if (initial.node() instanceof TileNode.Full && !steps.held.containsKey(initial)) {
            return steps.node(body, initial);
        }
        Held first = steps.get(body, initial);
        return copies(body, List.of(first)).getFirst();
    }

    private void results(Region around, TileNode.Loop loop, List<Held> left) {
        for (Region.Item item : around.items()) {
            if (item instanceof Tile tile && tile.node() instanceof TileNode.Result(TileNode.Loop of, int number)
                    && of == loop) {
                steps.held.put(tile, left.get(number));
            }
        }
    }

    /** Hands on what a turn leaves: all at once, since one may be what another was. */
    private void next(Body body, TileNode.Loop loop, List<Held> carried) {
        List<Held> next = new ArrayList<>();
        for (int i = 0; i < carried.size(); i++) {
            next.add(steps.exchange.as(body, steps.get(body, loop.next().get(i)), carried.get(i).layout()));
        }
        for (int i = 0; i < next.size(); i++) {
            boolean moves = carried.contains(next.get(i)) && !next.get(i).equals(carried.get(i));
            if (moves) {
                next.set(i, copies(body, List.of(next.get(i))).getFirst());
            }
        }
        copy(body, next, carried);
    }

    private static void add(Body body, List<Held> from, List<Held> to) {
        for (int i = 0; i < to.size(); i++) {
            Held sum = to.get(i);
            Held other = from.get(i);
            Registers.each(body, sum.layout().registerCount(), (b, r) -> b.assign(sum.register().at(r),
                    sum.register().at(r).plus(other.register().at(r))));
        }
    }

    private List<Held> copies(Body body, List<Held> tiles) {
        List<Held> copies = tiles.stream().map(t -> Registers.held(body, "copy", t.type(), t.layout(),
                t.extents())).toList();
        copy(body, tiles, copies);
        return copies;
    }

    /** A tile in further registers. */
    Held copy(Body body, Held tile) {
        return copies(body, List.of(tile)).getFirst();
    }

    private void copy(Body body, List<Held> from, List<Held> to) {
        for (int i = 0; i < from.size(); i++) {
            Held source = from.get(i);
            Held target = to.get(i);
            if (!source.equals(target)) {
                Registers.each(body, target.layout().registerCount(), (b, r) -> b.assign(target.register().at(r),
                        source.register().at(r)));
            }
        }
    }
}

package dev.tilewright.tile.lower;

import dev.tilewright.builder.pipeline.BarrierPipeline;
import dev.tilewright.builder.pipeline.Landed;
import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.mma.WgmmaWaitGroup;
import dev.tilewright.tile.Axis;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileNode;
import dev.tilewright.tile.lower.analysis.Promotion;
import dev.tilewright.tile.lower.layout.Held;
import dev.tilewright.tile.lower.layout.Layout;
import dev.tilewright.tile.lower.layout.Linear;
import dev.tilewright.tile.lower.layout.Registers;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The turns of groups of four warps whose products begin with zero each turn, and are then taken to totals by functions
 * of elements. A group does a part at a time: 64 rows of a turn. Where registers have room for the sums of two parts,
 * the next one is multiplied while one is taken to the totals; else another group multiplies meanwhile.
 *
 * @param before stages of tiles before
 * @param totals what the loop carries
 */
record PromotedLoop(ProductPattern pattern, ProductLoop product, TileSteps steps, BarrierPipeline pipe, Expr before,
        Expr turns, Register totals) {
    /** Parts that are started one before the other is done. */
    private static final int TOGETHER = 8;
    /** Turns for whose sums there are registers for what they load: a divisor of how many go together. */
    private static final int RING = 4;

    void write(Body body) {
        if (product.isAhead() && pattern.hasRoomForTwoParts()) {
            ahead(body, List.of(sums(body), sums(body)));
        } else {
            oneByOne(body, Expr.of(0), sums(body));
        }
    }

    private Register sums(Body body) {
        ValueType type = promotion().product().type();
        return body.purpose("a part's sums").registers("sums", type, pattern.registers());
    }

    private Promotion promotion() {
        return pattern.promotion().orElseThrow();
    }

    private void oneByOne(Body body, Expr from, Register sums) {
        Map<Tile, Held> now = registers(body);
        Map<Tile, Held> next = registers(body);
        load(body, from, next);
        body.purpose("along k").loop("turn", from, turns, 1, (each, turn) -> {
            Landed stage = pipe.await(each, before.plus(turn));
            for (int block = 0; block < pattern.blocks(); block++) {
                start(each, stage, block, sums);
                if (block == 0) {
                    now.forEach((tile, held) -> Registers.each(each, held.layout().registerCount(), (b, r) ->
                            b.assign(held.register().at(r), next.get(tile).register().at(r))));
                    load(each, turn.plus(1), next);
                }
                wait(each, 0, sums);
                if (block == pattern.blocks() - 1) {
                    pipe.release(each, stage);
                }
                promote(each, sums, block, now);
            }
        });
    }

    /**
     * Turns of which none is under way where a loop begins again: else ptxas (13.0) waits for each product by itself,
     * since sums are read while others are under way. What a turn loads for its sums is on its way some turns before.
     */
    private void ahead(Body body, List<Register> sums) {
        int together = Math.max(2, TOGETHER / pattern.blocks());
        List<Map<Tile, Held>> loaded = new ArrayList<>();
        int ring = Math.min(together, RING);
        for (int i = 0; i < ring; i++) {
            loaded.add(registers(body));
            if (i < ring - 1) {
                load(body, Expr.of(i), loaded.get(i));
            }
        }
        Expr rounds = body.purpose("how many full rounds of turns there are").let("rounds", turns.dividedBy(together));
        body.purpose("along k").loop("round", rounds, (each, round) -> parts(each, round.times(together), together,
                sums, loaded));
        oneByOne(body, rounds.times(together), sums.getFirst());
    }

    /** Parts of some turns, each of which is started before the one before is taken to the totals. */
    private void parts(Body body, Expr first, int count, List<Register> sums, List<Map<Tile, Held>> loaded) {
        startFirst(body, first, sums.getFirst());
        int ring = loaded.size();
        for (int i = 0; i < count; i++) {
            Expr turn = first.plus(i);
            for (int block = 0; block < pattern.blocks(); block++) {
                int part = i * pattern.blocks() + block;
                boolean last = block == pattern.blocks() - 1;
                boolean follows = part + 1 < count * pattern.blocks();
                if (follows && last) {
                    startFirst(body, turn.plus(1), sums.get((part + 1) % 2));
                } else if (follows) {
                    Landed own = landed(body, turn);
                    start(body, own, block + 1, sums.get((part + 1) % 2));
                    own.keep();
                }
                if (block == 0) {
                    load(body, turn.plus(ring - 1), loaded.get((i + ring - 1) % ring));
                }
                wait(body, follows ? 1 : 0, sums.get(part % 2));
                if (last) {
                    pipe.release(body, landed(body, turn));
                }
                promote(body, sums.get(part % 2), block, loaded.get(i % ring));
            }
        }
    }

    /** Starts a turn's first part, as soon as the turn's stage is there. */
    private void startFirst(Body body, Expr turn, Register sums) {
        Landed stage = pipe.await(body, before.plus(turn));
        start(body, stage, 0, sums);
        stage.keep();
    }

    private Landed landed(Body body, Expr turn) {
        return pipe.landedBefore(pipe.at(body, before.plus(turn)));
    }

    private void start(Body body, Landed stage, int block, Register sums) {
        product.start(body, stage, new ProductLoop.Part(block, 1, pattern.a().k()), List.of(sums), 0);
    }

    private static void wait(Body body, int pending, Register sums) {
        body.purpose("the part's products are done").issue(new WgmmaWaitGroup(pending).withSums(sums.count()),
                Input.of(sums, 0));
    }

    /** For what a turn loads for its sums. */
    private Map<Tile, Held> registers(Body body) {
        Map<Tile, Held> registers = new LinkedHashMap<>();
        promotion().loads().keySet().stream().sorted(Comparator.comparing(Tile::number)).forEach(tile -> {
            List<Integer> extents = promotion().loads().get(tile).axes().stream().filter(axis -> !axis.single())
                    .map(this::extent).toList();
            registers.put(tile, Registers.held(body, Held.name(tile), tile.type(), layout(extents), extents));
        });
        return registers;
    }

    /** Loads it; what is outside of tensors, as behind the last turn, is not touched. */
    private void load(Body body, Expr turn, Map<Tile, Held> into) {
        steps.indexes().variables().put(pattern.loop().turn().number(), turn.toS64());
        into.forEach((tile, held) -> steps.access(body).load(promotion().loads().get(tile), held));
    }

    private int extent(Axis axis) {
        return Math.toIntExact(steps.indexes().of(axis.length().value()).constant().orElseThrow());
    }

    /** That of the sums along axes that are as long. */
    private Layout layout(List<Integer> extents) {
        Layout layout = pattern.layout().without(1);
        layout = extents.size() == 2 && extents.getFirst() > 1 ? layout : layout.without(0);
        for (int i = extents.size(); i < 2; i++) {
            layout = layout.dropped(0);
        }
        return layout;
    }

    private void promote(Body body, Register sums, int block, Map<Tile, Held> loaded) {
        Registers.each(body.purpose("add the scaled sums to the totals"), pattern.registers(), (each, r) -> {
            Expr at = r.plus(block * pattern.registers());
            Map<Tile, Value> known = new HashMap<>();
            known.put(promotion().product(), sums.at(r));
            known.put(pattern.loop().carried().getFirst(), totals.at(at));
            each.assign(totals.at(at), value(each, promotion().next(), at, loaded, known));
        });
    }

    private Value value(Body body, Tile tile, Expr at, Map<Tile, Held> loaded, Map<Tile, Value> known) {
        if (!known.containsKey(tile)) {
            Held held = loaded.get(tile);
            known.put(tile, held != null ? held.register().at(Linear.of(at, held.images(pattern.layout(),
                    pattern.sums()).orElseThrow())) : function(body, tile, at, loaded, known));
        }
        return known.get(tile);
    }

    private Value function(Body body, Tile tile, Expr at, Map<Tile, Held> loaded, Map<Tile, Value> known) {
        TileNode.Map map = (TileNode.Map) tile.node();
        Map<Value, Value> elements = new HashMap<>();
        for (int i = 0; i < map.inputs().size(); i++) {
            elements.put(map.parameters().get(i).get(), value(body, map.inputs().get(i), at, loaded, known));
        }
        Value value = steps.value(map, elements);
        return tile == promotion().next() || tile.type() == ValueType.PRED ? value : body.let(Held.name(tile), value);
    }
}

package dev.tilewright.tile.lower;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.UnaryOp;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileNode;
import dev.tilewright.tile.lower.analysis.Throughout;
import dev.tilewright.tile.lower.layout.Elementwise;
import dev.tilewright.tile.lower.layout.Held;
import dev.tilewright.tile.lower.layout.Paced;
import dev.tilewright.tile.lower.layout.Registers;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * What a group of four warps computes beside a turn's products: weights of scores, what is carried on, and the sums
 * that these change. Where a mask hides none of a turn's scores, it is left out.
 */
record AttentionScores(AttentionPattern pattern, TileSteps steps) {
    /** Sums of some numbers of this size do not wrap. */
    private static final int SMALL = 1 << 28;

    /** What sums are changed by, in registers of their own: a turn's next product starts before sums are changed. */
    Map<Tile, Held> factors(Body body) {
        Map<Tile, Held> factors = new LinkedHashMap<>();
        pattern.changes().stream().flatMap(tile -> tile.node().inputs().stream()).filter(tile -> pattern.between()
                .contains(tile) || pattern.loop().carried().contains(tile)
                && pattern.loop().carried().indexOf(tile) != pattern.number()).forEach(tile -> {
                    List<Integer> extents = TileSteps.extents(tile, steps.indexes());
                    factors.computeIfAbsent(tile, _ -> Registers.held(body.purpose("what sums are changed by"), "by",
                            tile.type(), steps.layout(extents), extents));
                });
        return factors;
    }

    /** What is computed of scores, and carried on but for the sums. */
    void between(Body body, Expr turn, Held scores, List<Held> carried, Map<Tile, Held> factors) {
        TileNode.Loop loop = pattern.loop();
        steps.indexes().variables().put(loop.turn().number(), turn);
        steps.put(pattern.scores(), scores);
        Optional<Tile> masked = pattern.between().stream().filter(tile -> choice(tile).isPresent()).findFirst();
        Set<Tile> inside = masked.map(this::only).orElse(Set.of());
        for (Tile tile : pattern.between()) {
            if (masked.filter(tile::equals).isPresent()) {
                body.purpose("if the mask hides some of these scores").when(steps.indexes().of(choice(tile)
                        .orElseThrow()
                        .condition()).not(), b -> {
                            pattern.between().stream().filter(inside::contains).forEach(t -> later(b, t, scores));
                            steps.functions.assign(b, tile, scores);
                        });
                steps.put(tile, scores);
            } else if (!inside.contains(tile) && !paced(body, tile)) {
                steps.item(body, tile);
            }
        }
        factors.forEach((tile, to) -> assign(body, to, steps.get(body, tile)));
        for (int i = 0; i < carried.size(); i++) {
            Held now = carried.get(i);
            if (i != pattern.number()) {
                assign(body, now, steps.get(body, loop.next().get(i)));
            }
        }
    }

    /** Whether a tile is computed here, which it is if its elements are powers of scores with what rows have. */
    private boolean paced(Body body, Tile tile) {
        if (!(tile.node() instanceof TileNode.Map(List<Tile> inputs, List<Register> _, Value.Unary power))
                || power.op() != UnaryOp.EXP2_FIXED || inputs.size() != 2 || inputs.getFirst() == inputs.getLast()) {
            return false;
        }
        Held scores = steps.get(body, inputs.getFirst());
        Held rows = steps.get(body, inputs.getLast());
        if (!scores.extents().equals(List.of(AttentionPattern.ROWS, pattern.block())) || scores.type() != ValueType.F32
                || rows.register().count() != 2 || rows.type() != ValueType.F32
                || isUsedAfter(inputs.getFirst(), tile) || isUsedAfter(pattern.scores(), tile)) {
            return false;
        }
        Register paced = body.purpose("the same, once earlier powers are there").registers("paced", ValueType.F32,
                rows.register().count());
        steps.put(inputs.getLast(), new Held(paced, rows.layout(), rows.extents()));
        steps.later(body, tile);
        Paced.assign(body, steps.of(body, tile), scores.register(), rows.register(), paced);
        steps.put(inputs.getLast(), rows);
        steps.put(tile, scores);
        return true;
    }

    /** Whether what a turn computes behind a tile takes another one. */
    private boolean isUsedAfter(Tile used, Tile tile) {
        List<Tile> between = pattern.between();
        return pattern.loop().next().contains(used) || Stream.concat(between.subList(between.indexOf(tile) + 1,
                between.size()).stream(), Stream.of(pattern.second().a())).anyMatch(other -> other.node().inputs()
                .contains(used));
    }

    private void assign(Body body, Held to, Held from) {
        Held as = steps.as(body, from, to.layout());
        Registers.each(body, to.layout().registerCount(), (b, r) -> b.assign(to.register().at(r), as.register().at(r)));
    }

    /** What is there for a choice alone: places are those of the scores' columns. */
    private void later(Body body, Tile tile, Held scores) {
        if (tile.node() instanceof TileNode.Iota iota) {
            steps.later(body, tile, iota, scores.layout().without(0).dropped(0));
        } else {
            steps.later(body, tile);
        }
    }

    /** What all sums of a row are multiplied by, if no more is done to them. */
    private Optional<Tile> factor() {
        if (pattern.changes().size() != 1) {
            return Optional.empty();
        }
        Tile changed = pattern.changes().getLast();
        TileNode.Map map = (TileNode.Map) changed.node();
        List<Value> parameters = map.parameters().stream().map(Register::get).toList();
        return map.inputs().size() == 2 && map.inputs().getFirst()
                == pattern.loop().carried().get(pattern.number()) && map.value().equals(parameters.getFirst()
                .times(parameters.getLast())) && changed.type() == ValueType.F32 ? Optional.of(map.inputs().getLast())
                : Optional.empty();
    }

    /** Where scores stay as they are. */
    private Optional<Throughout> choice(Tile tile) {
        if (!(tile.node() instanceof TileNode.Map map)) {
            return Optional.empty();
        }
        List<Tile> loaded = new ArrayList<>();
        Optional<Throughout> found = Throughout.of(map, one -> Optional.of(one).filter(t -> t.shape().isEmpty()
                && steps.tiles().containsKey(t)).map(t -> {
                    loaded.add(t);
                    return number(loaded.size());
                })).filter(c -> c.tile() == pattern.scores());
        for (int i = 0; i < loaded.size(); i++) {
            steps.indexes().variables().put(number(i + 1).number(), steps.tiles().get(loaded.get(i)).at(null,
                    Expr.of(0)).toIndex());
        }
        return found.map(c -> new Throughout(c.tile(), IntStream.rangeClosed(1, loaded.size()).<Expr>mapToObj(i ->
                number(i).atLeast(-SMALL).and(number(i).atMost(SMALL))).reduce(c.condition(), Expr::and)));
    }

    /** Stands for what was loaded before the loop, one number: those of tiles and turns count from 0. */
    private static Expr.Var number(int which) {
        return new Expr.Var("loaded", IntType.S32, -which);
    }

    /** Tiles of a turn that are there for one alone: functions of places. */
    private Set<Tile> only(Tile user) {
        Set<Tile> only = new HashSet<>(Set.of(user));
        for (Tile tile : pattern.between().reversed()) {
            boolean places = tile.node() instanceof TileNode.Map || tile.node() instanceof TileNode.Iota;
            if (places && !pattern.loop().next().contains(tile) && pattern.loop().body().tiles().filter(other ->
                    other.node().inputs().contains(tile) && !pattern.v().factor().tiles().contains(other))
                    .allMatch(only::contains)) {
                only.add(tile);
            }
        }
        only.remove(user);
        return only;
    }

    /** Functions of the sums, in their registers. Where these are but multiplied, warps whose factors are 1 do not. */
    void change(Body body, Register sums) {
        pattern.changes().forEach(tile -> steps.later(body, tile));
        Consumer<Body> all = b -> {
            Elementwise changed = steps.of(b, pattern.second().c());
            Registers.each(b, pattern.width() / 2, (each, r) -> each.assign(sums.at(r), changed.at(each, r)));
        };
        Optional<Tile> factor = factor();
        if (factor.isPresent()) {
            Held by = steps.get(body, factor.get());
            Value other = IntStream.range(0, by.layout().registerCount()).mapToObj(r -> by.register().at(r)
                    .isNotEqualTo(Value.f32(1))).reduce(Value::or).orElseThrow();
            body.purpose("if any factor is not 1").when(body.warp().any(other).toIndex(), all);
        } else if (!pattern.changes().isEmpty()) {
            all.accept(body);
        }
    }

    /** Weights as tensor cores take them. */
    void pack(Body body, Register weights) {
        steps.later(body, pattern.second().a());
        Elementwise weight = steps.of(body, pattern.second().a());
        Registers.each(body, weights.count(), (b, r) -> b.assign(weights.at(r), Multiplier.packed(List.of(
                weight.at(b, r.times(2)), weight.at(b, r.times(2).plus(1))))));
    }
}

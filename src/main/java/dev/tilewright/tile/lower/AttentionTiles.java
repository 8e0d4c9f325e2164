package dev.tilewright.tile.lower;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.ExprSearch;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Register;
import dev.tilewright.tile.Grid;
import dev.tilewright.tile.lower.analysis.Indexes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * Which tiles of an {@link AttentionPattern} a block takes, and which key blocks they need: pairs of neighbours along
 * the grid's last dimension, one for each group of four warps.
 */
record AttentionTiles(Grid grid, Map<String, Long> known, AttentionPattern pattern, int groups) {

    /** Key blocks of a group, or of all. */
    record Range(Expr first, Expr turns) { }

    /**
     * Tiles beside each other.
     *
     * @param turn which of the block's pairs
     * @param numbers of tiles, the last of a pair
     * @param alone which group computes alone, or -1; nothing where both do always
     */
    record Pair(Expr turn, List<Expr> numbers, Optional<Expr> alone) {
        /** Whether a group has a tile of it, where that is not always so. */
        Optional<Expr> isOf(Expr group) {
            return alone.map(one -> one.isEqualTo(-1).or(one.isEqualTo(group)));
        }
    }

    void forEachPair(Body body, BiConsumer<Body, Pair> code) {
        Indexes outside = new Indexes(Map.of(), known);
        List<Expr> counts = new ArrayList<>(grid.steps().stream().<Expr>map(s -> body.let("tiles_"
                + s.dim().name().replaceAll("\\W", "_"), outside.of(s.count()).as(IntType.S32))).toList());
        counts.set(counts.size() - 1, body.let("pairs", counts.getLast().plus(groups - 1).dividedBy(groups)));
        if (isUneven()) {
            forEachFolded(body, counts, code);
        } else {
            forEachEven(body, counts, code);
        }
    }

    private static Expr product(List<Expr> counts) {
        return counts.stream().reduce(Expr::times).orElseThrow();
    }

    /** Of what is left for the last round, each group of a block takes one tile, if that is enough. */
    private void forEachEven(Body body, List<Expr> counts, BiConsumer<Body, Pair> code) {
        Expr all = body.let("all", product(counts));
        Expr rounds = body.purpose("rounds in which every block takes a pair").let("rounds", all.dividedBy(
                Builtin.GRID));
        Expr rest = body.purpose("pairs left for the last round").let("rest", all.minus(rounds.times(Builtin.GRID)));
        Expr last = groups == 1 ? rest : body.purpose("blocks in that round: two for a pair, if there are enough")
                .let("last", rest.times(2).atMost(Builtin.GRID).choose(rest.times(2), rest));
        Expr mine = body.purpose("how many pairs this block takes").let("mine", rounds.plus(Builtin.BLOCK.lessThan(last)
                .choose(1, 0)));
        body.purpose("one pair after another").loop("number", mine, (each, number) -> {
            Optional<Expr> alone = groups == 1 ? Optional.empty()
                    : Optional.of(each.purpose("the only group at work in this round, or -1 for both")
                    .let("alone", number.isEqualTo(rounds).and(last.greaterThan(rest)).choose(Builtin.BLOCK.modulo(2),
                            -1)));
            Expr own = alone.map(one -> one.isEqualTo(-1).choose(Builtin.BLOCK, Builtin.BLOCK.dividedBy(2)))
                    .orElse(Builtin.BLOCK);
            Expr tile = each.let("tile", number.times(Builtin.GRID).plus(own));
            code.accept(each, pair(each, number, tile, counts, alone, Function.identity()));
        });
    }

    /**
     * Where those behind have more turns: one of the last and one of the first after the other, so that all blocks have
     * as many, if there are enough for that.
     */
    private void forEachFolded(Body body, List<Expr> counts, BiConsumer<Body, Pair> code) {
        Expr pairs = counts.getLast();
        Expr fold = body.purpose("how many pairs of tiles make a unit of work").let("fold", product(counts)
                .greaterThan(Builtin.GRID)
                .choose(2, 1));
        List<Expr> folded = new ArrayList<>(counts);
        folded.set(counts.size() - 1, body.let("folded", pairs.plus(fold).minus(1).dividedBy(fold)));
        Expr mine = body.purpose("how many units of work this block takes").let("mine", product(folded)
                .minus(Builtin.BLOCK)
                .plus(Builtin.GRID).minus(1).dividedBy(Builtin.GRID));
        Register taken = body.purpose("pairs taken so far").variable("taken", 0);
        body.purpose("one unit of work after another").loop("number", mine, (each, number) -> {
            Expr tile = each.let("tile", Builtin.BLOCK.plus(number.times(Builtin.GRID)));
            Expr first = each.let("first_pair", tile.modulo(folded.getLast()));
            Expr count = each.purpose("the middle pair has no partner").let("count", fold.isEqualTo(2)
                    .and(first.times(2)
                    .plus(1).lessThan(pairs)).choose(2, 1));
            each.purpose("the pair with more turns first").loop("half", count, (b, half) -> {
                code.accept(b, pair(b, taken.get().toIndex().toS32(), tile, folded, Optional.empty(), at ->
                        half.isEqualTo(0).choose(pairs.minus(1).minus(at), at)));
                b.assign(taken, taken.get().toIndex().toS32().plus(1));
            });
        });
    }

    /** @param place of the last dimension's number */
    private Pair pair(Body body, Expr turn, Expr tile, List<Expr> counts, Optional<Expr> alone,
            Function<Expr, Expr> place) {
        List<Expr> numbers = new ArrayList<>();
        Expr rest = tile;
        for (int i = counts.size() - 1; i >= 0; i--) {
            Expr own = i == 0 ? rest : rest.modulo(counts.get(i));
            numbers.addFirst(body.let(grid.numbers().get(i).name(), i == counts.size() - 1 ? place.apply(own)
                    : own));
            rest = rest.dividedBy(counts.get(i));
        }
        return new Pair(turn, numbers, alone);
    }

    boolean isUneven() {
        return ExprSearch.any(pattern.loop().turns(), e -> e.equals(grid.numbers().getLast()));
    }

    Map<Integer, Expr> numbers(Pair pair, Expr group) {
        Map<Integer, Expr> numbers = new HashMap<>();
        int last = pair.numbers.size() - 1;
        for (int i = 0; i <= last; i++) {
            Expr number = pair.numbers.get(i);
            numbers.put(grid.numbers().get(i).number(), (i == last ? number.times(groups).plus(group) : number)
                    .toS64());
        }
        return numbers;
    }

    Indexes indexes(Pair pair, int group) {
        return new Indexes(numbers(pair, Expr.of(group)), known);
    }

    Range range(Body body, Indexes indexes) {
        Expr turns = body.let("turns", indexes.of(pattern.loop().turns()).toS32().max(0));
        return new Range(body.let("first", indexes.of(pattern.start()).dividedBy(pattern.block()).toS32()), turns);
    }

    /** How many turns all groups have, whose key blocks begin at the same one. */
    Expr common(Body body, Pair pair) {
        Expr least = IntStream.range(0, groups).mapToObj(group -> range(body, indexes(pair, group)).turns)
                .reduce(Expr::min).orElseThrow();
        return body.purpose("how many key blocks both groups read").let("common", pair.alone.map(one ->
                one.isEqualTo(-1).choose(least, 0)).orElse(least));
    }

    /** From the first block of keys that any group's tile has to the last. */
    Range all(Body body, Pair pair) {
        List<Range> ranges = new ArrayList<>();
        for (int group = 0; group < groups; group++) {
            ranges.add(range(body, indexes(pair, group)));
        }
        Expr first = ranges.stream().map(r -> r.turns.greaterThan(0).choose(r.first, Integer.MAX_VALUE))
                .reduce(Expr::min).orElseThrow();
        Expr least = body.purpose("the first key block that any group reads").let("first", first);
        Expr turns = ranges.stream().map(r -> r.turns.greaterThan(0).choose(r.first.plus(r.turns).minus(least),
                0)).reduce(Expr::max).orElseThrow();
        return new Range(least, body.purpose("how many key blocks the groups read together").let("turns", turns));
    }
}

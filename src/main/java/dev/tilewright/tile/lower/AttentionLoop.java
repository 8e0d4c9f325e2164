package dev.tilewright.tile.lower;

import dev.tilewright.builder.pipeline.BarrierPipeline;
import dev.tilewright.builder.pipeline.Landed;
import dev.tilewright.builder.pipeline.RingCursor;
import dev.tilewright.builder.pipeline.StageBuffer;
import dev.tilewright.layout.MatrixTile;
import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.UnaryOp;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import dev.tilewright.ptx.mma.WgmmaCommitGroup;
import dev.tilewright.ptx.mma.WgmmaFence;
import dev.tilewright.ptx.mma.WgmmaFloat;
import dev.tilewright.ptx.mma.WgmmaWaitGroup;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileNode;
import dev.tilewright.tile.lower.analysis.PagedFactor;
import dev.tilewright.tile.lower.analysis.Throughout;
import dev.tilewright.tile.lower.layout.Elementwise;
import dev.tilewright.tile.lower.layout.Held;
import dev.tilewright.tile.lower.layout.LeftRows;
import dev.tilewright.tile.lower.layout.Paced;
import dev.tilewright.tile.lower.layout.Registers;
import java.util.ArrayList;
import java.util.Collections;
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
 * The turns of a group of four warps: a turn's first product starts before the second of the turn before is done, and
 * what is computed of its scores runs beside that. Groups do not take turns to multiply, which made them slower on an
 * H200.
 *
 * @param q where the group's rows of the first product's left factor lie
 * @param before blocks of keys of tiles before
 * @param common how many turns both groups have, which clear rows of these together; nothing where one group does
 */
record AttentionLoop(AttentionPattern pattern, TileSteps steps, List<BarrierPipeline> pipes, StageBuffer kStages,
        StageBuffer vStages, Address.Shared q, Expr before, Optional<Expr> common) {
    private static final int DEPTH = 16;
    private static final int GROUP = 128;
    /** The named barrier of both groups, behind one of each. */
    private static final int BOTH = 3;
    /** Sums of some numbers of this size do not wrap. */
    private static final int SMALL = 1 << 28;
    /** Bytes that a thread stores at once. */
    private static final int CHUNK = 16;

    /**
     * @param skipped blocks that another group alone has, before this one's
     * @param own turns of this group
     * @param all turns of the block
     * @param multiplied what is done once the first product's left factor is not read any more
     * @param isEarly whether that may be written in two places, the first in the last turn before its weights
     * @param rows the first product's left factor in registers; nothing where it stays in shared memory
     */
    void write(Body body, Expr skipped, Expr own, Expr all, Consumer<Body> multiplied,
            boolean isEarly, Optional<Register> rows) {
        TileNode.Loop loop = pattern.loop();
        List<Held> carried = new ArrayList<>();
        for (int i = 0; i < loop.carried().size(); i++) {
            Held now = steps.loops.begin(body, loop.initial().get(i));
            carried.add(now);
            steps.put(loop.carried().get(i), now);
        }
        Register sums = carried.get(pattern.number()).register();
        Register weights = body.purpose("pairs of weights").registers("weights", ValueType.U32,
                pattern.block() / 4);
        Map<Tile, Held> factors = factors(body);
        Expr first = body.purpose("the ring's turn at this group's first key block").let("start", before.plus(skipped));
        skip(body, before, skipped);
        BarrierPipeline k = pipes.get(1);
        BarrierPipeline v = pipes.get(2);
        RingCursor keys = k.cursor(body, "k", first);
        RingCursor values = v.cursor(body, "v", first);
        body.purpose("the first key block, if there is one").when(own.greaterThan(0), some -> {
            Landed start = k.await(some, keys);
            Held scores = scores(some, start, rows);
            wait(some, "the products are done", 0, scores.register(), scores.register().count());
            k.release(some, start);
            between(some, Expr.of(0L), scores, carried, factors);
            pack(some, weights);
            awaitNext(some, keys, Expr.of(0), own);
        });
        body.purpose("over the key blocks").loop("turn", Expr.of(1), own, Expr.of(1), (each, turn) -> {
            Landed now = k.landedBefore(each, keys);
            Optional<Landed> cleared = cleared().map(_ -> values(each, values, turn.minus(1)));
            Held next = scores(each, now, rows);
            Landed former = cleared.orElseGet(() -> values(each, values, turn.minus(1)));
            add(each, former, sums, weights, factors);
            wait(each, "the scores are done", 1, next.register(), next.register().count());
            k.release(each, now);
            if (isEarly) {
                each.purpose("in the last turn").when(turn.plus(1).isEqualTo(own), multiplied);
            }
            between(each, turn.toS64(), next, carried, factors);
            awaitNext(each, keys, turn, own);
            wait(each, "the sums are done", 0, sums, pattern.width() / 2);
            v.release(each, former);
            pack(each, weights);
        });
        if (isEarly) {
            body.purpose("if there was no such turn").when(own.lessThan(2), multiplied);
        } else {
            multiplied.accept(body);
        }
        body.purpose("the last key block's values").when(own.greaterThan(0), some -> {
            Landed last = values(some, values, own.minus(1));
            add(some, last, sums, weights, factors);
            wait(some, "the products are done", 0, sums, pattern.width() / 2);
            v.release(some, last);
        });
        skip(body, body.let("behind", first.plus(own)), all.minus(skipped).minus(own));
        steps.loops.results(loop, carried);
    }

    /** What sums are changed by, in registers of their own: a turn's next product starts before sums are changed. */
    private Map<Tile, Held> factors(Body body) {
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

    private Landed values(Body body, RingCursor cursor, Expr turn) {
        Landed values = pipes.get(2).await(body, cursor);
        clear(body, values, turn);
        return values;
    }

    private static void wait(Body body, String purpose, int pending, Register sums, int count) {
        body.purpose(purpose).issue(new WgmmaWaitGroup(pending).withSums(count), Input.of(sums, 0));
    }

    /**
     * Waits for the keys of the next turn, if there is one. It is here, and not at their use, for a loop of its own:
     * else ptxas (13.0) waits for the products in flight before what is computed beside them, which knows nothing of
     * them.
     */
    private void awaitNext(Body body, RingCursor keys, Expr turn, Expr own) {
        body.purpose("if there is a next turn").when(turn.plus(1).lessThan(own), b -> pipes.get(1).await(b,
                keys.position()).keep());
    }

    /** Of how many rows of pages there is something, where others are cleared. */
    private Optional<Tile> cleared() {
        return pattern.pages().flatMap(PagedFactor::length);
    }

    /** Zeros where a turn's pages have more rows than are to be multiplied, so that these may be anything. */
    private void clear(Body body, Landed stage, Expr turn) {
        Optional<Tile> length = cleared();
        if (length.isEmpty()) {
            return;
        }
        Expr first = body.purpose("this turn's first row").let("first_row", turn.times(pattern.block()));
        Expr count = body.purpose("how many rows there are").let("rows", steps.get(body, length.get()).register().get()
                .toIndex());
        Rows missing = new Rows(stage, first, count);
        Consumer<Body> alone = b -> clear(b, missing, Builtin.THREAD.modulo(GROUP), GROUP,
                Builtin.THREAD.dividedBy(GROUP).plus(1));
        body.purpose("if some of these rows are missing").when(first.plus(pattern.block()).greaterThan(count), some ->
                common.ifPresentOrElse(both -> some.purpose("if both groups read them").when(turn.lessThan(both),
                        b -> clear(b, missing, Builtin.THREAD, 2 * GROUP, Expr.of(BOTH)), alone),
                        () -> alone.accept(some)));
    }

    /** A turn's rows. @param first of these @param count from which on they are missing */
    private record Rows(Landed stage, Expr first, Expr count) { }

    /** By several threads. @param number of this one @param barrier at which they meet */
    private void clear(Body body, Rows rows, Expr number, int threads, Expr barrier) {
        body.loop("row", number, Expr.of(pattern.block()), Expr.of(threads), (each, row) ->
                each.when(rows.first.plus(row).atLeast(rows.count), out -> zero(out, rows.stage, row)));
        body.purpose("tensor cores see what this thread wrote").proxyFence(FenceProxyAsync.Memory.SHARED);
        body.purpose(threads == GROUP ? "all threads of the group have written" : "all threads of both groups have "
                + "written").namedBarrier(barrier, threads).sync();
    }

    private void zero(Body body, Landed stage, Expr row) {
        Operand v = pattern.v();
        for (int panel = 0; panel < v.panels(); panel++) {
            Expr start = row.times(v.pitch()).plus(panel * v.panelStride());
            body.loop("chunk", v.pitch() / CHUNK, (each, chunk) -> each.store(stage.at(vStages, start.plus(chunk.times(
                    CHUNK))), Collections.nCopies(CHUNK / Integer.BYTES, Value.of(ValueType.U32, 0))));
        }
    }

    private void skip(Body body, Expr from, Expr count) {
        body.purpose("key blocks that this group does not read").loop("skip", count, (each, turn) -> {
            for (BarrierPipeline pipe : pipes.subList(1, pipes.size())) {
                pipe.release(each, pipe.await(each, from.plus(turn)));
            }
        });
    }

    /** Starts the first product. */
    private Held scores(Body body, Landed stage, Optional<Register> rows) {
        Tile tile = pattern.scores();
        List<Integer> extents = List.of(AttentionPattern.ROWS, pattern.block());
        Held held = Registers.held(body, "scores", tile.type(), steps.layout(extents), extents);
        MatrixTile left = pattern.q().matrix();
        MatrixTile right = pattern.k().matrix();
        WgmmaFloat form = new WgmmaFloat(Multiplier.types(pattern.first()), pattern.block());
        form = pattern.k().transposed() ? form.withTransposedB() : form;
        form = rows.isPresent() ? form.withRegistersA() : form;
        Optional<Expr> a = rows.isPresent() ? Optional.empty() : Optional.of(body.purpose("matrix descriptor of this "
                + "group's rows of Q").let("a", q.descriptor(left)));
        Expr b = body.purpose("matrix descriptor of the keys").let("b", stage.at(kStages).descriptor(right));
        body.purpose("from here on the tensor cores own the registers").issue(new WgmmaFence());
        for (int at = 0; at < left.k(); at += DEPTH) {
            int first = at;
            body.purpose("scores = Q K^T, step by step").issue(form, Input.of(held.register(), 0),
                    a.map(start -> Input.of(start.plus(left.startOf(0, first) >> 4))).orElseGet(() -> Input.of(
                            rows.orElseThrow(), LeftRows.registers(first))),
                    Input.of(b.plus(right.startOf(0, at) >> 4)), Input.of(at == 0 ? 0 : 1));
        }
        body.purpose("commit them as one group").issue(new WgmmaCommitGroup());
        return held;
    }

    /** Changes the sums, which an earlier second product has left, and starts the second product. */
    private void add(Body body, Landed stage, Register sums, Register weights, Map<Tile, Held> factors) {
        Map<Tile, Held> carried = new LinkedHashMap<>();
        pattern.loop().carried().stream().filter(factors::containsKey).forEach(tile -> carried.put(tile, steps.get(body,
                tile)));
        factors.forEach(steps::put);
        change(body, sums);
        carried.forEach(steps::put);
        MatrixTile right = pattern.v().matrix();
        WgmmaFloat form = new WgmmaFloat(Multiplier.types(pattern.second()), pattern.width()).withRegistersA();
        form = pattern.v().transposed() ? form.withTransposedB() : form;
        Expr b = body.purpose("matrix descriptor of the values").let("b", stage.at(vStages).descriptor(right));
        body.purpose("from here on the tensor cores own the registers").issue(new WgmmaFence());
        for (int at = 0; at < pattern.block(); at += DEPTH) {
            body.purpose("sums += weights V").issue(form, Input.of(sums, 0), Input.of(weights, at / 4),
                    Input.of(b.plus(right.startOf(0, at) >> 4)), Input.of(1));
        }
        body.purpose("commit them as one group").issue(new WgmmaCommitGroup());
    }

    /** What is computed of scores, and carried on but for the sums. */
    private void between(Body body, Expr turn, Held scores, List<Held> carried, Map<Tile, Held> factors) {
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
    private void change(Body body, Register sums) {
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
    private void pack(Body body, Register weights) {
        steps.later(body, pattern.second().a());
        Elementwise weight = steps.of(body, pattern.second().a());
        Registers.each(body, weights.count(), (b, r) -> b.assign(weights.at(r), Multiplier.packed(List.of(
                weight.at(b, r.times(2)), weight.at(b, r.times(2).plus(1))))));
    }
}

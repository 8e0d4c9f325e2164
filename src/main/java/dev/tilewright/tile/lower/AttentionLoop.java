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
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import dev.tilewright.ptx.mma.WgmmaFloat;
import dev.tilewright.ptx.mma.WgmmaWaitGroup;
import dev.tilewright.tile.Tile;
import dev.tilewright.tile.TileNode;
import dev.tilewright.tile.lower.analysis.PagedFactor;
import dev.tilewright.tile.lower.layout.Held;
import dev.tilewright.tile.lower.layout.LeftRows;
import dev.tilewright.tile.lower.layout.Registers;
import dev.tilewright.tile.lower.layout.Team;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The turns of a group of four warps: a turn's first product starts before the second of the turn before is done, and
 * what is computed of its scores ({@link AttentionScores}) runs beside that. Groups do not take turns to multiply,
 * which made them slower on an H200.
 *
 * @param q where the group's rows of the first product's left factor lie
 * @param before blocks of keys of tiles before
 * @param common how many turns both groups have, which clear rows of these together; nothing where one group does
 */
record AttentionLoop(AttentionPattern pattern, TileSteps steps, List<BarrierPipeline> pipes, StageBuffer kStages,
        StageBuffer vStages, Address.Shared q, Expr before, Optional<Expr> common) {
    private static final int DEPTH = 16;
    /** The named barrier of both groups, behind one of each. */
    private static final int BOTH = 3;
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
        Map<Tile, Held> factors = functions().factors(body);
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
            functions().between(some, Expr.of(0L), scores, carried, factors);
            functions().pack(some, weights);
            awaitNext(some, keys, Expr.of(0), own);
        });
        body.purpose("over the key blocks").loop("turn", 1, own, 1, (each, turn) -> {
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
            functions().between(each, turn.toS64(), next, carried, factors);
            awaitNext(each, keys, turn, own);
            wait(each, "the sums are done", 0, sums, pattern.width() / 2);
            v.release(each, former);
            functions().pack(each, weights);
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

    private AttentionScores functions() {
        return new AttentionScores(pattern, steps);
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
        Consumer<Body> alone = b -> clear(b, missing, Builtin.THREAD.modulo(Team.GROUP), Team.GROUP,
                Builtin.THREAD.dividedBy(Team.GROUP).plus(1));
        body.purpose("if some of these rows are missing").when(first.plus(pattern.block()).greaterThan(count), some ->
                common.ifPresentOrElse(both -> some.purpose("if both groups read them").when(turn.lessThan(both),
                        b -> clear(b, missing, Builtin.THREAD, 2 * Team.GROUP, Expr.of(BOTH)), alone),
                        () -> alone.accept(some)));
    }

    /** A turn's rows. @param first of these @param count from which on they are missing */
    private record Rows(Landed stage, Expr first, Expr count) { }

    /** By several threads. @param number of this one @param barrier at which they meet */
    private void clear(Body body, Rows rows, Expr number, int threads, Expr barrier) {
        body.loop("row", number, pattern.block(), threads, (each, row) ->
                each.when(rows.first.plus(row).atLeast(rows.count), out -> zero(out, rows.stage, row)));
        body.purpose("tensor cores see what this thread wrote").proxyFence(FenceProxyAsync.Memory.SHARED);
        body.purpose(threads == Team.GROUP ? "all threads of the group have written" : "all threads of both groups have"
                + " written").namedBarrier(barrier, threads).sync();
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
        body.purpose("from here on the tensor cores own the registers").wgmmaFence();
        for (int at = 0; at < left.k(); at += DEPTH) {
            int first = at;
            body.purpose("scores = Q K^T, step by step").issue(form, Input.of(held.register(), 0),
                    a.map(start -> Input.of(start.plus(left.startOf(0, first) >> 4))).orElseGet(() -> Input.of(
                            rows.orElseThrow(), LeftRows.registers(first))),
                    Input.of(b.plus(right.startOf(0, at) >> 4)), Input.of(at == 0 ? 0 : 1));
        }
        body.purpose("commit them as one group").wgmmaCommit();
        return held;
    }

    /** Changes the sums, which an earlier second product has left, and starts the second product. */
    private void add(Body body, Landed stage, Register sums, Register weights, Map<Tile, Held> factors) {
        Map<Tile, Held> carried = new LinkedHashMap<>();
        pattern.loop().carried().stream().filter(factors::containsKey).forEach(tile -> carried.put(tile, steps.get(body,
                tile)));
        factors.forEach(steps::put);
        functions().change(body, sums);
        carried.forEach(steps::put);
        MatrixTile right = pattern.v().matrix();
        WgmmaFloat form = new WgmmaFloat(Multiplier.types(pattern.second()), pattern.width()).withRegistersA();
        form = pattern.v().transposed() ? form.withTransposedB() : form;
        Expr b = body.purpose("matrix descriptor of the values").let("b", stage.at(vStages).descriptor(right));
        body.purpose("from here on the tensor cores own the registers").wgmmaFence();
        for (int at = 0; at < pattern.block(); at += DEPTH) {
            body.purpose("sums += weights V").issue(form, Input.of(sums, 0), Input.of(weights, at / 4),
                    Input.of(b.plus(right.startOf(0, at) >> 4)), Input.of(1));
        }
        body.purpose("commit them as one group").wgmmaCommit();
    }
}

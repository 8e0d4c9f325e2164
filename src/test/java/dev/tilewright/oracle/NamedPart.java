package dev.tilewright.oracle;

import static dev.tilewright.oracle.Plan.T;

import dev.tilewright.program.Body;
import dev.tilewright.program.Operation;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.warp.BarrierCtaArrive;
import dev.tilewright.ptx.warp.BarrierCtaRed;
import dev.tilewright.ptx.warp.BarrierCtaSync;
import java.util.List;
import java.util.Optional;

/** A warp that writes words and one that reads them, which hand them over by named barriers, or meet at one. */
final class NamedPart implements Part {
    static final int THREADS = 64;
    private static final int WARP = 32;
    private static final int FULL = 1;
    private static final int EMPTY = 3;

    private final Plan plan;
    private final int tiles;
    private final int stages;
    private final boolean loop;
    private final int way;
    private final SharedRegion.Buffer words;
    private final Expr source;
    private final Expr result;
    private int names;

    NamedPart(Plan plan) {
        this.plan = plan;
        tiles = 1 + plan.pick(3);
        stages = 1 + plan.pick(2);
        loop = plan.maybe();
        way = plan.pick(3);
        words = plan.buffer(stages * WARP * 4);
        source = plan.source(WARP * 4);
        result = plan.result(tiles * WARP * 4);
    }

    @Override
    public void write(Body body) {
        Expr lane = T.bitAnd(WARP - 1);
        if (way == 0) {
            plan.turns(body, tiles, loop, (each, tile) -> {
                each.when(T.atLeast(WARP), one -> put(one, lane, tile));
                each.issue(new BarrierCtaSync().withCounted(), Input.of(FULL), Input.of(THREADS));
                each.when(T.lessThan(WARP), one -> take(one, lane, tile));
                each.issue("all" + names++, new BarrierCtaRed(BarrierCtaRed.Op.POPC), Input.of(EMPTY), Input.of(1));
            });
            return;
        }
        body.when(T.atLeast(WARP), one -> plan.turns(one, tiles, loop, (each, tile) -> {
            each.when(tile.atLeast(stages), again -> come(again, true, stage(EMPTY, tile)));
            put(each, lane, tile);
            come(each, false, stage(FULL, tile));
        }), one -> plan.turns(one, tiles, loop, (each, tile) -> {
            come(each, true, stage(FULL, tile));
            take(each, lane, tile);
            each.when(tile.plus(stages).lessThan(tiles), again -> come(again, false, stage(EMPTY, tile)));
        }));
    }

    /** Of each stage's own: arrivals for two would make one phase together. */
    private Expr stage(int first, Expr tile) {
        return tile.modulo(stages).plus(first);
    }

    private static void come(Body body, boolean waits, Expr barrier) {
        if (waits) {
            body.issue(new BarrierCtaSync().withCounted(), Input.of(barrier), Input.of(THREADS));
        } else {
            body.issue(new BarrierCtaArrive(), Input.of(barrier), Input.of(THREADS));
        }
    }

    private Expr place(Expr lane, Expr tile) {
        return tile.modulo(stages).times(WARP * 4).plus(lane.times(4));
    }

    private void put(Body body, Expr lane, Expr tile) {
        move(body, Plan.from(source.plus(lane.times(4))), words.at(place(lane, tile)), "put");
    }

    private void take(Body body, Expr lane, Expr tile) {
        move(body, words.at(place(lane.plus(1).modulo(WARP), tile)), Plan.to(result.plus(tile.times(WARP * 4))
                .plus(lane.times(4))), "take");
    }

    private void move(Body body, dev.tilewright.program.expression.Address from,
            dev.tilewright.program.expression.Address to, String name) {
        Register word = new Register(name + names++, ValueType.U32, 1, 0);
        body.add(new Operation.Declare(word, Optional.empty(), false));
        body.add(new Operation.LoadValues(word, Expr.of(0), 1, from));
        body.add(new Operation.StoreValues(to, List.of(word.at(0))));
    }

    @Override
    public String toString() {
        return "named " + way + " x" + tiles + " of " + stages + (loop ? " loop" : "");
    }
}

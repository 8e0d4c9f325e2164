package dev.tilewright.oracle;

import static dev.tilewright.oracle.Plan.PIECE;
import static dev.tilewright.oracle.Plan.T;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.memory.Ld;
import dev.tilewright.ptx.memory.St;
import dev.tilewright.ptx.warp.BarWarpSync;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * Lanes of one warp, each in a branch of its own: a ring in which each hands the next a piece, by an mbarrier or a
 * flag, and of which the last may leave a round early; or the first of them meet by {@code bar.warp.sync}, and the
 * others have left.
 */
final class LanesPart implements Part {
    private enum Hand { BARRIER, MEETING, FLAG }

    private final Plan plan;
    private final Hand hand;
    private final int rounds;
    private final boolean loop;
    private final int lanes;
    /** The last lane that takes part in the last round of the ring. */
    private final int stays;
    private final SharedRegion.Buffer buffer;
    private final SharedRegion.Barriers handed;
    private final int[] flags;
    private final Expr source;
    private final Expr result;

    LanesPart(Plan plan) {
        this.plan = plan;
        // A flag serves one block.
        hand = Hand.values()[plan.pick(Hand.values().length - (plan.blocks > 1 ? 1 : 0))];
        rounds = 1 + plan.pick(2);
        loop = plan.maybe();
        lanes = hand == Hand.MEETING && plan.maybe() ? Math.min(2, plan.threads) : plan.threads;
        stays = plan.pick(lanes);
        buffer = plan.buffer(plan.tile());
        handed = hand == Hand.BARRIER ? plan.barriers(lanes, 1) : null;
        flags = new int[hand == Hand.FLAG ? lanes : 0];
        for (int lane = 0; lane < flags.length; lane++) {
            flags[lane] = plan.flag();
        }
        source = plan.source(rounds * plan.tile());
        result = plan.result(rounds * plan.tile());
    }

    @Override
    public void write(Body body) {
        Consumer<Body> all = b -> among(b, 0);
        if (lanes < plan.threads) {
            body.when(T.lessThan(lanes), all);
        } else {
            all.accept(body);
        }
    }

    /** Guards within guards: this lane, or those behind it. */
    private void among(Body body, int lane) {
        if (lane == lanes - 1) {
            role(body, lane);
        } else {
            body.when(T.isEqualTo(lane), one -> role(one, lane), others -> among(others, lane + 1));
        }
    }

    private void role(Body body, int lane) {
        int turns = hand != Hand.MEETING && lane > stays ? rounds - 1 : rounds;
        if (turns > 0) {
            plan.turns(body, turns, loop, (each, turn) -> {
                if (hand == Hand.MEETING) {
                    meet(each, turn, lane);
                } else {
                    ring(each, turn, lane);
                }
            });
        }
    }

    private void meet(Body body, Expr turn, int lane) {
        Plan.move(body, fromSource(turn, lane), slot(lane));
        sync(body);
        Plan.move(body, slot((lane + 1) % lanes), toResult(turn, lane));
        sync(body);
    }

    private void sync(Body body) {
        body.issue(new BarWarpSync(), Input.of((1 << lanes) - 1));
    }

    private void ring(Body body, Expr turn, int lane) {
        if (lane > 0) {
            take(body, turn, lane);
        } else {
            body.when(turn.atLeast(1), later -> take(later, turn.minus(1), lane));
        }
        int next = (lane + 1) % lanes;
        boolean ends = lane == stays || next == 0;
        if (ends) {
            // Behind it nobody waits in the last round.
            body.when(turn.lessThan(rounds - 1), more -> give(more, turn, lane, next));
        } else {
            give(body, turn, lane, next);
        }
    }

    private void take(Body body, Expr turn, int lane) {
        if (hand == Hand.BARRIER) {
            plan.waitParity(body, handed.at(lane), turn.bitAnd(1));
        } else {
            Ld load = Ld.acquire(Scope.CTA, Space.GLOBAL, DataType.U32);
            plan.waitUntil(body, load, Plan.flagAt(flags[lane]), turn.plus(1));
        }
        Plan.move(body, slot(lane), toResult(turn, lane));
    }

    private void give(Body body, Expr turn, int lane, int next) {
        Plan.move(body, fromSource(turn, lane), slot(next));
        if (hand == Hand.BARRIER) {
            body.arrive(handed.at(next));
        } else {
            body.issue(St.release(Scope.CTA, Space.GLOBAL, DataType.U32), Input.of(Plan.flagAt(flags[next])),
                    Input.of(turn.plus(1)));
        }
    }

    private Address slot(int lane) {
        return buffer.at(lane * PIECE);
    }

    private Address fromSource(Expr turn, int lane) {
        return Plan.from(source.plus(turn.times(plan.tile())).plus(lane * PIECE));
    }

    private Address toResult(Expr turn, int lane) {
        return Plan.to(result.plus(turn.times(plan.tile())).plus(lane * PIECE));
    }

    @Override
    public String toString() {
        return "lanes " + hand.name().toLowerCase(Locale.ROOT) + " x" + rounds + (loop ? " loop" : "") + " of " + lanes
                + (hand == Hand.MEETING ? "" : " until " + stays);
    }
}

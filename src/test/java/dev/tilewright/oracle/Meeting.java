package dev.tilewright.oracle;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.expression.Token;
import dev.tilewright.ptx.mbarrier.ArriveOrder;
import dev.tilewright.ptx.mbarrier.WaitOrder;

/** A way in which all threads of a block wait for each other, as often as asked. */
final class Meeting {
    private enum Kind { SYNC, TOKENS, PARITY, CLUSTER, FENCED, COUNTED }

    private final Kind kind;
    private final SharedRegion.Barriers barrier;
    private int met;

    Meeting(Plan plan) {
        int way = plan.pick(11);
        kind = way < 5 ? Kind.SYNC : way < 7 ? Kind.TOKENS : way < 8 ? Kind.PARITY
                : way == 8 && plan.cluster > 1 ? Kind.CLUSTER : way == 9 ? Kind.FENCED
                : way == 10 ? Kind.COUNTED : Kind.SYNC;
        barrier = switch (kind) {
            case TOKENS, PARITY, FENCED -> plan.barriers(1, plan.threads);
            case COUNTED -> plan.barriers(1, 2 * plan.threads);
            case SYNC, CLUSTER -> null;
        };
    }

    /** All meet. @param turn how often they have, or null where this is not in a loop */
    void meet(Body body, Expr turn) {
        Expr parity = turn == null ? Expr.of(met++ % 2) : turn.bitAnd(1);
        switch (kind) {
            case SYNC -> body.syncThreads();
            case CLUSTER -> body.clusterSync();
            case TOKENS -> {
                Token token = body.arrive(barrier.at(0)).token("token");
                body.waitToken(barrier.at(0), token);
            }
            case PARITY -> {
                body.arrive(barrier.at(0));
                body.waitParity(barrier.at(0), parity);
            }
            case COUNTED -> {
                body.arrive(barrier.at(0)).count(2);
                body.waitParity(barrier.at(0), parity);
            }
            case FENCED -> {
                body.fence(dev.tilewright.ptx.Scope.CTA);
                body.arrive(barrier.at(0)).order(ArriveOrder.RELAXED_CTA);
                body.waitParity(barrier.at(0), parity).order(WaitOrder.RELAXED_CTA);
                body.fence(dev.tilewright.ptx.Scope.CTA);
            }
        }
    }

    @Override
    public String toString() {
        return kind.name().toLowerCase(java.util.Locale.ROOT);
    }
}

package dev.tilewright.hazard;

import static dev.tilewright.hazard.OrderKernels.RESULT;
import static dev.tilewright.hazard.OrderKernels.SOURCE;
import static dev.tilewright.hazard.OrderKernels.T;
import static dev.tilewright.hazard.OrderKernels.WORK;
import static dev.tilewright.hazard.OrderKernels.at;
import static dev.tilewright.hazard.OrderKernels.block;
import static dev.tilewright.hazard.OrderKernels.check;
import static dev.tilewright.hazard.OrderKernels.flag;
import static dev.tilewright.hazard.OrderKernels.inManyOrders;
import static dev.tilewright.hazard.OrderKernels.ldRelaxed;
import static dev.tilewright.hazard.OrderKernels.move;
import static dev.tilewright.hazard.OrderKernels.one;
import static dev.tilewright.hazard.OrderKernels.poll;
import static dev.tilewright.hazard.OrderKernels.read;
import static dev.tilewright.hazard.OrderKernels.set;
import static dev.tilewright.hazard.OrderKernels.stRelaxed;
import static dev.tilewright.hazard.OrderKernels.sync;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.ptx.Scope;
import org.junit.jupiter.api.Test;

/** A fence orders for the threads of its scope: between blocks, one for the block alone is none. */
class FenceScopesTest {

    /** One block leaves words for another one; fences around a relaxed flag. */
    private static void handOver(Body body, Scope before, Scope flag, Scope after) {
        block(body, 0, first -> {
            move(first, "write", at(SOURCE, T), at(WORK, T));
            sync(first, "all have written");
            one(first, b -> {
                b.purpose("release").fence(before);
                set(b, "flag", stRelaxed(flag), flag(0), Expr.of(1));
            });
        });
        block(body, 1, second -> {
            one(second, b -> {
                poll(b, "wait", ldRelaxed(Scope.GPU), flag(0), v -> v.isEqualTo(1));
                b.purpose("acquire").fence(after);
            });
            sync(second, "it is there");
            read(second, "read", at(WORK, T), at(RESULT, T));
        });
    }

    @Test
    void scopesThatIncludeBothBlocks() {
        Twins.clean(inManyOrders(2, 1, body -> handOver(body, Scope.GPU, Scope.GPU, Scope.GPU)));
        Twins.clean(inManyOrders(2, 1, body -> handOver(body, Scope.SYS, Scope.GPU, Scope.SYS)));
        Twins.clean(inManyOrders(2, 2, body -> handOver(body, Scope.CLUSTER, Scope.CLUSTER, Scope.CLUSTER)));
    }

    @Test
    void aFenceThatReleasesForItsBlock() {
        Twins.found(HazardCode.SCOPE_TOO_SMALL, "release",
                check(2, 1, body -> handOver(body, Scope.CTA, Scope.GPU, Scope.GPU)));
        Twins.found(HazardCode.SCOPE_TOO_SMALL, "release",
                check(2, 1, body -> handOver(body, Scope.CLUSTER, Scope.GPU, Scope.GPU)));
    }

    @Test
    void aFlagForItsBlock() {
        Twins.found(HazardCode.SCOPE_TOO_SMALL, "flag",
                check(2, 1, body -> handOver(body, Scope.GPU, Scope.CTA, Scope.GPU)));
    }

    @Test
    void aFenceThatAcquiresForItsBlock() {
        Twins.found(HazardCode.SCOPE_TOO_SMALL, "acquire",
                check(2, 1, body -> handOver(body, Scope.GPU, Scope.GPU, Scope.CTA)));
    }

    /** Each thread fences what it has written, then all meet, and one counts. */
    private static void fenceBeforeMeeting(Body body, Scope scope) {
        block(body, 0, first -> {
            move(first, "write", at(SOURCE, T), at(WORK, T));
            first.purpose("release").fence(scope);
            sync(first, "all have written");
            one(first, b -> set(b, "flag", stRelaxed(Scope.GPU), flag(0), Expr.of(1)));
        });
        block(body, 1, second -> {
            one(second, b -> poll(b, "wait", ldRelaxed(Scope.GPU), flag(0), v -> v.isEqualTo(1)));
            sync(second, "it is there");
            second.purpose("acquire").fence(scope);
            read(second, "read", at(WORK, T), at(RESULT, T));
        });
    }

    @Test
    void fencesOfOtherThreadsBeforeAMeetingCount() {
        Twins.clean(inManyOrders(2, 1, body -> fenceBeforeMeeting(body, Scope.GPU)));
        Twins.found(HazardCode.SCOPE_TOO_SMALL, "release",
                check(2, 1, body -> fenceBeforeMeeting(body, Scope.CTA)));
    }

    @Test
    void noFenceAtAll() {
        Twins.found(HazardCode.FLAG_NOT_ACQUIRED, "flag", check(2, 1, body -> {
            block(body, 0, first -> one(first, b -> {
                move(b, "write", at(SOURCE, T), at(WORK, T));
                set(b, "flag", stRelaxed(Scope.GPU), flag(0), Expr.of(1));
            }));
            block(body, 1, second -> one(second, b -> {
                poll(b, "wait", ldRelaxed(Scope.GPU), flag(0), v -> v.isEqualTo(1));
                b.purpose("acquire").fence(Scope.GPU);
                read(b, "read", at(WORK, T), at(RESULT, T));
            }));
        }));
    }
}

package dev.tilewright.hazard;

import static dev.tilewright.hazard.OrderKernels.RESULT;
import static dev.tilewright.hazard.OrderKernels.SOURCE;
import static dev.tilewright.hazard.OrderKernels.WORK;
import static dev.tilewright.hazard.OrderKernels.add;
import static dev.tilewright.hazard.OrderKernels.at;
import static dev.tilewright.hazard.OrderKernels.block;
import static dev.tilewright.hazard.OrderKernels.check;
import static dev.tilewright.hazard.OrderKernels.flag;
import static dev.tilewright.hazard.OrderKernels.inManyOrders;
import static dev.tilewright.hazard.OrderKernels.ldAcquire;
import static dev.tilewright.hazard.OrderKernels.ldRelaxed;
import static dev.tilewright.hazard.OrderKernels.move;
import static dev.tilewright.hazard.OrderKernels.one;
import static dev.tilewright.hazard.OrderKernels.poll;
import static dev.tilewright.hazard.OrderKernels.read;
import static dev.tilewright.hazard.OrderKernels.red;
import static dev.tilewright.hazard.OrderKernels.set;
import static dev.tilewright.hazard.OrderKernels.stRelaxed;
import static dev.tilewright.hazard.OrderKernels.stRelease;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.memory.Atom;
import dev.tilewright.ptx.memory.Red;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Release and acquire patterns of several operations, and updates by others in between. */
class ReleasePatternsTest {
    private static final Expr WORD = Expr.of(0);

    /** The first block writes a word, then comes a way to hand it on; the last one reads it. */
    private static HazardReport handOver(int blocks, boolean manyOrders, Consumer<Body> release,
            Consumer<Body> between, Consumer<Body> acquire) {
        Consumer<Body> code = body -> {
            block(body, 0, first -> one(first, b -> {
                move(b, "write", at(SOURCE, WORD), at(WORK, WORD));
                release.accept(b);
            }));
            if (blocks > 2) {
                block(body, 1, second -> one(second, between));
            }
            block(body, blocks - 1, last -> one(last, b -> {
                acquire.accept(b);
                read(b, "read", at(WORK, WORD), at(RESULT, WORD));
            }));
        };
        return manyOrders ? inManyOrders(blocks, 1, code) : check(blocks, 1, code);
    }

    private static void acquires(Body b, int value) {
        poll(b, "wait", ldAcquire(Scope.GPU), flag(0), v -> v.isEqualTo(value));
    }

    @Test
    void aReleasingStoreAndThenARelaxedOne() {
        Consumer<Body> right = b -> {
            set(b, "release", stRelease(Scope.GPU), flag(0), Expr.of(1));
            set(b, "once more", stRelaxed(Scope.GPU), flag(0), Expr.of(2));
        };
        Twins.clean(handOver(2, true, right, null, b -> acquires(b, 2)));
        Consumer<Body> wrong = b -> {
            set(b, "release elsewhere", stRelease(Scope.GPU), flag(1), Expr.of(1));
            set(b, "once more", stRelaxed(Scope.GPU), flag(0), Expr.of(2));
        };
        Twins.found(HazardCode.FLAG_NOT_ACQUIRED, "once more", handOver(2, false, wrong, null, b -> acquires(b, 2)));
    }

    @Test
    void whatIsWrittenAfterTheReleaseIsNotCarried() {
        Twins.found(HazardCode.FLAG_NOT_ACQUIRED, "once more", handOver(2, false, b -> {
            set(b, "release", stRelease(Scope.GPU), flag(0), Expr.of(1));
            move(b, "write again", at(SOURCE, WORD), at(WORK, WORD));
            set(b, "once more", stRelaxed(Scope.GPU), flag(0), Expr.of(2));
        }, null, b -> acquires(b, 2)));
    }

    @Test
    void aRelaxedLoadAndThenAnAcquiringOneOfTheSamePlace() {
        Consumer<Body> release = b -> set(b, "release", stRelease(Scope.GPU), flag(0), Expr.of(1));
        Twins.clean(handOver(2, true, release, null, b -> {
            poll(b, "wait", ldRelaxed(Scope.GPU), flag(0), v -> v.isEqualTo(1));
            poll(b, "once more", ldAcquire(Scope.GPU), flag(0), v -> v.isEqualTo(1));
        }));
        Twins.found(HazardCode.FLAG_NOT_ACQUIRED, "wait", handOver(2, false, release, null, b -> {
            poll(b, "wait", ldRelaxed(Scope.GPU), flag(0), v -> v.isEqualTo(1));
            poll(b, "another place", ldAcquire(Scope.GPU), flag(1), v -> v.isEqualTo(0));
        }));
    }

    @Test
    void anAcquiringLoadWhoseValueIsNotUsedAcquiresWhatARelaxedOneHasSeen() {
        Consumer<Body> release = b -> set(b, "release", stRelease(Scope.GPU), flag(0), Expr.of(1));
        for (boolean named : new boolean[] {true, false}) {
            for (int place = 0; place < 2; place++) {
                Expr unused = Expr.of(place);
                HazardReport report = handOver(2, place == 0, release, null, b -> {
                    poll(b, "wait", ldRelaxed(Scope.GPU), flag(0), v -> v.isEqualTo(1));
                    Body acquire = b.purpose("acquire");
                    if (named) {
                        acquire.issue("unused", ldAcquire(Scope.GPU), Input.of(at(OrderKernels.FLAGS, unused)));
                    } else {
                        acquire.issue(ldAcquire(Scope.GPU), Input.of(at(OrderKernels.FLAGS, unused)));
                    }
                });
                if (place == 0) {
                    Twins.clean(report);
                } else {
                    Twins.found(HazardCode.FLAG_NOT_ACQUIRED, "wait", report);
                }
            }
        }
    }

    @Test
    void updatesByOthersCarryOn() {
        Consumer<Body> release = b -> b.purpose("release").issue(red(Red.Order.RELEASE, Scope.GPU),
                Input.of(flag(0)), Input.of(1));
        Twins.clean(handOver(3, true, release, b -> count(b, Scope.GPU), b -> acquires(b, 2)));
        Twins.found(HazardCode.SCOPE_TOO_SMALL, "count", handOver(3, false, release, b -> count(b, Scope.CTA),
                b -> acquires(b, 2)));
    }

    private static void count(Body b, Scope scope) {
        b.purpose("count").issue("before", add(Atom.Order.RELAXED, scope), Input.of(flag(0)),
                Input.of(1));
    }

    @Test
    void aStoreByAnotherThreadEndsIt() {
        Twins.found(HazardCode.GLOBAL_RACE, "read", handOver(3, false,
                b -> set(b, "release", stRelease(Scope.GPU), flag(0), Expr.of(1)),
                b -> {
                    poll(b, "see it", ldRelaxed(Scope.GPU), flag(0), v -> v.isEqualTo(1));
                    set(b, "another one", stRelease(Scope.GPU), flag(0), Expr.of(2));
                }, b -> acquires(b, 2)));
    }
}

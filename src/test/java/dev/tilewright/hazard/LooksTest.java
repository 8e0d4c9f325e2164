package dev.tilewright.hazard;

import static dev.tilewright.hazard.OrderKernels.BLOCK;
import static dev.tilewright.hazard.OrderKernels.NOTES;
import static dev.tilewright.hazard.OrderKernels.RESULT;
import static dev.tilewright.hazard.OrderKernels.SOURCE;
import static dev.tilewright.hazard.OrderKernels.T;
import static dev.tilewright.hazard.OrderKernels.TILE;
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
import static dev.tilewright.hazard.OrderKernels.note;
import static dev.tilewright.hazard.OrderKernels.one;
import static dev.tilewright.hazard.OrderKernels.poll;
import static dev.tilewright.hazard.OrderKernels.read;
import static dev.tilewright.hazard.OrderKernels.set;
import static dev.tilewright.hazard.OrderKernels.stRelease;
import static dev.tilewright.hazard.OrderKernels.sync;

import dev.tilewright.program.Body;
import dev.tilewright.program.Operation;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.mbarrier.MbarrierTryWaitParity;
import dev.tilewright.ptx.memory.Atom;
import dev.tilewright.ptx.memory.Ld;
import dev.tilewright.ptx.memory.St;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A value that a thread looks at, to decide what it does, may be read in any order with its stores; one that a thread
 * takes as data, or does not look at, orders nothing.
 */
class LooksTest {
    private static final St SAY = St.release(Scope.CTA, Space.SHARED_CTA, DataType.U32);
    private static final Ld ASK = Ld.acquire(Scope.CTA, Space.SHARED_CTA, DataType.U32);

    // ---- a relaxed look before the update that counts

    /** Each block looks whether there is work left before it takes some. */
    private static void lookAndTake(Body body, Ld look) {
        one(body, b -> {
            Expr left = b.purpose("look").issue("taken", look, Input.of(flag(0)));
            b.purpose("there may be").when(left.lessThan(3), some -> {
                Expr mine = some.purpose("take").issue("mine", add(Atom.Order.RELAXED, Scope.GPU), Input.of(flag(0)),
                        Input.of(1));
                some.purpose("got it").when(mine.lessThan(3),
                        work -> move(work, "work", at(SOURCE, mine), at(RESULT, mine)));
            });
        });
    }

    @Test
    void aRelaxedLookBeforeTheUpdate() {
        Twins.clean(inManyOrders(6, 1, body -> lookAndTake(body, ldRelaxed(Scope.GPU))));
        Twins.found(HazardCode.SCOPE_TOO_SMALL, "look", check(6, 1, body -> lookAndTake(body, ldRelaxed(Scope.CTA))));
    }

    /** A spin lock that looks before it swaps. */
    private static void lock(Body body, Atom.Order order, St unlock) {
        one(body, b -> {
            poll(b, "free", ldRelaxed(Scope.GPU), flag(0), v -> v.isEqualTo(0));
            Expr.Var old = new Expr.Var("old", IntType.S32, 1000);
            b.purpose("lock").add(new Operation.Poll(new Atom(order, Scope.GPU, Space.GLOBAL, AtomicOp.CAS,
                    DataType.B32), List.of(Input.of(flag(0)), Input.of(0), Input.of(1)),
                    new Operation.Until.Holds(old, old.isEqualTo(0))));
            read(b, "read", at(WORK, Expr.of(0)), at(RESULT, Expr.of(0)));
            move(b, "write", at(SOURCE, BLOCK), at(WORK, Expr.of(0)));
            set(b, "unlock", unlock, flag(0), Expr.of(0));
        });
    }

    @Test
    void aLockThatIsLookedAtFirst() {
        Twins.clean(inManyOrders(3, 1, body -> lock(body, Atom.Order.ACQUIRE, stRelease(Scope.GPU))));
        Twins.found(HazardCode.FLAG_NOT_ACQUIRED, "unlock",
                check(3, 1, body -> lock(body, Atom.Order.ACQUIRE, OrderKernels.stRelaxed(Scope.GPU))));
        Twins.found(HazardCode.FLAG_NOT_ACQUIRED, "lock",
                check(3, 1, body -> lock(body, Atom.Order.RELAXED, stRelease(Scope.GPU))));
    }

    /** A value that is read, computed with and swapped in if it is still there. */
    @Test
    void aLookThatASwapConfirms() {
        Twins.clean(inManyOrders(4, 1, body -> one(body, b -> {
            Expr old = b.purpose("look").issue("old", ldRelaxed(Scope.GPU), Input.of(flag(0)));
            b.purpose("swap").issue("found", new Atom(Atom.Order.RELAXED, Scope.GPU, Space.GLOBAL, AtomicOp.CAS,
                    DataType.B32), Input.of(flag(0)), Input.of(old), Input.of(old.plus(1)));
        })));
    }

    /** The look that is data. */
    @Test
    void aRelaxedLoadOfASumThatOthersAddTo() {
        Twins.found(HazardCode.GLOBAL_RACE, "take it", check(2, 1, body -> one(body, b -> {
            b.purpose("add").issue(OrderKernels.red(dev.tilewright.ptx.memory.Red.Order.RELAXED, Scope.GPU),
                    Input.of(flag(0)), Input.of(1));
            Expr sum = b.purpose("take it").issue("sum", ldRelaxed(Scope.GPU), Input.of(flag(0)));
            set(b, "show", OrderKernels.stRelaxed(Scope.GPU), at(RESULT, BLOCK), sum);
        })));
    }

    // ---- an acquiring load is no barrier

    private static void tellWithinBlock(Body body, boolean waits, boolean meets) {
        OrderKernels.thread(body, 0, b -> {
            move(b, "write", at(SOURCE, T), TILE.at(0));
            b.purpose("say so").issue(SAY, Input.of(note(0)), Input.of(1));
        });
        if (meets) {
            sync(body, "all are here");
        }
        OrderKernels.thread(body, 33, b -> {
            if (waits) {
                poll(b, "ask", ASK, note(0), v -> v.isEqualTo(1));
            } else {
                b.purpose("ask").issue("said", ASK, Input.of(note(0)));
            }
            read(b, "read", TILE.at(0), at(RESULT, T));
        });
    }

    @Test
    void anAcquiringLoadMendsNoMissingMeeting() {
        Twins.found(HazardCode.MISSING_BARRIER, "read", check(1, 1, body -> tellWithinBlock(body, false, false)));
        Twins.clean(inManyOrders(1, 1, body -> tellWithinBlock(body, false, true)));
    }

    @Test
    void dataThatIsLoadedWithAcquire() {
        HazardReport report = check(1, 1, body -> {
            OrderKernels.thread(body, 0, b -> b.purpose("write").issue(SAY, Input.of(note(0)), Input.of(7)));
            OrderKernels.thread(body, 33, b -> {
                Expr v = b.purpose("read").issue("v", ASK, Input.of(note(0)));
                set(b, "show", OrderKernels.stRelaxed(Scope.GPU), at(RESULT, Expr.of(0)), v);
            });
        });
        Twins.found(HazardCode.MISSING_BARRIER, "read", report);
    }

    /** The flag is looked at once, and waited for where it is not there yet. */
    @Test
    void aLookBeforeTheWait() {
        Twins.clean(inManyOrders(2, 1, body -> {
            block(body, 0, first -> one(first, b -> {
                move(b, "write", at(SOURCE, T), at(WORK, T));
                set(b, "flag", stRelease(Scope.GPU), flag(0), Expr.of(1));
            }));
            block(body, 1, second -> one(second, b -> {
                Expr there = b.purpose("look").issue("there", ldAcquire(Scope.GPU), Input.of(flag(0)));
                b.purpose("not yet").when(there.isEqualTo(0),
                        rest -> poll(rest, "wait", ldAcquire(Scope.GPU), flag(0), v -> v.isEqualTo(1)));
                read(b, "read", at(WORK, T), at(RESULT, T));
            }));
        }));
    }

    // ---- the last block

    /** Each block writes a part; the one that counts last reads them all. */
    private static void lastBlock(Body body, boolean asksWhetherItIsLast) {
        move(body, "write", OrderKernels.mine(SOURCE), OrderKernels.mine(WORK));
        sync(body, "all have written");
        one(body, b -> {
            Expr before = b.purpose("count").issue("before", add(Atom.Order.ACQ_REL, Scope.GPU), Input.of(flag(0)),
                    Input.of(1));
            b.purpose("tell").issue(St.relaxed(Scope.CTA, Space.SHARED_CTA, DataType.U32), Input.of(note(0)),
                    Input.of(before));
        });
        sync(body, "it is known");
        Expr known = body.purpose("which").issue("known", Ld.relaxed(Scope.CTA, Space.SHARED_CTA, DataType.U32),
                Input.of(NOTES.at(0)));
        if (asksWhetherItIsLast) {
            body.purpose("the last").when(known.isEqualTo(Builtin.GRID.minus(1)), LooksTest::gather);
        } else {
            body.purpose("the last by number").when(BLOCK.isEqualTo(Builtin.GRID.minus(1)), LooksTest::gather);
        }
    }

    private static void gather(Body body) {
        body.purpose("all parts").loop("part", Builtin.GRID, (each, part) -> read(each, "read",
                at(WORK, part.times(OrderKernels.THREADS).plus(T)),
                at(RESULT, part.times(OrderKernels.THREADS).plus(T))));
    }

    @Test
    void theLastBlockToCount() {
        Twins.clean(inManyOrders(4, 1, body -> lastBlock(body, true)));
        Twins.found(HazardCode.GLOBAL_RACE, "read", check(4, 1, body -> lastBlock(body, false)));
    }

    // ---- a test of an mbarrier

    private static void testThenWait(Body body, boolean looks, boolean waits) {
        OrderKernels.setUp(body, 1, 1, false);
        OrderKernels.thread(body, 0, b -> {
            move(b, "write", at(SOURCE, T), TILE.at(0));
            OrderKernels.arrive(b, "written", OrderKernels.FULL.at(0));
        });
        OrderKernels.thread(body, 33, b -> {
            Expr done = b.purpose("test").issue("done", new MbarrierTryWaitParity(),
                    Input.of(OrderKernels.FULL.at(0)), Input.of(0));
            if (looks) {
                b.purpose("not yet").when(done.isEqualTo(0), rest -> {
                    if (waits) {
                        rest.purpose("wait").waitParity(OrderKernels.FULL.at(0), 0);
                    }
                });
            }
            read(b, "read", TILE.at(0), at(RESULT, T));
        });
    }

    @Test
    void aTestOfAnMbarrierCountsWhereItIsLookedAt() {
        Twins.clean(inManyOrders(1, 1, body -> testThenWait(body, true, true)));
        Twins.found(HazardCode.MISSING_BARRIER, "read", check(1, 1, body -> testThenWait(body, false, false)));
    }
}

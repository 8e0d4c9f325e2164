package dev.tilewright.hazard;

import static dev.tilewright.hazard.OrderKernels.EMPTY;
import static dev.tilewright.hazard.OrderKernels.FULL;
import static dev.tilewright.hazard.OrderKernels.RANK;
import static dev.tilewright.hazard.OrderKernels.RESULT;
import static dev.tilewright.hazard.OrderKernels.SOURCE;
import static dev.tilewright.hazard.OrderKernels.T;
import static dev.tilewright.hazard.OrderKernels.THREADS;
import static dev.tilewright.hazard.OrderKernels.TILE;
import static dev.tilewright.hazard.OrderKernels.arrive;
import static dev.tilewright.hazard.OrderKernels.arriveThere;
import static dev.tilewright.hazard.OrderKernels.at;
import static dev.tilewright.hazard.OrderKernels.check;
import static dev.tilewright.hazard.OrderKernels.inManyOrders;
import static dev.tilewright.hazard.OrderKernels.mine;
import static dev.tilewright.hazard.OrderKernels.move;
import static dev.tilewright.hazard.OrderKernels.note;
import static dev.tilewright.hazard.OrderKernels.read;
import static dev.tilewright.hazard.OrderKernels.setUp;
import static dev.tilewright.hazard.OrderKernels.sync;
import static dev.tilewright.hazard.OrderKernels.thread;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.cluster.Mapa;
import dev.tilewright.ptx.mbarrier.ArriveOrder;
import dev.tilewright.ptx.mbarrier.ArriveResult;
import dev.tilewright.ptx.mbarrier.CpAsyncMbarrierArrive;
import dev.tilewright.ptx.mbarrier.MbarrierArrive;
import dev.tilewright.ptx.mbarrier.WaitOrder;
import dev.tilewright.ptx.memory.St;
import org.junit.jupiter.api.Test;

/** What a wait for an mbarrier that passes tells its thread: of arrivals of all sorts, of copies, and by counting. */
class WhatWaitsTeachTest {
    private static final int TURNS = 6;

    // ---- arrivals after copies

    /**
     * A ring of two stages that every thread fills and reads. An arrival after copies says that they have landed, not
     * that the thread has read (PTX ISA 8.9.1.1): that takes an arrival of its own.
     */
    private static void ring(Body body, boolean noinc, boolean arrives, boolean waits) {
        setUp(body, !noinc ? 1 : arrives ? 2 * THREADS : THREADS, 1, false);
        body.purpose("turns").loop("turn", TURNS, (each, turn) -> {
            Expr stage = each.purpose("its stage").let("stage", turn.modulo(2));
            each.purpose("copy").cpAsync(TILE.at(stage.times(4 * THREADS).plus(T.times(4))), mine(SOURCE), 4);
            CpAsyncMbarrierArrive form = new CpAsyncMbarrierArrive();
            each.purpose("after the copy").issue(noinc ? form.withNoinc() : form, Input.of(FULL.at(stage)));
            if (noinc && arrives) {
                arrive(each, "has read the stage before", FULL.at(stage));
            } else if (!noinc) {
                sync(each, "all have asked for theirs");
                thread(each, 0, b -> arrive(b, "the one expected", FULL.at(stage)));
            }
            if (waits) {
                each.purpose("it has landed").waitParity(FULL.at(stage), turn.dividedBy(2).modulo(2));
            } else {
                each.purpose("own copy").issue(new dev.tilewright.ptx.copy.CpAsyncWaitAll());
            }
            read(each, "read", TILE.at(stage.times(4 * THREADS).plus(T.plus(1).modulo(THREADS).times(4))),
                    mine(RESULT));
        });
    }

    @Test
    void aRingWhoseArrivalsFollowCopies() {
        Twins.clean(inManyOrders(1, 1, body -> ring(body, true, true, true)));
        Twins.clean(inManyOrders(1, 1, body -> ring(body, false, false, true)));
        Twins.found(HazardCode.OVERWRITE_UNREAD, "copy", check(1, 1, body -> ring(body, true, false, true)));
        Twins.found(HazardCode.READ_IN_FLIGHT, "read", check(1, 1, body -> ring(body, true, true, false)));
    }

    // ---- copies started after a wait

    /**
     * Readers hand notes back through 'empty'; the copier waits for that and starts a copy, whose phase another thread
     * waits for before it writes the notes anew. The bytes are announced, and the arrival is made, before that wait: it
     * takes another arrival behind it.
     */
    private static void copyAfterWait(Body body, boolean waits, boolean arrives) {
        setUp(body, arrives ? 2 : 1, 32, false);
        body.purpose("the first note").when(T.isEqualTo(40), b -> move(b, "write it", at(SOURCE, T), note(0)));
        sync(body, "it is there");
        thread(body, 33, b -> b.purpose("announce").arriveExpectTx(FULL.at(0), 256));
        sync(body, "it is announced");
        body.purpose("readers").when(T.lessThan(32), b -> {
            read(b, "read the note", note(0), mine(RESULT));
            arrive(b, "have read", EMPTY.at(0));
        });
        thread(body, 34, b -> {
            if (waits) {
                b.purpose("they have read").waitParity(EMPTY.at(0), 0);
            }
            b.purpose("copy").bulkLoad(TILE.at(0), at(SOURCE, Expr.of(0)), 256, FULL.at(0));
            if (arrives) {
                arrive(b, "and what came before", FULL.at(0));
            }
        });
        thread(body, 40, b -> {
            b.purpose("it has landed").waitParity(FULL.at(0), 0);
            move(b, "write it anew", at(SOURCE, T), note(0));
        });
    }

    @Test
    void whatTheCopierKnewWhenItStartedTheCopyIsNotToldByItsEnd() {
        Twins.clean(inManyOrders(1, 1, body -> copyAfterWait(body, true, true)));
        for (int wrong = 0; wrong < 3; wrong++) {
            boolean waits = wrong == 1;
            boolean arrives = wrong == 2;
            Twins.found(HazardCode.MISSING_BARRIER, "write it anew",
                    check(1, 1, body -> copyAfterWait(body, waits, arrives)));
        }
    }

    // ---- counting

    /** Every thread arrives and meets the others, turn after turn; one waits in the last. */
    private static void counted(Body body, boolean meet, boolean relaxed) {
        setUp(body, THREADS, 1, false);
        body.purpose("turns").loop("turn", 3, (each, _) -> {
            each.purpose("arrive").issue(new MbarrierArrive().withResult(ArriveResult.SINK)
                    .withOrder(relaxed ? ArriveOrder.RELAXED_CTA : ArriveOrder.DEFAULT), Input.of(FULL.at(0)));
            if (meet) {
                sync(each, "all have arrived");
            }
        });
        move(body, "write", mine(SOURCE), TILE.at(T.times(4)));
        arrive(body, "written", FULL.at(0));
        body.purpose("all have written").waitParity(FULL.at(0), 1);
        read(body, "read", TILE.at(T.plus(1).modulo(THREADS).times(4)), mine(RESULT));
    }

    @Test
    void whoKnowsOfAllArrivalsKnowsThatThePhaseIsComplete() {
        Twins.clean(inManyOrders(1, 1, body -> counted(body, true, false)));
        Twins.clean(inManyOrders(1, 1, body -> counted(body, true, true)));
        HazardReport report = check(1, 1, body -> counted(body, false, false));
        org.junit.jupiter.api.Assertions.assertFalse(report.isClean(), report::toString);
    }

    // ---- scopes

    /** Each block writes into the other's tile and arrives there. */
    private static void arriveThereWith(Body body, ArriveOrder arrival, WaitOrder wait) {
        setUp(body, THREADS, 1, true);
        Expr there = body.purpose("there").issue("there_tile", Mapa.ofShared(), Input.of(TILE.at(T.times(4))),
                Input.of(Expr.of(1).minus(RANK)));
        body.purpose("write there").issue(St.relaxed(Scope.CLUSTER, Space.SHARED_CLUSTER, DataType.B32),
                Input.of(there), Input.of(T));
        arriveThere(body, "arrive there", FULL.at(0), Expr.of(1).minus(RANK), arrival);
        body.purpose("all have").waitParity(FULL.at(0), 0).order(wait);
        read(body, "read", TILE.at(T.times(4)), mine(RESULT));
        body.purpose("nobody leaves").clusterSync();
    }

    @Test
    void scopesOfRemoteArrivalsAndWaits() {
        Twins.clean(inManyOrders(2, 2,
                body -> arriveThereWith(body, ArriveOrder.RELEASE_CLUSTER, WaitOrder.ACQUIRE_CLUSTER)));
        Twins.found(HazardCode.SCOPE_TOO_SMALL, "arrive there", check(2, 2,
                body -> arriveThereWith(body, ArriveOrder.RELEASE_CTA, WaitOrder.ACQUIRE_CLUSTER)));
        Twins.found(HazardCode.SCOPE_TOO_SMALL, "all have", check(2, 2,
                body -> arriveThereWith(body, ArriveOrder.RELEASE_CLUSTER, WaitOrder.ACQUIRE_CTA)));
        Twins.found(HazardCode.FLAG_NOT_ACQUIRED, "all have", check(2, 2,
                body -> arriveThereWith(body, ArriveOrder.RELEASE_CLUSTER, WaitOrder.RELAXED_CLUSTER)));
    }
}

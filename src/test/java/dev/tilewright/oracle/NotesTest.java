package dev.tilewright.oracle;

import static dev.tilewright.oracle.Plan.PIECE;
import static dev.tilewright.oracle.Plan.T;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.oracle.Comparison.Result;
import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.mbarrier.CpAsyncMbarrierArrive;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * A thread that starts a copy also stores a note itself: at each place among its steps, for each way in which the
 * copy's end becomes known. Only an arrival behind the note makes it known (PTX ISA 8.9.1.1); the explorer and the
 * check say so.
 */
class NotesTest {
    private static final SharedRegion.Buffer BUFFER = new SharedRegion.Buffer("buffer", PIECE, 16);
    private static final SharedRegion.Buffer NOTE = new SharedRegion.Buffer("note", PIECE, 16);
    private static final SharedRegion.Barriers READY = new SharedRegion.Barriers("ready", 1);
    private static final Expr ZERO = Expr.of(0);

    private static void arrives(Body body) {
        body.arrive(READY.at(ZERO));
    }

    private static void announces(Body body) {
        body.arriveExpectTx(READY.at(ZERO), PIECE);
    }

    private static void loads(Body body) {
        body.bulkLoad(BUFFER.at(ZERO), Plan.from(ZERO), PIECE, READY.at(ZERO));
    }

    private static void copies(Body body) {
        body.cpAsync(BUFFER.at(ZERO), Plan.from(ZERO), PIECE);
    }

    private static void arrivesAfterCopies(Body body) {
        body.issue(new CpAsyncMbarrierArrive().withNoinc(), Input.of(READY.at(ZERO)));
    }

    private static void addsAnArrivalAfterCopies(Body body) {
        body.issue(new CpAsyncMbarrierArrive(), Input.of(READY.at(ZERO)));
    }

    /** @param last the last place of the note at which it is made known; -1 for none */
    private static void everyPlace(int arrivals, int last, List<Consumer<Body>> steps) {
        for (int place = 0; place <= steps.size(); place++) {
            List<Consumer<Body>> all = new ArrayList<>(steps);
            all.add(place, one -> Plan.move(one, Plan.from(Expr.of(PIECE)), NOTE.at(ZERO)));
            Sample sample = new Sample("a note at place " + place, 2, 1, 1, List.of(BUFFER, NOTE, READY),
                    Body.steps(body -> {
                        body.when(T.isEqualTo(0), one -> {
                            one.barrierInit(READY.at(ZERO), arrivals);
                            one.barrierInitFence();
                        });
                        body.syncThreads();
                        body.when(T.isEqualTo(0), one -> all.forEach(step -> step.accept(one)), other -> {
                            other.waitParity(READY.at(ZERO), ZERO);
                            Plan.move(other, BUFFER.at(ZERO), Plan.to(ZERO));
                            Plan.move(other, NOTE.at(ZERO), Plan.to(Expr.of(PIECE)));
                        });
                    }));
            Comparison c = Comparison.of(sample, 5000);
            assertEquals(place <= last ? Result.BOTH_RIGHT : Result.BOTH_WRONG, c.result(), c::toString);
        }
    }

    @Test
    void theEndOfABulkLoadIsOrderedWithItsOwnBytesAlone() {
        everyPlace(1, 0, List.of(NotesTest::announces, NotesTest::loads));
        everyPlace(2, 2, List.of(NotesTest::announces, NotesTest::loads, NotesTest::arrives));
        everyPlace(2, 1, List.of(NotesTest::arrives, NotesTest::announces, NotesTest::loads));
    }

    @Test
    void anArrivalAfterCopiesIsOrderedWithThoseCopiesAlone() {
        everyPlace(1, -1, List.of(NotesTest::copies, NotesTest::arrivesAfterCopies));
        everyPlace(2, 2, List.of(NotesTest::copies, NotesTest::arrivesAfterCopies, NotesTest::arrives));
        everyPlace(2, 1, List.of(NotesTest::copies, NotesTest::arrives, NotesTest::arrivesAfterCopies));
        everyPlace(1, 2, List.of(NotesTest::copies, NotesTest::addsAnArrivalAfterCopies, NotesTest::arrives));
    }
}

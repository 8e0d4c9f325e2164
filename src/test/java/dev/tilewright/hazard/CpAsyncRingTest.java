package dev.tilewright.hazard;

import static dev.tilewright.hazard.SmallKernels.BUFFER;
import static dev.tilewright.hazard.SmallKernels.READY;
import static dev.tilewright.hazard.SmallKernels.SPARE;
import static dev.tilewright.hazard.SmallKernels.T;
import static dev.tilewright.hazard.SmallKernels.THREADS;
import static dev.tilewright.hazard.SmallKernels.from;
import static dev.tilewright.hazard.SmallKernels.one;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Fragment;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Token;
import dev.tilewright.ptx.mbarrier.CpAsyncMbarrierArrive;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One stage that half of the threads fill by {@code cp.async} and the others read; and phases that tokens name. */
class CpAsyncRingTest {
    private static final int HALF = THREADS / 2;
    private static final int TURNS = 5;

    /** One thing that is wrong. */
    enum Edit { NOTHING, NO_WAIT_FOR_EMPTY, NO_WAIT_FOR_FULL, ADDED_ARRIVALS_ALONE, ADDED_AFTER_THE_OWN,
            ARRIVES_BEFORE_READING }

    @ParameterizedTest
    @EnumSource
    void aStageThatIsFilledByCpAsync(Edit edit) {
        HazardReport report = one(body -> ring(body, edit));
        if (edit == Edit.NOTHING) {
            Twins.clean(report);
        } else {
            assertFalse(report.isClean(), report::toString);
        }
    }

    /** A thread's own arrival besides the added one is what CUTLASS does, and no mistake. */
    @Test
    void addedArrivalsBeforeTheOwn() {
        Twins.clean(one(body -> ring(body, null)));
    }

    /** @param edit null for arrivals that are added, with one of each thread behind them */
    private static void ring(Body body, Edit edit) {
        body.purpose("set up").when(T.isEqualTo(0), b -> {
            b.purpose("of the filling threads").barrierInit(READY, HALF);
            b.purpose("of the reading threads").barrierInit(SPARE, HALF);
        });
        body.purpose("set up").syncThreads();
        body.purpose("half of them fill").when(T.lessThan(HALF), b -> b.purpose("each turn").loop("fill", TURNS,
                (each, turn) -> fill(each, turn, edit)), b -> b.purpose("each turn").loop("read", TURNS,
                (each, turn) -> read(each, turn, edit)));
    }

    private static void fill(Body body, Expr turn, Edit edit) {
        if (edit != Edit.NO_WAIT_FOR_EMPTY) {
            body.purpose("free").waitParity(SPARE, turn.plus(1).modulo(2));
        }
        body.purpose("copy").cpAsync(BUFFER.at(T.times(4)), from(turn.times(4 * HALF).plus(T.times(4))), 4);
        boolean added = edit == null || edit == Edit.ADDED_ARRIVALS_ALONE || edit == Edit.ADDED_AFTER_THE_OWN;
        if (edit == Edit.ADDED_AFTER_THE_OWN) {
            body.purpose("here").arrive(READY);
        }
        CpAsyncMbarrierArrive form = new CpAsyncMbarrierArrive();
        body.purpose("when it has landed").issue(added ? form : form.withNoinc(), Input.of(READY));
        if (edit == null) {
            body.purpose("here").arrive(READY);
        }
    }

    private static void read(Body body, Expr turn, Edit edit) {
        if (edit != Edit.NO_WAIT_FOR_FULL) {
            body.purpose("full").waitParity(READY, turn.modulo(2));
        }
        if (edit == Edit.ARRIVES_BEFORE_READING) {
            body.purpose("done").arrive(SPARE);
        }
        Expr mine = T.minus(HALF).plus(1).modulo(HALF).times(4);
        Fragment word = body.purpose("take").load("word", ElementType.U32, 1, BUFFER.at(mine));
        if (edit != Edit.ARRIVES_BEFORE_READING) {
            body.purpose("done").arrive(SPARE);
        }
        body.purpose("keep").store(new Address.Global(SmallKernels.RESULT, turn.times(4 * HALF).plus(mine).toS64()),
                word);
    }

    @Test
    void tokensNamePhases() {
        Twins.clean(one(body -> rounds(body, false)));
        Twins.found(HazardCode.MISSING_BARRIER, "put", one(body -> rounds(body, true)));
    }

    /** Threads exchange words, twice a turn over one barrier. @param wrong whether they wait for the phase before */
    private static void rounds(Body body, boolean wrong) {
        body.purpose("set up").when(T.isEqualTo(0), b -> b.purpose("of all").barrierInit(READY, THREADS));
        body.purpose("set up").syncThreads();
        body.purpose("each turn").loop("turn", TURNS, (each, turn) -> {
            Fragment word = each.purpose("a word").load("word", ElementType.U32, 1, from(T.times(4)));
            Token before = each.purpose("may be filled").arrive(READY).token("before");
            each.purpose("by all").waitToken(READY, before);
            each.purpose("put").store(BUFFER.at(T.times(4)), word);
            Token filled = each.purpose("filled").arrive(READY).token("filled");
            each.purpose("all are").waitToken(READY, wrong ? before : filled);
            Fragment other = each.purpose("take").load("other", ElementType.U32, 1,
                    BUFFER.at(T.plus(1).modulo(THREADS).times(4)));
            each.purpose("keep").store(new Address.Global(SmallKernels.RESULT, T.times(4).toS64()), other);
        });
    }
}

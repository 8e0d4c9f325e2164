package dev.tilewright.hazard;

import static dev.tilewright.hazard.SmallKernels.READY;
import static dev.tilewright.hazard.SmallKernels.T;
import static dev.tilewright.hazard.SmallKernels.THREADS;
import static dev.tilewright.hazard.SmallKernels.load;
import static dev.tilewright.hazard.SmallKernels.one;
import static dev.tilewright.hazard.SmallKernels.setUp;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Input;
import dev.tilewright.ptx.mbarrier.MbarrierInval;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An mbarrier is invalidated only when every thread and copy is done with it, in whatever order they run. */
class InvalInUseTest {
    @ParameterizedTest
    @ValueSource(ints = {0, 31, THREADS - 1})
    void underAWaiter(int thread) {
        Twins.found(HazardCode.INVAL_IN_USE, "end it", one(body -> allWait(body, thread, true)));
        Twins.clean(one(body -> allWait(body, thread, false)));
    }

    private static void allWait(Body body, int thread, boolean wrong) {
        setUp(body, THREADS);
        body.purpose("here").arrive(READY);
        body.purpose("all are").waitParity(READY, 0);
        if (!wrong) {
            body.purpose("all have waited").syncThreads();
        }
        body.purpose("one thread").when(T.isEqualTo(thread), InvalInUseTest::end);
    }

    @Test
    void underACopy() {
        Twins.found(HazardCode.INVAL_IN_USE, "end it", one(body -> loadAndEnd(body, true)));
        Twins.clean(one(body -> loadAndEnd(body, false)));
    }

    private static void loadAndEnd(Body body, boolean wrong) {
        setUp(body, 1);
        load(body, 0, 256, 256);
        body.purpose("one thread").when(T.isEqualTo(0), b -> {
            if (!wrong) {
                b.purpose("it has landed").waitParity(READY, 0);
            }
            end(b);
        });
    }

    /** Each thread ends the barrier and makes another one, where one should. */
    @Test
    void byThreadsInNoOrder() {
        Twins.found(HazardCode.BARRIER_INIT_NOT_VISIBLE, "end it", one(body -> again(body, true)));
        Twins.clean(one(body -> again(body, false)));
    }

    private static void again(Body body, boolean wrong) {
        allWait(body, THREADS, false);
        body.purpose("one thread").when(T.lessThan(wrong ? 2 : 1), b -> {
            end(b);
            b.purpose("another one").barrierInit(READY, 1);
        });
    }

    @Test
    void beforeAnotherThreadMakesItAnew() {
        Twins.found(HazardCode.INVAL_IN_USE, "end it", one(body -> endAndMake(body, true)));
        Twins.clean(one(body -> endAndMake(body, false)));
    }

    private static void endAndMake(Body body, boolean wrong) {
        allWait(body, 0, false);
        if (!wrong) {
            body.purpose("it has ended").syncThreads();
        }
        body.purpose("another thread").when(T.isEqualTo(1), b -> b.purpose("another one").barrierInit(READY, 1));
    }

    private static void end(Body body) {
        body.purpose("end it").issue(new MbarrierInval(), Input.of(READY));
    }
}

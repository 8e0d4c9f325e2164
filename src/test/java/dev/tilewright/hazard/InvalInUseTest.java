package dev.tilewright.hazard;

import static dev.tilewright.hazard.SmallKernels.READY;
import static dev.tilewright.hazard.SmallKernels.T;
import static dev.tilewright.hazard.SmallKernels.THREADS;
import static dev.tilewright.hazard.SmallKernels.load;
import static dev.tilewright.hazard.SmallKernels.one;
import static dev.tilewright.hazard.SmallKernels.setUp;

import dev.tilewright.program.Body;
import dev.tilewright.program.Expr;
import dev.tilewright.program.Input;
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
        body.purpose("all are").waitParity(READY, Expr.of(0));
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
                b.purpose("it has landed").waitParity(READY, Expr.of(0));
            }
            end(b);
        });
    }

    private static void end(Body body) {
        body.purpose("end it").issue(new MbarrierInval(), Input.of(READY));
    }
}

package dev.tilewright.hazard;

import static dev.tilewright.hazard.SmallKernels.READY;
import static dev.tilewright.hazard.SmallKernels.SPARE;
import static dev.tilewright.hazard.SmallKernels.T;
import static dev.tilewright.hazard.SmallKernels.THREADS;
import static dev.tilewright.hazard.SmallKernels.one;

import dev.tilewright.program.Body;
import org.junit.jupiter.api.Test;

/** What a barrier's last phase shows, after which no thread uses it. */
class LastPhaseTest {
    @Test
    void aWaitThatTheLastPhaseDoesNotWaitFor() {
        Twins.found(HazardCode.WRONG_PARITY, "first phase", one(body -> twoPhases(body, 1)));
        Twins.clean(one(body -> twoPhases(body, THREADS - 1)));
    }

    /** @param answers how many threads say that they have passed the first phase before the second one completes */
    private static void twoPhases(Body body, int answers) {
        body.purpose("set up").when(T.isEqualTo(0), b -> {
            b.purpose("of the last thread").barrierInit(READY, 1);
            b.purpose("of the answering threads").barrierInit(SPARE, answers);
        });
        body.purpose("set up").syncThreads();
        body.purpose("the last thread").when(T.isEqualTo(THREADS - 1), last -> {
            last.purpose("first").arrive(READY);
            last.purpose("answers").waitParity(SPARE, 0);
            last.purpose("second").arrive(READY);
        }, rest -> {
            rest.purpose("first phase").waitParity(READY, 0);
            rest.purpose("some of them").when(T.lessThan(answers), b -> b.purpose("answer").arrive(SPARE));
        });
    }
}

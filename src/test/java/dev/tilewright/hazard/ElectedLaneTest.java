package dev.tilewright.hazard;

import static dev.tilewright.hazard.SmallKernels.READY;
import static dev.tilewright.hazard.SmallKernels.T;
import static dev.tilewright.hazard.SmallKernels.copy;
import static dev.tilewright.hazard.SmallKernels.fillForEngine;
import static dev.tilewright.hazard.SmallKernels.one;
import static dev.tilewright.hazard.SmallKernels.setUp;
import static dev.tilewright.hazard.SmallKernels.show;
import static dev.tilewright.hazard.SmallKernels.store;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.ptx.warp.ElectSync;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** The lane that {@code elect.sync} chooses need not be lane 0, though it has been on every GPU. */
class ElectedLaneTest {

    @Test
    void theFirstThreadWaitsForTheElectedOnesStore() {
        Twins.found(HazardCode.EXIT_IN_FLIGHT, "store", one(body -> storeAndWait(body, true)));
        Twins.clean(one(body -> storeAndWait(body, false)));
    }

    private static void storeAndWait(Body body, boolean wrong) {
        fillForEngine(body);
        elected(body, b -> {
            store(b);
            if (!wrong) {
                b.purpose("read").bulkWaitRead(0);
            }
        });
        if (wrong) {
            body.purpose("the first thread").when(T.isEqualTo(0), b -> b.purpose("read").bulkWaitRead(0));
        }
    }

    @Test
    void theFirstThreadAnnouncesWhatTheElectedOneLoads() {
        Twins.found(HazardCode.TX_LATE, "announce", one(body -> announceAndLoad(body, true)));
        Twins.clean(one(body -> announceAndLoad(body, false)));
    }

    /** The elected thread arrives, after whoever announces. */
    private static void announceAndLoad(Body body, boolean wrong) {
        setUp(body, 1);
        if (wrong) {
            body.purpose("the first thread").when(T.isEqualTo(0), b ->
                    b.purpose("announce").expectTx(READY, 256));
        }
        elected(body, b -> {
            if (!wrong) {
                b.purpose("announce").expectTx(READY, 256);
            }
            copy(b, 0, 256);
            b.purpose("arrive").arrive(READY);
        });
        body.purpose("it has landed").waitParity(READY, 0);
        show(body, T.times(4));
    }

    /** The elected thread of the first warp. */
    private static void elected(Body body, Consumer<Body> code) {
        body.purpose("one warp").when(T.lessThan(32), warp -> {
            Expr elected = warp.purpose("one of it").issue("elected", new ElectSync(), Input.of(-1));
            warp.purpose("the elected one").when(elected.isEqualTo(1), code);
        });
    }
}

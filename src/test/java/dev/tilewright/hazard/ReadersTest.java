package dev.tilewright.hazard;

import static dev.tilewright.hazard.SmallKernels.BUFFER;
import static dev.tilewright.hazard.SmallKernels.T;
import static dev.tilewright.hazard.SmallKernels.fill;
import static dev.tilewright.hazard.SmallKernels.one;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Input;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.memory.Ld;
import dev.tilewright.ptx.memory.St;
import org.junit.jupiter.api.Test;

/** Of several reads each is remembered that a later write need not come after. */
class ReadersTest {
    private static final Input WORD = Input.of(BUFFER.at(0));

    @Test
    void anAcquiringReadDoesNotHideThatOfAnotherThread() {
        Twins.found(HazardCode.MISSING_BARRIER, "fill", one(body -> twoReadersOneWriter(body, true)));
        Twins.clean(one(body -> twoReadersOneWriter(body, false)));
    }

    private static void twoReadersOneWriter(Body body, boolean wrong) {
        filled(body);
        body.purpose("two threads").when(T.lessThan(2), two -> two.purpose("read").issue("seen",
                Ld.acquire(Scope.CTA, Space.SHARED_CTA, DataType.U32), WORD));
        if (!wrong) {
            body.purpose("both have read").syncThreads();
        }
        body.purpose("the second").when(T.isEqualTo(1), SmallKernels::fillFirst);
    }

    @Test
    void aReleasingStoreDoesNotHideAReadThatItMeets() {
        Twins.found(HazardCode.MISSING_BARRIER, "fill", one(body -> aReaderAndTwoStores(body, true)));
        Twins.clean(one(body -> aReaderAndTwoStores(body, false)));
    }

    private static void aReaderAndTwoStores(Body body, boolean wrong) {
        filled(body);
        body.purpose("one reads").when(T.isEqualTo(0), b -> b.purpose("read").issue("seen",
                Ld.acquire(Scope.CTA, Space.SHARED_CTA, DataType.U32), WORD));
        body.purpose("another one stores").when(T.isEqualTo(1), b -> b.purpose("release").issue(
                St.release(Scope.CTA, Space.SHARED_CTA, DataType.U32), WORD, Input.of(1)));
        if (!wrong) {
            body.purpose("both are done").syncThreads();
        }
        body.purpose("the second").when(T.isEqualTo(1), SmallKernels::fillFirst);
    }

    private static void filled(Body body) {
        fill(body);
        body.purpose("all have filled").syncThreads();
    }
}

package dev.tilewright.hazard;

import static dev.tilewright.hazard.SmallKernels.BUFFER;
import static dev.tilewright.hazard.SmallKernels.T;
import static dev.tilewright.hazard.SmallKernels.from;
import static dev.tilewright.hazard.SmallKernels.one;
import static dev.tilewright.hazard.SmallKernels.show;

import dev.tilewright.program.Body;
import org.junit.jupiter.api.Test;

/** Copies of one thread in one group are in no order among each other, though one step starts them all. */
class CopiesOfOneGroupTest {
    @Test
    void copiesOfAStepToTheSameBytes() {
        Twins.found(HazardCode.GROUP_NOT_COMMITTED, "copy", one(body -> threeCopies(body, 0)));
        Twins.clean(one(body -> threeCopies(body, 256)));
    }

    @Test
    void copiesOfAStepThatOverlapInPart() {
        Twins.found(HazardCode.GROUP_NOT_COMMITTED, "copy", one(body -> wideCopies(body, 8)));
        Twins.clean(one(body -> wideCopies(body, 16)));
    }

    private static void threeCopies(Body body, int apart) {
        body.purpose("three times").loop("turn", 3, (each, turn) -> each.purpose("copy")
                .cpAsync(BUFFER.at(T.times(4).plus(turn.times(apart))), from(T.times(4).plus(turn.times(256))), 4));
        end(body);
    }

    /** Copies of 16 bytes by one thread, cut into two pieces of 8. */
    private static void wideCopies(Body body, int apart) {
        body.purpose("one thread").when(T.isEqualTo(0), b -> b.purpose("twice").loop("turn", 2, (each, turn) ->
                each.purpose("both halves").loop("half", 2, (inner, half) -> inner.purpose("copy")
                        .cpAsync(BUFFER.at(turn.times(apart).plus(half.times(8))), from(half.times(8)), 8))));
        body.purpose("a group").cpAsyncCommit();
        body.purpose("landed").cpAsyncWait(0);
    }

    private static void end(Body body) {
        body.purpose("a group").cpAsyncCommit();
        body.purpose("landed").cpAsyncWait(0);
        show(body, T.times(4));
    }
}

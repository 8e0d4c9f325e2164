package dev.tilewright.tensormap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Thorough;
import dev.tilewright.ptx.Target;
import dev.tilewright.recording.RandomEncodeCalls;
import dev.tilewright.tensormap.call.EncodeCall;
import dev.tilewright.tensormap.call.TiledCall;
import dev.tilewright.tensormap.rules.Limits;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The encoder's one-pass check says yes exactly where no rule of sm_90 is broken. */
class FastCheckTest {

    /**
     * Holds the two against each other for a call that can be described; whatever cannot must break a rule.
     *
     * @return whether no rule is broken
     */
    static boolean assertAgrees(EncodeCall call) {
        boolean ok = Validation.of(call, Target.SM_90).ok();
        TensorMap map;
        try {
            map = TensorMap.of(call);
        } catch (IllegalArgumentException e) {
            assertEquals(false, ok, () -> "no rule is broken, yet it cannot be described: " + call);
            return false;
        }
        switch (map) {
            case TiledTensorMap tiled -> assertEquals(ok, FastCheck.accepts(tiled, call.address()), call::toString);
            case Im2colTensorMap im2col -> assertEquals(ok, FastCheck.accepts(im2col, call.address()), call::toString);
            case Im2colWideTensorMap wide -> throw new AssertionError("no wide map is encoded here");
        }
        return ok;
    }

    private static final int CALLS = Thorough.of(20_000, 200_000);

    @Test
    void randomCalls() {
        RandomEncodeCalls calls = new RandomEncodeCalls(1);
        int accepted = 0;
        for (int i = 0; i < CALLS; i++) {
            EncodeCall call = calls.next();
            accepted += assertAgrees(call) ? 1 : 0;
        }
        assertTrue(accepted > CALLS * 0.15, "only " + accepted + " of the random calls were valid");
    }

    /** Boxes of bytes that are just as many as there may be, and of one element more in some dimension. */
    @Test
    void boxesAtTheLimit() {
        SplittableRandom random = new SplittableRandom(2);
        int accepted = 0;
        for (int i = 0; i < 2_000; i++) {
            int rank = random.nextInt(3, 6);
            List<Long> box = new ArrayList<>(Collections.nCopies(rank, 1L));
            box.set(0, 16L);
            for (long factor : new long[] {19, 3, 2, 2, 2, 2, 2, 2, 2, 2}) {
                int d = random.nextInt(rank);
                box.set(d, box.get(d) * factor);
            }
            assertEquals(Limits.BOX_BYTES, box.stream().reduce(1L, Math::multiplyExact));
            if (random.nextBoolean()) {
                int d = random.nextInt(rank);
                box.set(d, box.get(d) + (d == 0 ? 16 : 1));
            }
            EncodeCall call = new TiledCall(0, 4096, Collections.nCopies(rank, 1L << 12),
                    Collections.nCopies(rank - 1, 1L << 20), box, Collections.nCopies(rank, 1L), 0, 0, 0, 0);
            accepted += assertAgrees(call) ? 1 : 0;
        }
        assertTrue(accepted > 100, "only " + accepted + " boxes at the limit were valid");
    }
}

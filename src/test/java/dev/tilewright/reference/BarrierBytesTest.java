package dev.tilewright.reference;

import static dev.tilewright.reference.SmallKernel.barrier;
import static dev.tilewright.reference.SmallKernel.buffer;
import static dev.tilewright.reference.SmallKernel.in;
import static dev.tilewright.reference.SmallKernel.out;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.ptx.copy.BulkStore;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import dev.tilewright.reference.fault.ReferenceException;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A barrier has 8 bytes: an instruction that moves more from or to its address does not take what lies beside it. */
class BarrierBytesTest {

    private static ReferenceException refused(Consumer<Body> body) {
        return assertThrows(ReferenceException.class, () -> SmallKernel.run(1, body));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void aCopyThatTakesItsNeighbourIsRefused(int index) {
        ReferenceException e = refused(body -> {
            body.purpose("copies a barrier").issue(new BulkStore(), Input.of(out(0)), Input.of(barrier(index)),
                    Input.of(16));
            body.bulkCommit();
            body.bulkWait(0);
        });
        assertEquals(Kind.OUT_OF_BOUNDS, e.kind());
        assertTrue(e.getMessage().endsWith("16 bytes begin at barrier ready[" + index + "], which has 8"),
                e.getMessage());
    }

    @Test
    void aLoadThatOverwritesItsNeighbourIsRefused() {
        assertEquals(Kind.OUT_OF_BOUNDS, refused(body -> body.purpose("overwrites barriers")
                .issue(dev.tilewright.ptx.copy.CpAsync.of(16), Input.of(barrier(0)), Input.of(in(0)))).kind());
    }

    /** The corrected twin: from a buffer, which has the bytes. */
    @Test
    void aBufferIsCopied() {
        SmallKernel.run(1, body -> {
            body.issue(new BulkStore(), Input.of(out(0)), Input.of(buffer(0)), Input.of(16));
            body.bulkCommit();
            body.bulkWait(0);
        });
    }

    @Test
    void theBarrierItselfIsReached() {
        SmallKernel.run(1, body -> {
            body.barrierInit(barrier(1), 1);
            body.waitToken(barrier(1), body.arrive(barrier(1)).token("t"));
            body.let("x", Expr.of(1));
        });
    }
}

package dev.tilewright.reference;

import static dev.tilewright.reference.SmallKernel.barrier;
import static dev.tilewright.reference.SmallKernel.buffer;
import static dev.tilewright.reference.SmallKernel.in;
import static dev.tilewright.reference.SmallKernel.out;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Address;
import dev.tilewright.program.Body;
import dev.tilewright.program.Expr;
import dev.tilewright.program.Fragment;
import org.junit.jupiter.api.Test;

/** Asynchronous copies land when they are waited for: not earlier, not all at once, and in order. */
class LandingTest {
    private static final byte POISON = (byte) 0xCD;

    private static void show(Body body, String name, int from, int to) {
        Fragment f = body.load("read " + name, name, ElementType.U8, 1, buffer(from));
        body.store("write " + name, out(to), f);
    }

    private static void load(Body body, int to, int from, int barrier) {
        body.bulkLoad("load", buffer(to), in(from), Expr.of(16), barrier(barrier));
    }

    private static void prepare(Body body, int bytesOfFirst) {
        body.barrierInit("init 0", barrier(0), 1);
        body.barrierInit("init 1", barrier(1), 1);
        body.arriveExpectTx("announce 0", barrier(0), Expr.of(bytesOfFirst));
        body.arriveExpectTx("announce 1", barrier(1), Expr.of(16));
    }

    @Test
    void loadsOfOtherBarriersStayInFlight() {
        byte[] result = SmallKernel.run(1, body -> {
            prepare(body, 16);
            load(body, 0, 16, 0);
            load(body, 16, 32, 1);
            show(body, "before", 16, 0);
            body.waitParity("wait for the second", barrier(1), Expr.of(0));
            show(body, "second", 16, 1);
            show(body, "first_early", 0, 2);
            body.waitParity("wait for the first", barrier(0), Expr.of(0));
            show(body, "first", 0, 3);
        });
        assertEquals(POISON, result[0]);
        assertEquals(32, result[1]);
        assertEquals(POISON, result[2]);
        assertEquals(16, result[3]);
    }

    @Test
    void loadsLandInTheOrderInWhichTheyWereStarted() {
        byte[] result = SmallKernel.run(1, body -> {
            prepare(body, 48);
            load(body, 0, 16, 0);
            load(body, 0, 32, 0);
            load(body, 0, 48, 0);
            load(body, 16, 0, 1);
            body.waitParity("wait for the first", barrier(0), Expr.of(0));
            show(body, "last", 0, 0);
            body.waitParity("wait for the second", barrier(1), Expr.of(0));
        });
        assertEquals(48, result[0]);
    }

    @Test
    void aPassedWaitLandsNothing() {
        byte[] result = SmallKernel.run(1, body -> {
            prepare(body, 16);
            load(body, 0, 16, 0);
            load(body, 16, 0, 1);
            body.waitParity("a parity that has passed", barrier(0), Expr.of(1));
            show(body, "early", 0, 0);
            body.waitParity("wait for the first", barrier(0), Expr.of(0));
            body.waitParity("wait for the second", barrier(1), Expr.of(0));
        });
        assertEquals(POISON, result[0]);
    }

    @Test
    void cpAsyncReadsItsSourceWhenItLands() {
        byte[] result = SmallKernel.run(1, body -> {
            Fragment f = body.load("load", "f", ElementType.U8, 4, in(8));
            body.cpAsync("fetch", buffer(0), new Address.Global(SmallKernel.OUT, Expr.of(0L)), 4);
            body.cpAsyncCommit("commit");
            body.store("change the source", out(0), f);
            body.cpAsyncWait("wait", 0);
            show(body, "landed", 0, 63);
        });
        assertEquals(8, result[63]);
    }

    @Test
    void aBulkStoreReadsSharedMemoryAtTheWait() {
        byte[] result = SmallKernel.run(1, body -> {
            Fragment first = body.load("load", "first", ElementType.U8, 16, in(16));
            Fragment second = body.load("load again", "second", ElementType.U8, 16, in(32));
            body.store("fill", buffer(0), first);
            body.bulkStore("store", out(0), buffer(0), Expr.of(16));
            body.bulkCommit("commit");
            body.bulkWait("one may be pending", 1);
            body.store("overwrite too early", buffer(0), second);
            body.bulkWait("none may be pending", 0);
            body.store("overwrite in time", buffer(0), first);
        });
        assertEquals(32, result[0]);
    }

    @Test
    void anUncommittedBulkStoreHappensWhenTheThreadEnds() {
        byte[] result = SmallKernel.run(1, body -> {
            Fragment first = body.load("load", "first", ElementType.U8, 16, in(16));
            Fragment second = body.load("load again", "second", ElementType.U8, 16, in(32));
            body.store("fill", buffer(0), first);
            body.bulkStore("store", out(0), buffer(0), Expr.of(16));
            body.bulkWait("covers nothing", 0);
            body.store("overwrite", buffer(0), second);
        });
        assertEquals(32, result[0]);
    }
}

package dev.tilewright.reference;

import static dev.tilewright.reference.SmallKernel.barrier;
import static dev.tilewright.reference.SmallKernel.buffer;
import static dev.tilewright.reference.SmallKernel.in;
import static dev.tilewright.reference.SmallKernel.out;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Fragment;
import org.junit.jupiter.api.Test;

/** Asynchronous copies land when they are waited for: not earlier, not all at once, and in order. */
class LandingTest {
    private static final byte POISON = (byte) 0xCD;

    private static void show(Body body, String name, int from, int to) {
        Fragment f = body.purpose("read " + name).load(name, ElementType.U8, 1, buffer(from));
        body.purpose("write " + name).store(out(to), f);
    }

    private static void load(Body body, int to, int from, int barrier) {
        body.purpose("load").bulkLoad(buffer(to), in(from), 16, barrier(barrier));
    }

    private static void prepare(Body body, int bytesOfFirst) {
        body.purpose("init 0").barrierInit(barrier(0), 1);
        body.purpose("init 1").barrierInit(barrier(1), 1);
        body.purpose("announce 0").arriveExpectTx(barrier(0), bytesOfFirst);
        body.purpose("announce 1").arriveExpectTx(barrier(1), 16);
    }

    @Test
    void loadsOfOtherBarriersStayInFlight() {
        byte[] result = SmallKernel.run(1, body -> {
            prepare(body, 16);
            load(body, 0, 16, 0);
            load(body, 16, 32, 1);
            show(body, "before", 16, 0);
            body.purpose("wait for the second").waitParity(barrier(1), 0);
            show(body, "second", 16, 1);
            show(body, "first_early", 0, 2);
            body.purpose("wait for the first").waitParity(barrier(0), 0);
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
            body.purpose("wait for the first").waitParity(barrier(0), 0);
            show(body, "last", 0, 0);
            body.purpose("wait for the second").waitParity(barrier(1), 0);
        });
        assertEquals(48, result[0]);
    }

    @Test
    void aPassedWaitLandsNothing() {
        byte[] result = SmallKernel.run(1, body -> {
            prepare(body, 16);
            load(body, 0, 16, 0);
            load(body, 16, 0, 1);
            body.purpose("a parity that has passed").waitParity(barrier(0), 1);
            show(body, "early", 0, 0);
            body.purpose("wait for the first").waitParity(barrier(0), 0);
            body.purpose("wait for the second").waitParity(barrier(1), 0);
        });
        assertEquals(POISON, result[0]);
    }

    @Test
    void cpAsyncReadsItsSourceWhenItLands() {
        byte[] result = SmallKernel.run(1, body -> {
            Fragment f = body.purpose("load").load("f", ElementType.U8, 4, in(8));
            body.purpose("fetch").cpAsync(buffer(0), new Address.Global(SmallKernel.OUT, 0), 4);
            body.purpose("commit").cpAsyncCommit();
            body.purpose("change the source").store(out(0), f);
            body.purpose("wait").cpAsyncWait(0);
            show(body, "landed", 0, 63);
        });
        assertEquals(8, result[63]);
    }

    @Test
    void aBulkStoreReadsSharedMemoryAtTheWait() {
        byte[] result = SmallKernel.run(1, body -> {
            Fragment first = body.purpose("load").load("first", ElementType.U8, 16, in(16));
            Fragment second = body.purpose("load again").load("second", ElementType.U8, 16, in(32));
            body.purpose("fill").store(buffer(0), first);
            body.purpose("store").bulkStore(out(0), buffer(0), 16);
            body.purpose("commit").bulkCommit();
            body.purpose("one may be pending").bulkWait(1);
            body.purpose("overwrite too early").store(buffer(0), second);
            body.purpose("none may be pending").bulkWait(0);
            body.purpose("overwrite in time").store(buffer(0), first);
        });
        assertEquals(32, result[0]);
    }

    @Test
    void anUncommittedBulkStoreHappensWhenTheThreadEnds() {
        byte[] result = SmallKernel.run(1, body -> {
            Fragment first = body.purpose("load").load("first", ElementType.U8, 16, in(16));
            Fragment second = body.purpose("load again").load("second", ElementType.U8, 16, in(32));
            body.purpose("fill").store(buffer(0), first);
            body.purpose("store").bulkStore(out(0), buffer(0), 16);
            body.purpose("covers nothing").bulkWait(0);
            body.purpose("overwrite").store(buffer(0), second);
        });
        assertEquals(32, result[0]);
    }
}

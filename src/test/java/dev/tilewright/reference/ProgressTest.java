package dev.tilewright.reference;

import static dev.tilewright.reference.SmallKernel.barrier;
import static dev.tilewright.reference.SmallKernel.buffer;
import static dev.tilewright.reference.SmallKernel.in;
import static dev.tilewright.reference.SmallKernel.out;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Body;
import dev.tilewright.program.Expr;
import dev.tilewright.program.Expr.Builtin;
import dev.tilewright.program.Fragment;
import dev.tilewright.program.Input;
import dev.tilewright.program.TileProgram;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.mbarrier.MbarrierTestWaitParity;
import dev.tilewright.ptx.mbarrier.MbarrierTryWaitParity;
import dev.tilewright.ptx.memory.Ld;
import dev.tilewright.ptx.memory.Red;
import dev.tilewright.ptx.memory.St;
import dev.tilewright.reference.fault.ReferenceException;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import org.junit.jupiter.api.Test;

/** What a GPU ends by itself is no hang: who waits for it gets it, in the fixed order as with every seed. */
class ProgressTest {
    private static final Ld WORD = Ld.acquire(Scope.GPU, Space.GLOBAL, DataType.U32);
    private static final St FLAG = St.release(Scope.GPU, Space.GLOBAL, DataType.U32);

    private static byte[] everyOrder(TileProgram program, int grid) {
        for (long seed = 0; seed < 50; seed++) {
            SmallKernel.run(program, grid, ReferenceOptions.DEFAULT.withSeed(seed));
        }
        return SmallKernel.run(program, grid);
    }

    private static void store(Body body, int from, int to) {
        Fragment f = body.purpose("load " + from).load("f" + from, ElementType.U8, 16, in(from));
        body.purpose("fill " + from).store(buffer(0), f);
        body.purpose("store " + from).bulkStore(out(to), buffer(0), Expr.of(16));
        body.purpose("commit " + from).bulkCommit();
    }

    /** Block 0 holds back its store until block 1 has seen what it stores. */
    @Test
    void aBulkStoreIsSeenByTheBlockThatWaitsForIt() {
        byte[] result = everyOrder(SmallKernel.of(1, body -> body.purpose("who")
                .when(Builtin.BLOCK.isEqualTo(0), first -> {
            store(first, 16, 0);
            first.purpose("it has been seen").waitUntil("flag", WORD, Input.of(out(32)), v -> v.isEqualTo(1));
            first.purpose("written").bulkWait(0);
        }, second -> {
            second.purpose("it is there").waitUntil("word", WORD, Input.of(out(0)), v -> v.isEqualTo(0x13121110));
            second.purpose("say so").issue(FLAG, Input.of(out(32)), Input.of(1));
        })), 2);
        assertEquals(16, result[0]);
        assertEquals(1, result[32]);
    }

    @Test
    void storesLandOneAfterTheOther() {
        byte[] result = everyOrder(SmallKernel.of(1, body -> body.purpose("who")
                .when(Builtin.BLOCK.isEqualTo(0), first -> {
            store(first, 16, 0);
            first.purpose("the source may change").bulkWaitRead(0);
            store(first, 32, 16);
            first.purpose("it has been seen").waitUntil("flag", WORD, Input.of(out(32)), v -> v.isEqualTo(1));
        }, second -> {
            second.purpose("the second is there")
                    .waitUntil("word", WORD, Input.of(out(16)), v -> v.isEqualTo(0x23222120));
            second.purpose("say so").issue(FLAG, Input.of(out(32)), Input.of(1));
        })), 2);
        assertEquals(16, result[0]);
        assertEquals(32, result[16]);
    }

    @Test
    void aCopyIsSeenByTheThreadThatLooksForItsBytes() {
        Ld shared = Ld.relaxed(Scope.CTA, Space.SHARED_CTA, DataType.U32);
        byte[] result = everyOrder(SmallKernel.of(1, body -> {
            body.purpose("init").barrierInit(barrier(0), 1);
            body.purpose("announce").arriveExpectTx(barrier(0), Expr.of(16));
            body.purpose("load").bulkLoad(buffer(0), in(16), Expr.of(16), barrier(0));
            body.purpose("it is there").waitUntil("word", shared, Input.of(buffer(0)), v -> v.isEqualTo(0x13121110));
            Fragment f = body.purpose("read").load("read", ElementType.U8, 1, buffer(4));
            body.purpose("show").store(out(0), f);
        }), 1);
        assertEquals(20, result[0]);
    }

    /** Looks up to so many times whether the barrier's phase is over, and counts the times that it is not at out(0). */
    private static void poll(Body body, int times, PtxInstruction test, Input which) {
        body.purpose("poll").loop("i", Expr.of(0), Expr.of(times), Expr.of(1), (again, _) -> {
            Expr done = again.purpose("look").issue("done", test, Input.of(barrier(0)), which);
            again.purpose("not yet").when(done.isEqualTo(0), not -> not.purpose("count")
        .issue(Red.relaxed(Scope.GPU, Space.GLOBAL, AtomicOp.ADD, DataType.U32), Input.of(out(0)), Input.of(1)));
        });
    }

    private static byte[] load(int times) {
        return SmallKernel.run(1, body -> {
            body.purpose("init").barrierInit(barrier(0), 1);
            body.purpose("announce").arriveExpectTx(barrier(0), Expr.of(16));
            body.purpose("load").bulkLoad(buffer(0), in(16), Expr.of(16), barrier(0));
            poll(body, times, new MbarrierTryWaitParity(), Input.of(0));
            Fragment f = body.purpose("read").load("read", ElementType.U8, 1, buffer(4));
            body.purpose("show").store(out(4), f);
        });
    }

    @Test
    void whoPollsSeesTheCopyLand() {
        for (int times : new int[] {2, 3, 1000}) {
            byte[] result = load(times);
            assertEquals(1, result[0]);
            assertEquals(20, result[4]);
        }
    }

    /** As late as the program allows: to look once is not to wait. */
    @Test
    void whoLooksOnceDoesNotWait() {
        ReferenceException e = assertThrows(ReferenceException.class, () -> load(1));
        assertEquals(Kind.LEFT_IN_FLIGHT, e.kind());
    }

    @Test
    void whoPollsSeesLaterThreadsArrive() {
        byte[] result = everyOrder(SmallKernel.of(2, body -> {
            body.purpose("init")
                    .when(Builtin.THREAD.isEqualTo(0), one -> one.purpose("init").barrierInit(barrier(0), 1));
            body.purpose("see it").syncThreads();
            body.purpose("who").when(Builtin.THREAD.isEqualTo(0), one -> poll(one, 5, new MbarrierTestWaitParity(),
                    Input.of(0)), other -> other.purpose("arrive").arrive(barrier(0)));
        }), 1);
        assertEquals(1, result[0]);
    }

    @Test
    void pollsThatNobodyAnswersEnd() {
        byte[] result = everyOrder(SmallKernel.of(2, body -> {
            body.purpose("init")
                    .when(Builtin.THREAD.isEqualTo(0), one -> one.purpose("init").barrierInit(barrier(0), 1));
            body.purpose("see it").syncThreads();
            poll(body, 7, new MbarrierTryWaitParity(), Input.of(0));
        }), 1);
        assertEquals(14, result[0]);
    }

    @Test
    void whatNobodyBringsAboutIsStillAHang() {
        ReferenceException e = assertThrows(ReferenceException.class, () -> SmallKernel.run(1, body -> {
            store(body, 16, 0);
            body.purpose("never").waitUntil("word", WORD, Input.of(out(0)), v -> v.isEqualTo(5));
        }));
        assertEquals(Kind.WOULD_HANG, e.kind());
        assertEquals("the kernel would wait forever: thread 0 waits for the value at byte 0 of 'out', which stays 319951120, in step "
                + "'never'", e.sentence());
    }
}

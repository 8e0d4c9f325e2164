package dev.tilewright.reference;

import static dev.tilewright.reference.SmallKernel.barrier;
import static dev.tilewright.reference.SmallKernel.buffer;
import static dev.tilewright.reference.SmallKernel.in;
import static dev.tilewright.reference.SmallKernel.out;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Body;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Fragment;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
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
import dev.tilewright.reference.fault.ReferenceException.Kind;
import dev.tilewright.reference.fault.ReferenceException;
import java.time.Duration;
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
        body.purpose("store " + from).bulkStore(out(to), buffer(0), 16);
        body.purpose("commit " + from).bulkCommit();
    }

    /** Block 0 holds back its store until block 1 has seen what it stores. */
    @Test
    void aBulkStoreIsSeenByTheBlockThatWaitsForIt() {
        byte[] result = everyOrder(SmallKernel.of(1, body -> body.purpose("who")
                .when(Builtin.BLOCK.isEqualTo(0), first -> {
            store(first, 16, 0);
            first.purpose("it has been seen").waitUntil("flag", ValueType.U32, out(32), v -> v.isEqualTo(1));
            first.purpose("written").bulkWait(0);
        }, second -> {
            second.purpose("it is there").waitUntil("word", ValueType.U32, out(0), v -> v.isEqualTo(0x13121110));
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
            first.purpose("it has been seen").waitUntil("flag", ValueType.U32, out(32), v -> v.isEqualTo(1));
        }, second -> {
            second.purpose("the second is there")
                    .waitUntil("word", ValueType.U32, out(16), v -> v.isEqualTo(0x23222120));
            second.purpose("say so").issue(FLAG, Input.of(out(32)), Input.of(1));
        })), 2);
        assertEquals(16, result[0]);
        assertEquals(32, result[16]);
    }

    @Test
    void aCopyIsSeenByTheThreadThatLooksForItsBytes() {
        byte[] result = everyOrder(SmallKernel.of(1, body -> {
            body.purpose("init").barrierInit(barrier(0), 1);
            body.purpose("announce").arriveExpectTx(barrier(0), 16);
            body.purpose("load").bulkLoad(buffer(0), in(16), 16, barrier(0));
            body.purpose("it is there").waitUntil("word", ValueType.U32, buffer(0), v -> v.isEqualTo(0x13121110))
                    .order(Ld.Order.RELAXED).scope(Scope.CTA);
            Fragment f = body.purpose("read").load("read", ElementType.U8, 1, buffer(4));
            body.purpose("show").store(out(0), f);
        }), 1);
        assertEquals(20, result[0]);
    }

    /** Looks up to so many times whether the barrier's phase is over, and counts the times that it is not at out(0). */
    private static void poll(Body body, int times, PtxInstruction test, Input which) {
        body.purpose("poll").loop("i", 0, times, 1, (again, _) -> {
            Expr done = again.purpose("look").issue("done", test, Input.of(barrier(0)), which);
            again.purpose("not yet").when(done.isEqualTo(0), not -> not.purpose("count")
        .issue(Red.relaxed(Scope.GPU, Space.GLOBAL, AtomicOp.ADD, DataType.U32), Input.of(out(0)), Input.of(1)));
        });
    }

    private static byte[] load(int times) {
        return SmallKernel.run(1, body -> {
            body.purpose("init").barrierInit(barrier(0), 1);
            body.purpose("announce").arriveExpectTx(barrier(0), 16);
            body.purpose("load").bulkLoad(buffer(0), in(16), 16, barrier(0));
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

    /** Looks again and again, until the word is there. */
    private static void spin(Body body, String name, PtxInstruction look, Input where, int word) {
        Register seen = body.variable(name, 0);
        body.repeatWhile(seen.get().toIndex().isNotEqualTo(word), turn ->
                turn.assign(seen, turn.purpose("look").issue(name + "_now", look, where)));
    }

    private static void set(Body body, int at) {
        body.purpose("set").issue(FLAG, Input.of(out(at)), Input.of(1));
    }

    private static void whoSpins(TileProgram program, int grid, int... set) {
        byte[] result = assertTimeoutPreemptively(Duration.ofMinutes(2), () -> everyOrder(program, grid));
        for (int at : set) {
            assertEquals(1, result[at]);
        }
    }

    @Test
    void theNextBlockIsStartedWhereThreadsSpin() {
        whoSpins(SmallKernel.of(1, body -> body.when(Builtin.BLOCK.isEqualTo(7), last -> set(last, 0), others -> {
            spin(others, "flag", WORD, Input.of(out(0)), 1);
            set(others, 4);
        })), 8, 4);
    }

    /** The count ends the loop no sooner than for ever; leaving it does. */
    @Test
    void theNextBlockIsStartedWhereALoopIsLeft() {
        whoSpins(SmallKernel.of(2, body -> body.when(Builtin.BLOCK.isEqualTo(7), last -> set(last, 0), others -> {
            others.loop("i", 0, Integer.MAX_VALUE, 1, (turn, _) -> turn.when(
                    turn.purpose("look").issue("now", WORD, Input.of(out(0))).isEqualTo(1), Body::breakLoop));
            set(others, 4);
        })), 8, 4);
    }

    /** Lanes that meet in the loop repeat it one after the other, not all in one round. */
    @Test
    void theNextBlockIsStartedWhereAWarpSpins() {
        whoSpins(SmallKernel.of(32, body -> body.when(Builtin.BLOCK.isEqualTo(1), last -> set(last, 0), others -> {
            Register seen = others.variable("seen", 0);
            others.repeatWhile(seen.get().toIndex().isEqualTo(0), turn -> {
                Value now = turn.issue("now", WORD, Input.of(out(0))).toValue();
                turn.assign(seen, turn.warp().shuffleIndex(now, 0));
            });
            set(others, 4);
        })), 2, 4);
    }

    /** Two blocks hand a word to and fro until a third, which is not started at first, sets another. */
    @Test
    void theNextBlockIsStartedWhereOthersBringEachOtherOn() {
        whoSpins(SmallKernel.of(1, body -> body.when(Builtin.BLOCK.isEqualTo(2), last -> set(last, 0), others -> {
            Register seen = others.variable("seen", 0);
            others.repeatWhile(seen.get().toIndex().isEqualTo(0), turn -> {
                turn.waitUntil("turn", ValueType.U32, out(4), v -> v.isEqualTo(Builtin.BLOCK));
                turn.assign(seen, turn.issue("now", WORD, Input.of(out(0))));
                turn.issue(FLAG, Input.of(out(4)), Input.of(Expr.of(1).minus(Builtin.BLOCK)));
            });
            set(others, 8);
        })), 3, 8);
    }

    /** Thread 0 tests a barrier in a loop; thread 1 arrives there when another block has set a flag. */
    @Test
    void theNextBlockIsStartedWhereABarrierIsPolled() {
        whoSpins(SmallKernel.of(2, body -> body.when(Builtin.BLOCK.isEqualTo(1), last -> set(last, 0), others -> {
            others.when(Builtin.THREAD.isEqualTo(0), one -> one.barrierInit(barrier(0), 1));
            others.syncThreads();
            others.when(Builtin.THREAD.isEqualTo(0), one -> {
                Register done = one.variable("done", 0);
                one.repeatWhile(done.get().toIndex().isEqualTo(0), turn -> turn.assign(done,
                        turn.issue("now", new MbarrierTestWaitParity(), Input.of(barrier(0)), Input.of(0))));
                set(one, 4);
            }, two -> {
                two.waitUntil("flag", ValueType.U32, out(0), v -> v.isEqualTo(1));
                two.arrive(barrier(0));
            });
        })), 2, 4);
    }

    /** Thread 1 waits for a copy, and thread 0 spins until it has come: in blocks that see nothing of each other. */
    @Test
    void copiesLandWhereThreadsSpin() {
        Ld shared = Ld.acquire(Scope.CTA, Space.SHARED_CTA, DataType.U32);
        for (boolean meet : new boolean[] {false, true}) {
            for (int threads : new int[] {2, 33}) {
                whoSpins(SmallKernel.of(threads, body -> {
                    if (meet) {
                        body.issue("met", WORD, Input.of(out(60)));
                    }
                    body.when(Builtin.THREAD.isEqualTo(0), one -> {
                        one.barrierInit(barrier(0), 1);
                        one.issue(St.relaxed(Scope.CTA, Space.SHARED_CTA, DataType.U32), Input.of(buffer(32)),
                                Input.of(0));
                    });
                    body.syncThreads();
                    body.when(Builtin.THREAD.isEqualTo(1), two -> {
                        two.arriveExpectTx(barrier(0), 16);
                        two.bulkLoad(buffer(0), in(16), 16, barrier(0));
                        two.waitParity(barrier(0), 0);
                        two.issue(St.release(Scope.CTA, Space.SHARED_CTA, DataType.U32), Input.of(buffer(32)),
                                Input.of(1));
                    });
                    body.when(Builtin.THREAD.isEqualTo(0), one -> {
                        spin(one, "come", shared, Input.of(buffer(32)), 1);
                        set(one, 0);
                    });
                }), 1, 0);
            }
        }
    }

    /** No thread waits for the copy but by looking for its bytes. */
    @Test
    void copiesLandWhereThreadsSpinForTheirBytes() {
        Ld shared = Ld.relaxed(Scope.CTA, Space.SHARED_CTA, DataType.U32);
        for (int threads : new int[] {1, 32}) {
            whoSpins(SmallKernel.of(threads, body -> body.when(Builtin.THREAD.isEqualTo(0), one -> {
                one.barrierInit(barrier(0), 1);
                one.arriveExpectTx(barrier(0), 16);
                one.bulkLoad(buffer(0), in(16), 16, barrier(0));
                spin(one, "come", shared, Input.of(buffer(0)), 0x13121110);
                set(one, 0);
            })), 1, 0);
        }
    }

    @Test
    void whatNobodyBringsAboutIsStillAHang() {
        ReferenceException e = assertThrows(ReferenceException.class, () -> SmallKernel.run(1, body -> {
            store(body, 16, 0);
            body.purpose("never").waitUntil("word", ValueType.U32, out(0), v -> v.isEqualTo(5));
        }));
        assertEquals(Kind.WOULD_HANG, e.kind());
        assertEquals("the kernel would wait forever: thread 0 waits for the value at byte 0 of 'out', which stays "
                + "319951120, in step "
                + "'never'", e.sentence());
    }
}

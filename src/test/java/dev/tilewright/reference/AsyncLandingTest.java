package dev.tilewright.reference;

import static dev.tilewright.reference.SmallKernel.barrier;
import static dev.tilewright.reference.SmallKernel.buffer;
import static dev.tilewright.reference.SmallKernel.in;
import static dev.tilewright.reference.SmallKernel.out;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Body;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Fragment;
import dev.tilewright.program.expression.Input;
import dev.tilewright.ptx.copy.CpAsync;
import dev.tilewright.ptx.copy.CpAsyncCommitGroup;
import dev.tilewright.ptx.copy.CpAsyncWaitAll;
import dev.tilewright.ptx.copy.CpAsyncWaitGroup;
import dev.tilewright.ptx.mbarrier.CpAsyncMbarrierArrive;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import dev.tilewright.reference.fault.ReferenceException;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * Copies that are not waited for as they must be: late by default, and with a seed at any time that a GPU might choose.
 */
class AsyncLandingTest {
    private static final byte POISON = (byte) 0xCD;

    private static void show(Body body, String name, int from, int to) {
        Fragment f = body.purpose("read " + name).load(name, ElementType.U8, 1, buffer(from));
        body.purpose("write " + name).store(out(to), f);
    }

    private static CpAsync copy(CpAsync.Source source) {
        return CpAsync.of(16).withSource(source);
    }

    @Test
    void aCopyMayIgnoreItsSourceOrReadAPartOfIt() {
        byte[] result = SmallKernel.run(1, body -> {
            body.purpose("ignored")
                    .issue(copy(CpAsync.Source.IGNORABLE), Input.of(buffer(0)), Input.of(in(16)), Input.of(1));
            body.purpose("not ignored")
                    .issue(copy(CpAsync.Source.IGNORABLE), Input.of(buffer(16)), Input.of(in(16)), Input.of(0));
            body.purpose("a part")
                    .issue(copy(CpAsync.Source.SIZED), Input.of(buffer(32)), Input.of(in(16)), Input.of(5));
            body.purpose("wait for all, committed or not").issue(new CpAsyncWaitAll());
            show(body, "zero", 3, 0);
            show(body, "whole", 16 + 3, 1);
            show(body, "read", 32 + 4, 2);
            show(body, "rest", 32 + 5, 3);
        });
        assertEquals(0, result[0]);
        assertEquals(19, result[1]);
        assertEquals(20, result[2]);
        assertEquals(0, result[3]);
    }

    @Test
    void emptyGroupsCount() {
        byte[] result = SmallKernel.run(1, body -> {
            body.purpose("copy").issue(copy(CpAsync.Source.WHOLE), Input.of(buffer(0)), Input.of(in(16)));
            body.purpose("its group").issue(new CpAsyncCommitGroup());
            body.purpose("an empty one").issue(new CpAsyncCommitGroup());
            body.purpose("two may be pending").issue(new CpAsyncWaitGroup(2));
            show(body, "early", 0, 0);
            body.purpose("one may").issue(new CpAsyncWaitGroup(1));
            show(body, "late", 0, 1);
        });
        assertEquals(POISON, result[0]);
        assertEquals(16, result[1]);
    }

    @Test
    void anArrivalFollowsTheCopiesBeforeIt() {
        byte[] result = SmallKernel.run(1, body -> {
            body.purpose("init").barrierInit(barrier(0), 1);
            body.purpose("copy").issue(copy(CpAsync.Source.WHOLE), Input.of(buffer(0)), Input.of(in(16)));
            body.purpose("arrive").issue(new CpAsyncMbarrierArrive().withNoinc(), Input.of(barrier(0)));
            body.purpose("copy behind it").issue(copy(CpAsync.Source.WHOLE), Input.of(buffer(16)), Input.of(in(32)));
            show(body, "early", 0, 0);
            body.purpose("wait").waitParity(barrier(0), 0);
            show(body, "landed", 0, 1);
            show(body, "behind", 16, 2);
            body.purpose("wait for all").issue(new CpAsyncWaitAll());
            show(body, "all", 16, 3);
        });
        assertEquals(POISON, result[0]);
        assertEquals(16, result[1]);
        assertEquals(POISON, result[2]);
        assertEquals(32, result[3]);
    }

    @Test
    void anArrivalThatWasNotCountedNeedsOneThatIs() {
        ReferenceException e = assertThrows(ReferenceException.class, () -> SmallKernel.run(1, body -> {
            body.purpose("init").barrierInit(barrier(0), 1);
            body.purpose("copy").issue(copy(CpAsync.Source.WHOLE), Input.of(buffer(0)), Input.of(in(16)));
            body.purpose("arrive in addition").issue(new CpAsyncMbarrierArrive(), Input.of(barrier(0)));
            body.purpose("wait").waitParity(barrier(0), 0);
        }));
        assertEquals(Kind.WOULD_HANG, e.kind());
        assertEquals("the kernel would wait forever: barrier ready[0] stays in phase 0 (parity 0) with 1 of 1 arrival "
                + "pending, 0 bytes "
                + "expected and 0 bytes that came, and thread 0 waits for it", e.sentence());
    }

    /**
     * A store whose source is overwritten after .read, and whose destination is read before the whole is waited for.
     */
    private static TileProgram storeAndLook(boolean waitForAll) {
        return SmallKernel.of(1, body -> {
            Fragment first = body.purpose("load").load("first", ElementType.U8, 16, in(16));
            Fragment second = body.purpose("load again").load("second", ElementType.U8, 16, in(32));
            body.purpose("fill").store(buffer(0), first);
            body.purpose("store").bulkStore(out(0), buffer(0), 16);
            body.purpose("commit").bulkCommit();
            body.purpose("read").bulkWaitRead(0);
            body.purpose("overwrite").store(buffer(0), second);
            if (waitForAll) {
                body.purpose("written").bulkWait(0);
            }
            Fragment seen = body.purpose("look").load("seen", ElementType.U8, 16, out(0));
            body.purpose("show").store(out(16), seen);
        });
    }

    @Test
    void readingASourceIsNotWritingTheDestination() {
        byte[] early = SmallKernel.run(storeAndLook(false), 1);
        assertEquals(16, early[0]);
        assertEquals(0, early[16]);
        byte[] late = SmallKernel.run(storeAndLook(true), 1);
        assertEquals(16, late[0]);
        assertEquals(16, late[16]);
    }

    @Test
    void aSeedWritesTheDestinationWhenItLikes() {
        assertEquals(Set.of((byte) 0, (byte) 16), outcomes(storeAndLook(false), 16));
        assertEquals(Set.of((byte) 16), outcomes(storeAndLook(true), 16));
    }

    @Test
    void aSeedLandsCopiesEarlyOrLate() {
        TileProgram noWait = SmallKernel.of(1, body -> {
            body.purpose("copy").issue(copy(CpAsync.Source.WHOLE), Input.of(buffer(0)), Input.of(in(16)));
            body.purpose("commit").issue(new CpAsyncCommitGroup());
            show(body, "seen", 0, 0);
        });
        assertEquals(Set.of(POISON, (byte) 16), outcomes(noWait, 0));
        TileProgram noBarrier = SmallKernel.of(8, body -> {
            Fragment mine = body.purpose("mine").load("mine", ElementType.U8, 1, new Address.Global(SmallKernel.IN,
                    Builtin.THREAD.plus(8).toS64()));
            body.purpose("leave it").store(SmallKernel.BUFFER.at(Builtin.THREAD), mine);
            Fragment other = body.purpose("other")
                    .load("other", ElementType.U8, 1, SmallKernel.BUFFER.at(Expr.of(7).minus(Builtin.THREAD)));
            body.purpose("show").store(new Address.Global(SmallKernel.OUT, Builtin.THREAD.toS64()), other);
        });
        for (int thread : new int[] {0, 7}) {
            Set<Byte> seen = outcomes(noBarrier, thread);
            assertTrue(seen.size() == 2 && seen.contains(POISON), () -> "thread " + thread + " saw " + seen);
        }
    }

    private static Set<Byte> outcomes(TileProgram program, int at) {
        Set<Byte> seen = new TreeSet<>();
        for (long seed = 0; seed < 200; seed++) {
            seen.add(SmallKernel.run(program, 1, ReferenceOptions.DEFAULT.withSeed(seed))[at]);
        }
        return seen;
    }

    @Test
    void theSameSeedDoesTheSame() {
        for (long seed = 0; seed < 50; seed++) {
            assertEquals(SmallKernel.run(storeAndLook(false), 1, ReferenceOptions.DEFAULT.withSeed(seed))[16],
                    SmallKernel.run(storeAndLook(false), 1, ReferenceOptions.DEFAULT.withSeed(seed))[16]);
        }
    }
}

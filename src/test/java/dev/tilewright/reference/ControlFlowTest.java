package dev.tilewright.reference;

import static dev.tilewright.reference.SmallKernel.barrier;
import static dev.tilewright.reference.SmallKernel.buffer;
import static dev.tilewright.reference.SmallKernel.in;
import static dev.tilewright.reference.SmallKernel.out;
import static dev.tilewright.reference.TestData.assertComplaint;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Address;
import dev.tilewright.program.Body;
import dev.tilewright.program.Expr;
import dev.tilewright.program.Expr.Builtin;
import dev.tilewright.program.Fragment;
import dev.tilewright.program.Token;
import dev.tilewright.reference.ReferenceException.Kind;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Loops, guards, the block-wide barrier, and kernels that get stuck. */
class ControlFlowTest {

    /** Copies input byte {@code from} to output byte {@code to}: how these tests see which steps ran. */
    private static void mark(Body body, String name, Expr from, Expr to) {
        Fragment f = body.load("load " + name, name, ElementType.U8, 1, new Address.Global(SmallKernel.IN, from.toS64()));
        body.store("store " + name, new Address.Global(SmallKernel.OUT, to.toS64()), f);
    }

    @ParameterizedTest
    @CsvSource({"0, 5, 1", "2, 9, 3", "2, 8, 3", "3, 3, 1", "5, 2, 1", "0, 1, 100"})
    void loopsCountAsJavaDoes(int from, int until, int by) {
        byte[] expected = new byte[64];
        for (int i = from; i < until; i += by) {
            expected[i] = (byte) (i + 10);
        }
        assertArrayEquals(expected, SmallKernel.run(1, body -> body.loop("loop", "i", Expr.of(from), Expr.of(until),
                Expr.of(by), (each, i) -> mark(each, "f", i.plus(10), i))));
    }

    @Test
    void loopsNestAndStartAfresh() {
        List<Integer> visited = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            for (int j = i; j < 4; j++) {
                visited.add(4 * i + j);
            }
        }
        byte[] expected = new byte[64];
        visited.forEach(v -> expected[v] = (byte) (v + 1));
        assertArrayEquals(expected, SmallKernel.run(1, body -> body.loop("outer", "i", Expr.of(0), Expr.of(4), Expr.of(1),
                (outer, i) -> outer.loop("inner", "j", i, Expr.of(4), Expr.of(1), (inner, j) -> {
                    Expr v = inner.let("place", "v", i.times(4).plus(j));
                    mark(inner, "f", v.plus(1), v);
                }))));
    }

    @Test
    void loopsWithout64BitOverflowCountTo64Bits() {
        byte[] expected = new byte[64];
        expected[3] = 3;
        assertArrayEquals(expected, SmallKernel.run(1, body -> body.loop("loop", "i", Expr.of(3L), Expr.of(1L << 40),
                Expr.of(1L << 40), (each, i) -> mark(each, "f", i.toS32(), i.toS32()))));
    }

    @ParameterizedTest
    @CsvSource({"0", "-1"})
    void aLoopThatNeverEndsIsReported(int by) {
        assertComplaint(Kind.WOULD_HANG, "kernel 'small', block 0, thread 0, step 'loop': the loop from 0 to below 4 in steps "
                + "of " + by + " would never end", () -> SmallKernel.run(1, body -> body.loop("loop", "i", Expr.of(0),
                        Expr.of(4), Expr.of(by), (each, i) -> mark(each, "f", i, i))));
    }

    @Test
    void aLoopVariableThatOverflowsIsReported() {
        assertComplaint(Kind.ARITHMETIC, "kernel 'small', block 0, thread 0, step 'loop': 2000000000 + 2000000000 does not fit "
                + "a 32-bit index", () -> SmallKernel.run(1, body -> body.loop("loop", "i", Expr.of(0),
                        Expr.of(Integer.MAX_VALUE), Expr.of(2_000_000_000), (each, i) -> each.let("x", "x", i))));
    }

    @Test
    void aLoopVariableOf64BitsThatOverflowsIsReported() {
        assertComplaint(Kind.ARITHMETIC, "kernel 'small', block 0, thread 0, step 'loop': 6000000000000000000 + "
                + "6000000000000000000 does not fit a 64-bit index", () -> SmallKernel.run(1, body -> body.loop("loop", "i",
                        Expr.of(0L), Expr.of(Long.MAX_VALUE), Expr.of(6_000_000_000_000_000_000L),
                        (each, i) -> each.let("x", "x", i))));
    }

    @Test
    void guardsChooseOneBody() {
        byte[] expected = new byte[64];
        for (int t = 0; t < 8; t++) {
            expected[t] = (byte) (t < 3 ? t + 1 : t + 32);
        }
        assertArrayEquals(expected, SmallKernel.run(8, body -> body.when("guard", Builtin.THREAD.lessThan(3),
                yes -> mark(yes, "f", Builtin.THREAD.plus(1), Builtin.THREAD),
                no -> mark(no, "g", Builtin.THREAD.plus(32), Builtin.THREAD))));
    }

    @Test
    void threadsMeetAtTheBlockWideBarrier() {
        byte[] expected = new byte[64];
        for (int t = 0; t < 16; t++) {
            expected[t] = (byte) (15 - t);
        }
        assertArrayEquals(expected, SmallKernel.run(16, ControlFlowTest::exchange));
    }

    /** Each thread leaves its byte in shared memory and picks up that of the thread opposite. */
    private static void exchange(Body body) {
        Fragment mine = body.load("load", "mine", ElementType.U8, 1, new Address.Global(SmallKernel.IN, Builtin.THREAD.toS64()));
        body.store("leave", SmallKernel.BUFFER.at(Builtin.THREAD), mine);
        body.syncThreads("all have left theirs");
        Fragment other = body.load("pick up", "other", ElementType.U8, 1,
                SmallKernel.BUFFER.at(Expr.of(15).minus(Builtin.THREAD)));
        body.store("store", new Address.Global(SmallKernel.OUT, Builtin.THREAD.toS64()), other);
    }

    @Test
    void withoutTheBarrierSomeReadPoison() {
        byte[] result = SmallKernel.run(Mutation.without(SmallKernel.of(16, ControlFlowTest::exchange), "all have left theirs"), 1);
        assertEquals((byte) 0xCD, result[0]);
    }

    @Test
    void aThreadThatHasExitedIsMissedAtTheBarrier() {
        assertComplaint(Kind.SYNC_THREADS, "kernel 'small', block 0, thread 2, step 'meet': not every thread of the block "
                + "reaches this __syncthreads(): threads 2-7 are at __syncthreads() in step 'meet'; threads 0-1 have exited",
                () -> SmallKernel.run(8, body -> body.when("some", Builtin.THREAD.atLeast(2), some -> some.syncThreads("meet"))));
    }

    @Test
    void threadsAtDifferentBarriersAreReported() {
        assertComplaint(Kind.SYNC_THREADS, "kernel 'small', block 0, thread 7, step 'there': thread 7 is at this "
                + "__syncthreads() while thread 0 is at another; all threads of a block must meet at the same one",
                () -> SmallKernel.run(8, body -> body.when("some", Builtin.THREAD.lessThan(2),
                        some -> some.syncThreads("here"), others -> others.syncThreads("there"))));
    }

    @Test
    void aStuckBlockIsDescribedWhole() {
        assertComplaint(Kind.WOULD_HANG, "kernel 'small', block 0, thread 1, step 'wait for ready 0': the kernel would wait "
                + "forever: barrier ready[0] stays in phase 0 (parity 0) with 1 of 1 arrival pending, 0 bytes expected and 0 "
                + "bytes that came, and thread 1 waits for it; barrier ready[1] stays in phase 1 (parity 1) with 3 of 3 "
                + "arrivals pending, 0 bytes expected and 0 bytes that came, and threads 2-3, 7 wait for it; threads 4-6 are "
                + "at __syncthreads() in step 'meet'; thread 0 has exited", () -> SmallKernel.run(8, body -> {
                    body.when("thread 0", Builtin.THREAD.isEqualTo(0), one -> {
                        one.barrierInit("init 0", barrier(0), 1);
                        one.barrierInit("init 1", barrier(1), 3);
                        one.arrive("a", barrier(1));
                        one.arrive("b", barrier(1));
                        one.arrive("c", barrier(1));
                    });
                    body.when("thread 1", Builtin.THREAD.isEqualTo(1),
                            one -> one.waitParity("wait for ready 0", barrier(0), Expr.of(0)));
                    body.when("others", Builtin.THREAD.atLeast(2), others -> others.when("the middle",
                            Builtin.THREAD.atLeast(4).and(Builtin.THREAD.lessThan(7)), middle -> middle.syncThreads("meet"),
                            rest -> rest.waitParity("wait for ready 1", barrier(1), Expr.of(1))));
                }));
    }

    @Test
    void onlyThreadsThatStillWaitAreNamed() {
        assertComplaint(Kind.WOULD_HANG, "kernel 'small', block 0, thread 0, step 'wait again': the kernel would wait forever: "
                + "barrier ready[0] stays in phase 1 (parity 1) with 1 of 1 arrival pending, 0 bytes expected and 0 bytes that "
                + "came, and thread 0 waits for it; threads 1-2 have exited", () -> SmallKernel.run(3, body -> {
                    body.when("thread 0 sets up", Builtin.THREAD.isEqualTo(0), one -> one.barrierInit("init", barrier(0), 1));
                    body.syncThreads("it is there");
                    body.when("the last", Builtin.THREAD.isEqualTo(2), last -> last.arrive("arrive", barrier(0)),
                            others -> others.waitParity("wait", barrier(0), Expr.of(0)));
                    body.when("thread 0", Builtin.THREAD.isEqualTo(0),
                            one -> one.waitParity("wait again", barrier(0), Expr.of(1)));
                }));
    }

    @Test
    void aTokenBelongsToItsBarrier() {
        assertComplaint(Kind.BARRIER_MISUSE, "kernel 'small', block 0, thread 0, step 'wait': barrier ready[1] is waited for "
                + "with a token of barrier ready[0]", () -> SmallKernel.run(1, body -> {
                    body.barrierInit("init 0", barrier(0), 1);
                    body.barrierInit("init 1", barrier(1), 1);
                    Token token = body.arrive("arrive", barrier(0), "token");
                    body.waitToken("wait", barrier(1), token);
                }));
    }

    @Test
    void threadsHandWorkToEachOtherThroughABarrier() {
        byte[] expected = new byte[64];
        expected[0] = 42;
        assertArrayEquals(expected, SmallKernel.run(2, body -> {
            body.when("thread 1 sets up", Builtin.THREAD.isEqualTo(1), one -> one.barrierInit("init", barrier(0), 1));
            body.syncThreads("it is there");
            body.when("who", Builtin.THREAD.isEqualTo(1), producer -> {
                Fragment f = producer.load("load", "f", ElementType.U8, 1, in(42));
                producer.store("leave", buffer(0), f);
                producer.arrive("it is ready", barrier(0));
            }, consumer -> {
                consumer.waitParity("until it is ready", barrier(0), Expr.of(0));
                Fragment f = consumer.load("pick up", "g", ElementType.U8, 1, buffer(0));
                consumer.store("store", out(0), f);
            });
        }));
    }
}

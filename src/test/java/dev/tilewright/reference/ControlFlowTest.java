package dev.tilewright.reference;

import static dev.tilewright.reference.SmallKernel.barrier;
import static dev.tilewright.reference.SmallKernel.buffer;
import static dev.tilewright.reference.SmallKernel.in;
import static dev.tilewright.reference.SmallKernel.out;
import static dev.tilewright.reference.TestData.assertComplaint;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Body;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Fragment;
import dev.tilewright.program.expression.Token;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Loops, guards, the block-wide barrier, and kernels that get stuck. */
class ControlFlowTest {

    /** Copies input byte {@code from} to output byte {@code to}: how these tests see which steps ran. */
    private static void mark(Body body, String name, Expr from, Expr to) {
        Fragment f = body.purpose("load " + name)
                .load(name, ElementType.U8, 1, new Address.Global(SmallKernel.IN, from.toS64()));
        body.purpose("store " + name).store(new Address.Global(SmallKernel.OUT, to.toS64()), f);
    }

    @ParameterizedTest
    @CsvSource({"0, 5, 1", "2, 9, 3", "2, 8, 3", "3, 3, 1", "5, 2, 1", "0, 1, 100"})
    void loopsCountAsJavaDoes(int from, int until, int by) {
        byte[] expected = new byte[64];
        for (int i = from; i < until; i += by) {
            expected[i] = (byte) (i + 10);
        }
        assertArrayEquals(expected, SmallKernel.run(1, body -> body.purpose("loop")
                .loop("i", from, until, by, (each, i) -> mark(each, "f", i.plus(10), i))));
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
        assertArrayEquals(expected, SmallKernel.run(1, body -> body.purpose("outer")
                .loop("i", 0, 4, 1, (outer, i) -> outer.purpose("inner").loop("j", i, 4, 1, (inner, j) -> {
                    Expr v = inner.purpose("place").let("v", i.times(4).plus(j));
                    mark(inner, "f", v.plus(1), v);
                }))));
    }

    @Test
    void loopsWithout64BitOverflowCountTo64Bits() {
        byte[] expected = new byte[64];
        expected[3] = 3;
        assertArrayEquals(expected, SmallKernel.run(1, body -> body.purpose("loop")
                .loop("i", Expr.of(3L), Expr.of(1L << 40),
                Expr.of(1L << 40), (each, i) -> mark(each, "f", i.toS32(), i.toS32()))));
    }

    @ParameterizedTest
    @CsvSource({"0", "-1"})
    void aLoopThatNeverEndsIsReported(int by) {
        assertComplaint(Kind.WOULD_HANG, "kernel 'small', block 0, thread 0, step 'loop': the loop from 0 to below 4 "
                + "in steps "
                + "of " + by + " would never end", () -> SmallKernel.run(1, body -> body.purpose("loop")
                        .loop("i", 0, 4, by, (each, i) -> mark(each, "f", i, i))));
    }

    @Test
    void aLoopVariableThatOverflowsIsReported() {
        assertComplaint(Kind.ARITHMETIC, "kernel 'small', block 0, thread 0, step 'loop': 2000000000 + 2000000000 does "
                + "not fit "
                + "a 32-bit index", () -> SmallKernel.run(1, body -> body.purpose("loop").loop("i", 0,
                        Integer.MAX_VALUE, 2_000_000_000, (each, i) -> each.purpose("x")
                        .let("x", i))));
    }

    @Test
    void aLoopVariableOf64BitsThatOverflowsIsReported() {
        assertComplaint(Kind.ARITHMETIC, "kernel 'small', block 0, thread 0, step 'loop': 6000000000000000000 + "
                + "6000000000000000000 does not fit a 64-bit index",
                () -> SmallKernel.run(1, body -> body.purpose("loop")
                        .loop("i",
                        Expr.of(0L), Expr.of(Long.MAX_VALUE), Expr.of(6_000_000_000_000_000_000L),
                        (each, i) -> each.purpose("x").let("x", i))));
    }

    @Test
    void guardsChooseOneBody() {
        byte[] expected = new byte[64];
        for (int t = 0; t < 8; t++) {
            expected[t] = (byte) (t < 3 ? t + 1 : t + 32);
        }
        assertArrayEquals(expected, SmallKernel.run(8, body -> body.purpose("guard").when(Builtin.THREAD.lessThan(3),
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
        Fragment mine = body.purpose("load")
                .load("mine", ElementType.U8, 1, new Address.Global(SmallKernel.IN, Builtin.THREAD.toS64()));
        body.purpose("leave").store(SmallKernel.BUFFER.at(Builtin.THREAD), mine);
        body.purpose("all have left theirs").syncThreads();
        Fragment other = body.purpose("pick up").load("other", ElementType.U8, 1,
                SmallKernel.BUFFER.at(Expr.of(15).minus(Builtin.THREAD)));
        body.purpose("store").store(new Address.Global(SmallKernel.OUT, Builtin.THREAD.toS64()), other);
    }

    @Test
    void withoutTheBarrierSomeReadPoison() {
        byte[] result =
                SmallKernel.run(Mutation.without(SmallKernel.of(16, ControlFlowTest::exchange), "all have left theirs"),
                1);
        assertEquals((byte) 0xCD, result[0]);
    }

    @Test
    void aThreadThatHasExitedIsMissedAtTheBarrier() {
        assertComplaint(Kind.SYNC_THREADS, "kernel 'small', block 0, thread 2, step 'meet': not every thread of the "
                + "block "
                + "reaches this __syncthreads(): threads 2-7 are at __syncthreads() in step 'meet'; threads 0-1 have "
                + "exited", () -> SmallKernel.run(8, body -> body.purpose("some")
                        .when(Builtin.THREAD.atLeast(2), some -> some.purpose("meet").syncThreads())));
    }

    @Test
    void threadsAtDifferentBarriersAreReported() {
        assertComplaint(Kind.SYNC_THREADS, "kernel 'small', block 0, thread 7, step 'there': thread 7 is at this "
                + "__syncthreads() while thread 0 is at another; all threads of a block must meet at the same one",
                () -> SmallKernel.run(8, body -> body.purpose("some").when(Builtin.THREAD.lessThan(2),
                        some -> some.purpose("here").syncThreads(), others -> others.purpose("there").syncThreads())));
    }

    @Test
    void aStuckBlockIsDescribedWhole() {
        assertComplaint(Kind.WOULD_HANG, "kernel 'small', block 0, thread 1, step 'wait for ready 0': the kernel would "
                + "wait "
                + "forever: barrier ready[0] stays in phase 0 (parity 0) with 1 of 1 arrival pending, 0 bytes expected "
                + "and 0 "
                + "bytes that came, and thread 1 waits for it; barrier ready[1] stays in phase 1 (parity 1) with 3 of "
                + "3 "
                + "arrivals pending, 0 bytes expected and 0 bytes that came, and threads 2-3, 7 wait for it; threads "
                + "4-6 are "
                + "at __syncthreads() in step 'meet'; thread 0 has exited", () -> SmallKernel.run(8, body -> {
                    body.purpose("thread 0").when(Builtin.THREAD.isEqualTo(0), one -> {
                        one.purpose("init 0").barrierInit(barrier(0), 1);
                        one.purpose("init 1").barrierInit(barrier(1), 3);
                        one.purpose("a").arrive(barrier(1));
                        one.purpose("b").arrive(barrier(1));
                        one.purpose("c").arrive(barrier(1));
                    });
                    body.purpose("thread 1").when(Builtin.THREAD.isEqualTo(1),
                            one -> one.purpose("wait for ready 0").waitParity(barrier(0), 0));
                    body.purpose("others").when(Builtin.THREAD.atLeast(2), others -> others.purpose("the middle")
        .when(Builtin.THREAD.atLeast(4).and(Builtin.THREAD.lessThan(7)), middle -> middle.purpose("meet").syncThreads(),
                            rest -> rest.purpose("wait for ready 1").waitParity(barrier(1), 1)));
                }));
    }

    @Test
    void onlyThreadsThatStillWaitAreNamed() {
        assertComplaint(Kind.WOULD_HANG, "kernel 'small', block 0, thread 0, step 'wait again': the kernel would wait "
                + "forever: "
                + "barrier ready[0] stays in phase 1 (parity 1) with 1 of 1 arrival pending, 0 bytes expected and 0 "
                + "bytes that "
                + "came, and thread 0 waits for it; threads 1-2 have exited", () -> SmallKernel.run(3, body -> {
                    body.purpose("thread 0 sets up")
                            .when(Builtin.THREAD.isEqualTo(0), one -> one.purpose("init").barrierInit(barrier(0), 1));
                    body.purpose("it is there").syncThreads();
                    body.purpose("the last")
                            .when(Builtin.THREAD.isEqualTo(2), last -> last.purpose("arrive").arrive(barrier(0)),
                            others -> others.purpose("wait").waitParity(barrier(0), 0));
                    body.purpose("thread 0").when(Builtin.THREAD.isEqualTo(0),
                            one -> one.purpose("wait again").waitParity(barrier(0), 1));
                }));
    }

    @Test
    void aTokenBelongsToItsBarrier() {
        assertComplaint(Kind.BARRIER_MISUSE, "kernel 'small', block 0, thread 0, step 'wait': barrier ready[1] is "
                + "waited for "
                + "with a token of barrier ready[0]", () -> SmallKernel.run(1, body -> {
                    body.purpose("init 0").barrierInit(barrier(0), 1);
                    body.purpose("init 1").barrierInit(barrier(1), 1);
                    Token token = body.purpose("arrive").arrive(barrier(0)).token("token");
                    body.purpose("wait").waitToken(barrier(1), token);
                }));
    }

    @Test
    void threadsHandWorkToEachOtherThroughABarrier() {
        byte[] expected = new byte[64];
        expected[0] = 42;
        assertArrayEquals(expected, SmallKernel.run(2, body -> {
            body.purpose("thread 1 sets up")
                    .when(Builtin.THREAD.isEqualTo(1), one -> one.purpose("init").barrierInit(barrier(0), 1));
            body.purpose("it is there").syncThreads();
            body.purpose("who").when(Builtin.THREAD.isEqualTo(1), producer -> {
                Fragment f = producer.purpose("load").load("f", ElementType.U8, 1, in(42));
                producer.purpose("leave").store(buffer(0), f);
                producer.purpose("it is ready").arrive(barrier(0));
            }, consumer -> {
                consumer.purpose("until it is ready").waitParity(barrier(0), 0);
                Fragment f = consumer.purpose("pick up").load("g", ElementType.U8, 1, buffer(0));
                consumer.purpose("store").store(out(0), f);
            });
        }));
    }
}

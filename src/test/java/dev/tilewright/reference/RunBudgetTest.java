package dev.tilewright.reference;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.Counted;
import dev.tilewright.hazard.HazardOptions;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.hazard.check.HazardCheck;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Body;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.memory.Ld;
import dev.tilewright.reference.fault.ReferenceException;
import dev.tilewright.reference.fault.ReferenceStoppedException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A run ends when its thread is interrupted, or when it has taken what its options allow; and loops compute what they
 * need.
 */
class RunBudgetTest {
    private static final Parameter.Pointer OUT = new Parameter.Pointer("out", true);
    private static final int BLOCKS = 8;

    private static Launch launch(Consumer<Body> body) {
        TileProgram program = new TileProgram("long_run", "takes its time", 4, List.of(OUT),
                new SharedLayout(List.of()), Body.steps(body));
        return new Launch(program, BLOCKS, List.of(new Argument.Buffer(0)));
    }

    private static void work(Body body) {
        body.loop("i", 30_000, (outer, i) -> outer.loop("j", 30_000, (inner, j) -> inner.let("k", i.plus(j))));
    }

    /** Blocks that see nothing of each other, and blocks that do. */
    private static Launch endless(boolean meet) {
        return launch(body -> {
            if (meet) {
                body.issue(Ld.relaxed(Scope.GPU, Space.GLOBAL, DataType.U32), Input.of(new Address.Global(OUT, 0)));
            }
            work(body);
        });
    }

    private static void run(Launch launch, ReferenceOptions options) {
        Reference.run(launch, List.of(MemorySegment.ofArray(new byte[64])), options);
    }

    static List<ReferenceOptions> ways() {
        return List.of(ReferenceOptions.DEFAULT, ReferenceOptions.DEFAULT.sequential(),
                ReferenceOptions.DEFAULT.withSeed(3));
    }

    @ParameterizedTest
    @MethodSource("ways")
    void stepsAreBounded(ReferenceOptions way) {
        for (boolean meet : new boolean[] {false, true}) {
            for (long most : new long[] {1, 1000, 1 << 20}) {
                String message = assertTimeoutPreemptively(Duration.ofMinutes(3),
                        () -> assertThrows(ReferenceStoppedException.class,
                        () -> run(endless(meet), way.withMostSteps(most)))).getMessage();
                assertTrue(message.matches("kernel 'long_run': the run was stopped after \\d+ steps of its threads: "
                        + "at most " + Counted.of(most, "step") + " (is|are) allowed; in block.*; if it "
                        + "does end, allow more with ReferenceOptions.withMostSteps"), message);
                long taken = Long.parseLong(message.replaceAll("\\D*(\\d+) steps.*", "$1"));
                assertTrue(taken > most && taken < 2 * most + 16 * 16384, message);
            }
        }
    }

    @Test
    void aRunThatKeepsToItsBoundsIsNotStopped() {
        Launch small = launch(body -> body.loop("i", 100, (each, i) -> each.let("k", i)));
        for (ReferenceOptions way : ways()) {
            ReferenceRun run = Reference.run(small, List.of(MemorySegment.ofArray(new byte[64])));
            run(small, way.withMostSteps(run.threadSteps()).withMostTime(Duration.ofMinutes(5)));
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void timeIsBounded(ReferenceOptions way) {
        assertEquals("at most 50 milliseconds are allowed; in ... allow more with ReferenceOptions.withMostTime",
                assertTimeoutPreemptively(Duration.ofMinutes(3),
                () -> assertThrows(ReferenceStoppedException.class,
                () -> run(endless(false), way.withMostTime(Duration.ofMillis(50)))))
                .getMessage().replaceAll(".*: at", "at").replaceAll("in block.*allow", "in ... allow"));
    }

    /** Threads that wait for one that goes on; alone, and as threads that go together. */
    @ParameterizedTest
    @MethodSource("ways")
    void whatIsStoppedSaysWhereItsThreadsWere(ReferenceOptions way) {
        for (boolean meet : new boolean[] {false, true}) {
            Launch launch = launch(body -> {
                if (meet) {
                    body.issue(Ld.relaxed(Scope.GPU, Space.GLOBAL, DataType.U32), Input.of(new Address.Global(OUT, 0)));
                }
                body.when(Builtin.THREAD.isEqualTo(3), one -> work(one.purpose("count")));
                body.purpose("all have counted").syncThreads();
            });
            String said = assertThrows(ReferenceStoppedException.class, () -> run(launch, way.withMostSteps(1 << 20)))
                    .getMessage();
            assertTrue(said.matches(".* are allowed; in blocks? 0.*, threads 0-2 are at __syncthreads\\(\\) in step "
                    + "'all have counted'; thread 3 is in step [2-5] \\('.*', RunBudgetTest.java:\\d+\\).*; if it .*"),
                    said);
        }
    }

    /** What a run tells of its steps only grows, and is about what the run says at its end. */
    @ParameterizedTest
    @MethodSource("ways")
    void progressIsTold(ReferenceOptions way) {
        for (boolean meet : new boolean[] {false, true}) {
            List<Long> told = new ArrayList<>();
            assertThrows(ReferenceStoppedException.class,
                    () -> run(endless(meet), way.withMostSteps(1 << 20).withProgress(told::add)));
            assertTrue(told.size() > 10 && told.getLast() > 1 << 20, told::toString);
            assertEquals(told.stream().sorted().toList(), told);
        }
        List<Long> told = new ArrayList<>();
        assertThrows(ReferenceStoppedException.class, () -> HazardCheck.check(endless(true),
                List.of(MemorySegment.ofArray(new byte[64])),
                HazardOptions.DEFAULT.withMostSteps(1 << 16).withProgress(told::add)));
        assertTrue(told.getLast() > 1 << 16, told::toString);
    }

    @ParameterizedTest
    @MethodSource("ways")
    void anInterruptEndsTheRun(ReferenceOptions way) throws InterruptedException {
        for (boolean meet : new boolean[] {false, true}) {
            AtomicReference<Throwable> ended = new AtomicReference<>();
            AtomicReference<Boolean> still = new AtomicReference<>();
            CountDownLatch running = new CountDownLatch(1);
            Thread thread = Thread.ofPlatform().daemon().start(() -> {
                try {
                    run(endless(meet), way.withProgress(_ -> running.countDown()));
                } catch (RuntimeException e) {
                    ended.set(e);
                    still.set(Thread.currentThread().isInterrupted());
                }
            });
            assertTrue(running.await(3, TimeUnit.MINUTES), "it does not begin");
            thread.interrupt();
            thread.join(Duration.ofMinutes(3));
            assertTrue(ended.get() instanceof ReferenceStoppedException
                    && ended.get().getMessage()
                    .contains(": its thread was interrupted; in block"),
                    () -> String.valueOf(ended.get()));
            assertEquals(true, still.get());
        }
        long deadline = System.nanoTime() + Duration.ofMinutes(3).toNanos();
        // Later ones are those of other tests.
        List<Thread> threads = Thread.getAllStackTraces().keySet().stream().filter(t -> t.getName()
                .startsWith("tilewright-reference")).toList();
        while (threads.stream().anyMatch(Thread::isAlive)) {
            assertTrue(System.nanoTime() < deadline, "threads of a stopped run go on");
            Thread.sleep(10);
        }
    }

    /** One that cannot end is stopped by default. */
    @Test
    void thereAreBoundsByDefault() {
        assertTrue(ReferenceOptions.DEFAULT.mostTime().isPresent());
        assertTrue(HazardOptions.DEFAULT.mostTime().isPositive());
    }

    /** A check is a run, too. */
    @Test
    void anInterruptEndsACheck() throws InterruptedException {
        AtomicReference<Throwable> ended = new AtomicReference<>();
        CountDownLatch running = new CountDownLatch(1);
        Thread thread = Thread.ofPlatform().daemon().start(() -> {
            try {
                HazardCheck.check(endless(false), List.of(MemorySegment.ofArray(new byte[64])),
                        HazardOptions.DEFAULT.withProgress(_ -> running.countDown()));
            } catch (RuntimeException e) {
                ended.set(e);
            }
        });
        assertTrue(running.await(3, TimeUnit.MINUTES), "it does not begin");
        thread.interrupt();
        thread.join(Duration.ofMinutes(3));
        assertTrue(ended.get() instanceof ReferenceStoppedException, () -> String.valueOf(ended.get()));
    }

    /** A thread that waits in a loop for what no other sets. */
    private static Launch neverSet() {
        return launch(body -> {
            Register seen = body.variable("seen", 0);
            body.repeatWhile(seen.get().toIndex().isEqualTo(0), turn -> turn.assign(seen, turn.purpose("look")
                    .issue("now", Ld.acquire(Scope.GPU, Space.GLOBAL, DataType.U32),
                            Input.of(new Address.Global(OUT, 0)))));
        });
    }

    @Test
    void aCheckOfAnEndlessKernelEnds() {
        for (HazardOptions options : List.of(HazardOptions.DEFAULT.withMostSteps(100_000),
                HazardOptions.DEFAULT.withMostTime(Duration.ofMillis(100)))) {
            MemorySegment memory = MemorySegment.ofArray(new byte[64]);
            String message = assertTimeoutPreemptively(Duration.ofMinutes(2), () -> assertThrows(
                    ReferenceStoppedException.class, () -> HazardCheck.check(neverSet(), List.of(memory), options)))
                    .getMessage();
            assertTrue(message.matches("kernel 'long_run': .*: at most .* are allowed; in blocks 0-7, threads 0-3 are "
                    + "in step 2 \\('while', RunBudgetTest.java:\\d+\\); if it does end, allow more with "
                    + "HazardOptions.withMost(Steps|Time)"), message);
        }
    }

    /** A mistake may be why it does not end: that is told. */
    @Test
    void whatWasFoundBeforeACheckIsStoppedIsReported() {
        Launch launch = launch(body -> {
            Value v = body.load("v", ValueType.U32, new Address.Global(OUT, 16));
            body.store(new Address.Global(OUT, 16), v.plus(1));
            body.syncThreads();
            work(body);
        });
        HazardReport report = HazardCheck.check(launch, List.of(MemorySegment.ofArray(new byte[64])),
                HazardOptions.DEFAULT.withMostSteps(5_000_000));
        assertFalse(report.isClean() || report.complete(), report::toString);
    }

    @Test
    void whatCannotBeABoundIsRefused() {
        assertEquals("a run needs at least 1 step, got 0",
                assertThrows(IllegalArgumentException.class, () -> ReferenceOptions.DEFAULT.withMostSteps(0))
                .getMessage());
        assertEquals("a run needs some time, got PT0S",
                assertThrows(IllegalArgumentException.class, () -> ReferenceOptions.DEFAULT.withMostTime(Duration.ZERO))
                .getMessage());
    }

    /** The step divides by zero, or overflows: that matters where the loop is entered, and only there. */
    @Test
    void aLoopThatIsPassedDoesNotComputeItsStep() {
        byte[] out = new byte[64];
        Reference.run(loop(4), List.of(MemorySegment.ofArray(out)));
        assertArrayEquals(new byte[64], out);
        ReferenceException e = assertThrows(ReferenceException.class,
                () -> Reference.run(loop(5), List.of(MemorySegment.ofArray(out))));
        assertEquals(ReferenceException.Kind.ARITHMETIC, e.kind());
    }

    private static Launch loop(int until) {
        Expr.Var i = new Expr.Var("i", dev.tilewright.program.expression.IntType.S32);
        Expr zero = Builtin.THREAD.minus(Builtin.THREAD);
        return launch(body -> body.add(new dev.tilewright.program.Operation.Loop(i, Expr.of(4), Expr.of(until),
                Expr.of(100).dividedBy(zero), Body.steps(inner -> inner.let("k", i)))));
    }
}

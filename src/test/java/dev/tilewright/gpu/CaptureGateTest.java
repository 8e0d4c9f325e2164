package dev.tilewright.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.gpu.concurrent.CaptureGate;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** What keeps captures and what waits for all streams apart. */
class CaptureGateTest {
    private static final long MILLISECOND = 1_000_000;

    private final CaptureGate gate = new CaptureGate("it", "do something else", 50 * MILLISECOND);
    private final CaptureGate patient = new CaptureGate("it", "do something else", TimeUnit.SECONDS.toNanos(60));

    @Test
    void aUseDoesNotWaitForeverForACapture() {
        Thread capturing = new Thread(() -> { }, "capturing");
        gate.beginCapture(capturing);
        IllegalStateException e = assertThrows(IllegalStateException.class, gate::enter);
        assertEquals("it is being captured by thread 'capturing' (NEW), which has not ended for 50 ms: do something "
                + "else;"
                + " a capture that waits for this thread never ends", e.getMessage());
        assertEquals("what thread 'capturing' does meanwhile", e.getSuppressed()[0].getMessage());
        gate.endCapture(capturing);
        gate.enter();
        gate.leave();
    }

    @Test
    void aThreadDoesNotWaitForItself() {
        Thread me = Thread.currentThread();
        gate.beginCapture(me);
        gate.beginCapture(me);
        gate.endCapture(me);
        String message = "it is being captured by this thread: do something else";
        assertEquals(message, assertThrows(IllegalStateException.class, gate::enter).getMessage());
        assertEquals(message, assertThrows(IllegalStateException.class, gate::requireNoneOfThisThread).getMessage());
        gate.endCapture(me);
        gate.requireNoneOfThisThread();
    }

    /** A capture that waits for a thread which uses the default stream: that one is told where the capture waits. */
    @Test
    void aUseThatACaptureWaitsForIsToldWhereThatWaits() {
        CountDownLatch captured = new CountDownLatch(1);
        Thread capturing = Thread.currentThread();
        CompletableFuture<Void> use = CompletableFuture.runAsync(() -> {
            await(captured);
            while (capturing.getState() != Thread.State.WAITING) {
                LockSupport.parkNanos(MILLISECOND);
            }
            gate.enter();
            gate.leave();
        }, task -> Thread.ofPlatform().start(task));
        gate.beginCapture(capturing);
        captured.countDown();
        CompletionException e = assertThrows(CompletionException.class, use::join);
        gate.endCapture(capturing);
        assertTrue(e.getCause().getMessage().contains("'" + capturing.getName() + "' (WAITING)"),
                e.getCause().getMessage());
        assertTrue(List.of(e.getCause().getSuppressed()[0].getStackTrace()).stream()
                .anyMatch(frame -> frame.getMethodName().equals("aUseThatACaptureWaitsForIsToldWhereThatWaits")));
    }

    private static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(3, TimeUnit.MINUTES));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Captures of two threads, each of which ends when the other's has begun if that is soon: there is always one. */
    @Test
    void aUseGetsInBetweenCapturesThatFollowOneAnother() throws Exception {
        CaptureGate shared = new CaptureGate("it", "do something else", TimeUnit.MINUTES.toNanos(2));
        AtomicBoolean done = new AtomicBoolean();
        AtomicInteger begun = new AtomicInteger();
        List<CompletableFuture<Void>> capturing = new ArrayList<>();
        for (int t = 0; t < 2; t++) {
            capturing.add(CompletableFuture.runAsync(() -> {
                while (!done.get()) {
                    shared.beginCapture(Thread.currentThread());
                    int mine = begun.incrementAndGet();
                    long latest = System.nanoTime() + 300 * MILLISECOND;
                    while (begun.get() == mine && !done.get() && System.nanoTime() < latest) {
                        LockSupport.parkNanos(MILLISECOND);
                    }
                    shared.endCapture(Thread.currentThread());
                }
            }, task -> Thread.ofPlatform().start(task)));
        }
        try {
            while (begun.get() < 3) {
                Thread.onSpinWait();
            }
            shared.enter();
            shared.leave();
        } finally {
            done.set(true);
        }
        for (CompletableFuture<Void> one : capturing) {
            one.get(3, TimeUnit.MINUTES);
        }
    }

    @Test
    void anInterruptIsKept() {
        Thread other = new Thread(() -> { });
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        Thread using = Thread.ofPlatform().unstarted(() -> {
            try {
                patient.enter();
                patient.leave();
                interrupted.complete(Thread.currentThread().isInterrupted());
            } catch (RuntimeException e) {
                interrupted.completeExceptionally(e);
            }
        });
        patient.beginCapture(other);
        using.start();
        using.interrupt();
        patient.endCapture(other);
        assertTrue(interrupted.orTimeout(3, TimeUnit.MINUTES).join());
    }

    /** Uses and captures of many threads: never one of each at a time, and all come to an end. */
    @Test
    void usesAndCapturesExcludeEachOther() throws Exception {
        AtomicInteger uses = new AtomicInteger();
        AtomicInteger captures = new AtomicInteger();
        AtomicInteger wrong = new AtomicInteger();
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            boolean capturing = t == 0;
            all.add(CompletableFuture.runAsync(() -> {
                for (int i = 0; i < 2000; i++) {
                    if (capturing) {
                        patient.beginCapture(Thread.currentThread());
                        captures.incrementAndGet();
                        wrong.addAndGet(uses.get());
                        captures.decrementAndGet();
                        patient.endCapture(Thread.currentThread());
                    } else {
                        patient.enter();
                        uses.incrementAndGet();
                        wrong.addAndGet(captures.get());
                        uses.decrementAndGet();
                        patient.leave();
                    }
                }
            }, task -> Thread.ofPlatform().start(task)));
        }
        for (CompletableFuture<Void> one : all) {
            one.get(3, TimeUnit.MINUTES);
        }
        assertEquals(0, wrong.get());
    }
}

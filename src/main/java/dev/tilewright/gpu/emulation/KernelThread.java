package dev.tilewright.gpu.emulation;

import dev.tilewright.gpu.concurrent.Outcome;
import java.time.Duration;
import java.util.concurrent.FutureTask;

/**
 * Runs a kernel on a thread of its own, because a GPU does not know of interrupts and neither does a driver call that
 * waits for it. One that goes on long after the caller was interrupted is interrupted too: it may never end.
 */
final class KernelThread {
    /** What a kernel that ends is given to do so, after who waits for it was interrupted. */
    static final Duration GRACE = Duration.ofSeconds(2);

    private KernelThread() { }

    /** Runs it to its end, or until some time after the caller was interrupted; that the caller was stays known. */
    static void run(Runnable kernel) {
        FutureTask<Void> task = new FutureTask<>(kernel, null);
        Thread thread = Thread.ofPlatform().daemon().name("emulated GPU").start(task);
        Outcome.of(task, GRACE, thread::interrupt);
    }
}

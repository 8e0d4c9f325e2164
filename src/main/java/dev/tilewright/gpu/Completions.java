package dev.tilewright.gpu;

import dev.tilewright.gpu.concurrent.EachOf;
import dev.tilewright.gpu.concurrent.LaunchLog;
import dev.tilewright.gpu.concurrent.LaunchMarks;
import dev.tilewright.gpu.context.Context;
import dev.tilewright.gpu.context.Lease;
import dev.tilewright.gpu.cuda.DriverApi;
import dev.tilewright.gpu.device.CudaException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;

/**
 * The futures of a GPU's {@link Stream#completion}s. Each has an event, and one daemon thread asks the driver for the
 * oldest of each stream: without a pause at first, then at longer and longer ones, at most a 16th of what it has
 * waited already. It ends when nothing is left to wait for. What depends on a future runs on a virtual thread, never
 * on this one.
 *
 * <p>Not cuLaunchHostFunc: cuda.h says that the stream waits until the host function has returned, that the function
 * must not call the driver, and that it is not called at all once the context has an error, so a fault would complete
 * nothing.
 *
 * <p>Safe for use by several threads.
 */
final class Completions {
    /** CU_EVENT_DISABLE_TIMING, cuda.h. */
    private static final int DISABLE_TIMING = 2;
    /** How long it asks without a pause after something has happened. */
    private static final long SPIN = 50_000;
    private static final long SHORTEST_PAUSE = 10_000;
    private static final long LONGEST_PAUSE = 1_000_000;
    /** How long it stays when nothing is left, as the next is often not far. */
    private static final long LINGER = 100_000_000;
    private static final int KEPT_EVENTS = 64;

    private final Context context;
    private final Lease lease;
    /** Guards what follows, and the events: the driver is not asked for one that is gone. */
    private final Object lock = new Object();
    /** By stream, the oldest first. */
    private final Map<LaunchLog, Deque<Pending>> pending = new HashMap<>();
    private final Deque<Long> events = new ArrayDeque<>();
    private Thread watcher;
    private volatile boolean closed;
    /** When something was added last, by System.nanoTime. */
    private volatile long added;

    /** What waits for an event. */
    private record Pending(Stream stream, long event, LaunchMarks marks, CompletableFuture<Void> future) { }

    Completions(Context context) {
        this.context = context;
        this.added = System.nanoTime();
        this.lease = Lease.ofContext(context, context.title(), this::close);
    }

    /** What completes when all that is in the stream now has ended. */
    CompletableFuture<Void> of(Stream stream) {
        return lease.whileOpen(() -> begin(stream));
    }

    private CompletableFuture<Void> begin(Stream stream) {
        LaunchMarks marks = stream.marks();
        long event = 0;
        try {
            event = event();
            record(stream, event);
        } catch (RuntimeException e) {
            synchronized (lock) {
                giveBack(event);
            }
            if (e instanceof CudaException) {
                return CompletableFuture.failedFuture(e);
            }
            throw e;
        }
        CompletableFuture<Void> future = new CompletableFuture<>();
        synchronized (lock) {
            pending.computeIfAbsent(stream.log(), _ -> new ArrayDeque<>())
                    .add(new Pending(stream, event, marks, future));
            added = System.nanoTime();
            if (watcher == null) {
                watcher = Thread.ofPlatform().daemon().name("tilewright-completions-" + context.info().ordinal())
                        .start(this::watch);
            } else {
                LockSupport.unpark(watcher);
            }
        }
        return future;
    }

    private IllegalStateException gone(Pending one) {
        return new IllegalStateException(context.title() + " was closed before what was in " + one.stream
                + " had ended");
    }

    private long event() {
        synchronized (lock) {
            Long kept = events.poll();
            if (kept != null) {
                return kept;
            }
        }
        return context.ask("cuEventCreate", (api, out) -> api.cuEventCreate(out, DISABLE_TIMING));
    }

    private void record(Stream stream, long event) {
        StreamHandle cuStream = stream.cuStream();
        cuStream.call("cuEventRecord on " + stream, cuStream.using(api -> api.cuEventRecord(event, cuStream.raw())));
    }

    /** Keeps an event for the next, or lets go of it; 0 for none. Needs the lock. */
    private void giveBack(long event) {
        if (event != 0 && !closed && events.size() < KEPT_EVENTS) {
            events.push(event);
        } else if (event != 0) {
            destroy(event);
        }
    }

    private void destroy(long event) {
        try {
            release(event);
        } catch (CudaException e) {
            // It is offered to the driver again when the GPU is closed.
        }
    }

    private void release(long event) {
        context.release("cuEventDestroy", api -> api.cuEventDestroy(event));
    }

    private void watch() {
        long since = System.nanoTime();
        while (true) {
            int waiting = ask();
            long now = System.nanoTime();
            since = waiting < 0 ? now : Math.max(since, added);
            long waited = now - since;
            if (waiting == 0) {
                if ((closed || waited > LINGER) && leave()) {
                    return;
                }
                LockSupport.parkNanos(LINGER);
            } else if (waited < SPIN) {
                Thread.onSpinWait();
            } else {
                LockSupport.parkNanos(Math.clamp(waited / 16, SHORTEST_PAUSE, LONGEST_PAUSE));
            }
        }
    }

    /** Whether there is nothing to stay for. */
    private boolean leave() {
        synchronized (lock) {
            if (pending.isEmpty()) {
                watcher = null;
                return true;
            }
            return false;
        }
    }

    /** Asks for the oldest of each stream. @return how many streams still wait; -1 if something has ended */
    private int ask() {
        synchronized (lock) {
            boolean ended = false;
            for (Iterator<Deque<Pending>> queues = pending.values().iterator(); queues.hasNext();) {
                Deque<Pending> queue = queues.next();
                while (!queue.isEmpty() && hasEnded(queue.peek())) {
                    giveBack(queue.poll().event);
                    ended = true;
                }
                if (queue.isEmpty()) {
                    queues.remove();
                }
            }
            return ended ? -1 : pending.size();
        }
    }

    private boolean hasEnded(Pending oldest) {
        RuntimeException failure = null;
        try {
            int result = context.result(api -> api.cuEventQuery(oldest.event));
            if (result == DriverApi.NOT_READY) {
                return false;
            }
            if (result == DriverApi.SUCCESS) {
                oldest.marks.haveEnded();
            } else {
                failure = context.failure("cuEventQuery on " + oldest.stream, result);
            }
        } catch (CudaException e) {
            failure = e;
        } catch (IllegalStateException e) {
            failure = gone(oldest);
        }
        complete(oldest.future, failure);
        return true;
    }

    private static void complete(CompletableFuture<Void> future, Throwable failure) {
        Thread.ofVirtual().name("tilewright-completion").start(() -> {
            if (failure == null) {
                future.complete(null);
            } else {
                future.completeExceptionally(failure);
            }
        });
    }

    /** The GPU is being closed. @throws CudaException the first failure; the rest has been given back all the same */
    private void close() {
        List<Pending> left = new ArrayList<>();
        List<Runnable> releases;
        synchronized (lock) {
            closed = true;
            pending.values().forEach(left::addAll);
            pending.clear();
            left.forEach(one -> events.push(one.event));
            releases = events.stream().<Runnable>map(event -> () -> release(event)).toList();
            events.clear();
            LockSupport.unpark(watcher);
        }
        left.forEach(one -> complete(one.future, gone(one)));
        EachOf.run(releases);
    }
}

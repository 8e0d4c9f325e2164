package dev.tilewright.gpu;

import dev.tilewright.gpu.context.Context;
import dev.tilewright.gpu.device.CudaException;
import dev.tilewright.gpu.staging.CopyThreads;
import dev.tilewright.gpu.staging.MemoryFaults;
import dev.tilewright.gpu.staging.StagingSettings;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * One copy between pageable host memory and a buffer, divided into pieces, which the caller and threads of the process
 * take one after another and copy through page-locked lanes: some are on the bus while others are copied by the
 * processor.
 */
final class StagedCopy {
    private static final int FIRST_CALLED = 2;
    /** After this many pieces a thread lets another copy have its turn. */
    private static final int TURN = 16;

    private final Context context;
    private final Staging staging;
    private final boolean up;
    private final MemorySegment host;
    private final Buffer<?> buffer;
    private final StagingSettings settings;
    /** How many threads may still be called. */
    private final AtomicInteger helpers;
    private final AtomicLong next = new AtomicLong();
    private final AtomicInteger active = new AtomicInteger();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final Thread caller = Thread.currentThread();

    /** @param up to the device @param host memory of at least 1 byte that every thread may use */
    StagedCopy(Context context, Staging staging, boolean up, MemorySegment host, Buffer<?> buffer,
            StagingSettings settings) {
        this.context = context;
        this.staging = staging;
        this.up = up;
        this.host = host;
        this.buffer = buffer;
        this.settings = settings;
        this.helpers = new AtomicInteger(settings.helpers(host.byteSize()));
    }

    /**
     * Copies all; returns when nothing touches the host memory any more, and everything has arrived. A virtual thread
     * leaves the work to others, and its carrier to other virtual threads.
     */
    void run() {
        boolean left = caller.isVirtual() && CopyThreads.execute(() -> {
            callHelpers();
            takePart(true);
        });
        if (!left) {
            callHelpers();
            takePart(true);
        }
        awaitOthers();
        Throwable thrown = failure.get();
        if (thrown != null) {
            throw rethrow(thrown);
        }
    }

    /** Waking a thread takes as long as copying much memory: who is awake wakes two, and goes to work. */
    private void callHelpers() {
        for (int i = 0; i < FIRST_CALLED && next.get() < host.byteSize() && helpers.getAndDecrement() > 0; i++) {
            CopyThreads.execute(() -> {
                callHelpers();
                takePart(false);
            });
        }
    }

    private boolean isDone() {
        // In this order: who has a piece was active before the last one was taken.
        return next.get() >= host.byteSize() && active.get() == 0;
    }

    private void awaitOthers() {
        boolean interrupted = false;
        while (!isDone()) {
            LockSupport.park(this);
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            caller.interrupt();
        }
    }

    /** @param needed whether to wait for a lane, rather than leave the copy to those who have one */
    private void takePart(boolean needed) {
        active.incrementAndGet();
        boolean again = false;
        try {
            if (next.get() < host.byteSize()) {
                again = copyThroughLane(needed);
            }
        } catch (Throwable t) {
            // Whatever it is, it is the caller's.
            failure.compareAndSet(null, t instanceof CudaException && !buffer.isOpen()
                    ? new IllegalStateException(buffer + " was closed while it was copied", t) : t);
            next.set(host.byteSize());
        } finally {
            if (again) {
                CopyThreads.execute(() -> takePart(needed));
            }
            if (active.decrementAndGet() == 0) {
                LockSupport.unpark(caller);
            }
        }
    }

    /** @return whether it has stopped in the midst of it, to let others have a turn */
    private boolean copyThroughLane(boolean needed) {
        StagingLane lane = needed ? staging.borrow() : staging.tryBorrow();
        if (lane == null) {
            return false;
        }
        try {
            long previous = context.enter();
            try {
                return up ? upload(lane) : download(lane);
            } finally {
                context.leave(previous);
            }
        } finally {
            staging.giveBack(lane);
        }
    }

    /** Where the next piece begins, or at least the end if there is none. */
    private long claim() {
        while (true) {
            long at = next.get();
            if (at >= host.byteSize() || next.compareAndSet(at, at + bytes(at))) {
                return at;
            }
        }
    }

    /** How long the piece is that begins there. */
    private long bytes(long at) {
        return settings.pieceAt(at, host.byteSize());
    }

    private boolean mayGoOn(int done) {
        return done < TURN || Thread.currentThread() == caller || !CopyThreads.othersWait();
    }

    private boolean upload(StagingLane lane) {
        int done = 0;
        boolean goOn = true;
        for (long at; goOn && (at = claim()) < host.byteSize();) {
            int number = lane.next();
            long bytes = bytes(at);
            MemorySegment.copy(host, at, lane.memory(number, bytes), 0, bytes);
            MemoryFaults.surface();
            lane.up(number, buffer, at, bytes);
            goOn = mayGoOn(++done);
        }
        lane.awaitAll();
        return !goOn;
    }

    private boolean download(StagingLane lane) {
        int done = 0;
        boolean goOn = true;
        long[] begins = new long[lane.pieces()];
        int oldest = 0;
        int sent = 0;
        while (true) {
            long at = goOn ? claim() : host.byteSize();
            boolean more = at < host.byteSize();
            if (sent - oldest == begins.length || !more && oldest < sent) {
                int number = oldest % begins.length;
                finish(lane, number, begins[number]);
                oldest++;
                goOn = mayGoOn(++done);
            }
            if (more) {
                int number = sent % begins.length;
                begins[number] = at;
                lane.down(number, buffer, at, bytes(at));
                sent++;
            } else if (oldest == sent) {
                return !goOn;
            }
        }
    }

    private void finish(StagingLane lane, int number, long at) {
        lane.await(number);
        long bytes = bytes(at);
        MemorySegment.copy(lane.memory(number, bytes), 0, host, at, bytes);
        MemoryFaults.surface();
    }

    /** The very error, and where the copy was asked for, if another thread met it. */
    private RuntimeException rethrow(Throwable thrown) {
        if (thrown.getStackTrace().length > 0 && !CopyAskedFor.isIn(thrown)) {
            thrown.addSuppressed(new CopyAskedFor());
        }
        switch (thrown) {
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            default -> throw new IllegalStateException(thrown);
        }
    }

    /** The stack of the thread that wanted a copy whose error another thread has met. */
    private static final class CopyAskedFor extends Exception {
        private static final long serialVersionUID = 1;

        private CopyAskedFor() {
            super("the copy was asked for here");
        }

        private static boolean isIn(Throwable thrown) {
            for (StackTraceElement element : thrown.getStackTrace()) {
                if (element.getMethodName().equals("run") && element.getClassName()
                        .equals(StagedCopy.class.getName())) {
                    return true;
                }
            }
            return false;
        }
    }
}

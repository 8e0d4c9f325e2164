package dev.tilewright.gpu;

import dev.tilewright.gpu.concurrent.EachOf;
import dev.tilewright.gpu.context.Context;
import dev.tilewright.gpu.context.Lease;
import dev.tilewright.gpu.staging.StagingSettings;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Semaphore;

/**
 * The page-locked memory that copies of pageable memory to and from one GPU go through: lanes, which come one by one as
 * they are needed, stay, and are given back when the GPU is closed. Safe for use by several threads.
 *
 * <p>Nothing in a lane ever waits for a stream of the application's, so each comes back soon, and no one who waits for
 * one can wait for himself.
 */
final class Staging {
    /** CU_MEMHOSTALLOC_PORTABLE, cuda.h. */
    private static final int PORTABLE = 1;
    /** CU_STREAM_NON_BLOCKING. */
    private static final int NON_BLOCKING = 1;
    /** CU_EVENT_DISABLE_TIMING. */
    private static final int DISABLE_TIMING = 2;

    private final Context context;
    private final StagingSettings settings;
    private final Semaphore permits;
    private final Deque<StagingLane> free = new ArrayDeque<>();
    /** Made with the first lane: for copies to the device, and from it. One for each is faster than several. */
    private long up;
    private long down;
    private final List<Runnable> releases = new ArrayList<>();
    private int lanes;
    private volatile boolean registered;
    private volatile boolean closed;

    Staging(Context context, StagingSettings settings) {
        this.context = context;
        this.settings = settings;
        this.permits = new Semaphore(settings.lanes(), true);
    }

    /** A lane, as soon as one is free. */
    StagingLane borrow() {
        register();
        permits.acquireUninterruptibly();
        return take();
    }

    /** A lane, if one is free now, or null. */
    StagingLane tryBorrow() {
        register();
        return permits.tryAcquire() ? take() : null;
    }

    /** Before the first lane is borrowed: what the lease does waits for all lanes. */
    private void register() {
        if (!registered) {
            synchronized (this) {
                if (!registered) {
                    Lease.ofContext(context, "the staging memory", this::close);
                    registered = true;
                }
            }
        }
    }

    private StagingLane take() {
        try {
            synchronized (this) {
                if (closed) {
                    throw new IllegalStateException(context.title() + " is closed");
                }
                StagingLane lane = free.poll();
                return lane != null ? lane : newLane();
            }
        } catch (RuntimeException | Error e) {
            permits.release();
            throw e;
        }
    }

    void giveBack(StagingLane lane) {
        lane.abandon();
        synchronized (this) {
            free.push(lane);
        }
        permits.release();
    }

    /** All or nothing: what a lane that does not come about has taken is given back at once. */
    private StagingLane newLane() {
        List<Runnable> taken = new ArrayList<>();
        try {
            if (lanes == 0) {
                up = stream(taken);
                down = stream(taken);
            }
            long bytes = settings.laneBytes();
            long address = context.ask("cuMemHostAlloc of " + bytes + " bytes of staging memory",
                    (api, out) -> api.cuMemHostAlloc(out, bytes, PORTABLE));
            taken.add(() -> context.release("cuMemFreeHost", api -> api.cuMemFreeHost(address)));
            long[] events = new long[settings.pieces()];
            for (int i = 0; i < events.length; i++) {
                long event = context.ask("cuEventCreate", (api, out) -> api.cuEventCreate(out, DISABLE_TIMING));
                events[i] = event;
                taken.add(() -> context.release("cuEventDestroy", api -> api.cuEventDestroy(event)));
            }
            releases.addAll(taken);
            lanes++;
            return new StagingLane(context, MemorySegment.ofAddress(address).reinterpret(bytes), settings.piece(), up,
                    down, events);
        } catch (RuntimeException | Error e) {
            EachOf.run(taken.reversed(), e);
            throw e;
        }
    }

    private long stream(List<Runnable> taken) {
        long made = context.ask("cuStreamCreate", (api, out) -> api.cuStreamCreate(out, NON_BLOCKING, 0));
        taken.add(() -> context.release("cuStreamDestroy", api -> api.cuStreamDestroy(made)));
        return made;
    }

    /** Bytes of page-locked memory that it has now. */
    synchronized long bytes() {
        return lanes * settings.laneBytes();
    }

    /** Waits for the copies that are under way, which fail from now on, and gives all back. */
    private void close() {
        closed = true;
        permits.acquireUninterruptibly(settings.lanes());
        try {
            synchronized (this) {
                List<Runnable> all = List.copyOf(releases);
                releases.clear();
                free.clear();
                lanes = 0;
                EachOf.run(all.reversed());
            }
        } finally {
            permits.release(settings.lanes());
        }
    }
}

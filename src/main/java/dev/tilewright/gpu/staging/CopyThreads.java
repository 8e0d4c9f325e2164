package dev.tilewright.gpu.staging;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads of the process that copy between pageable and page-locked memory, since one alone does not keep a GPU's
 * bus busy. Daemon threads, which come with the first copy that is large enough and go when there was none for a while.
 */
public final class CopyThreads {
    private static final int KEPT_SECONDS = 10;
    /** Stands for any of them. */
    public static final Thread ANY = new Thread(() -> { });
    private static final AtomicInteger NUMBER = new AtomicInteger();
    private static final ThreadPoolExecutor POOL = pool(Math.max(1, StagingSettings.configured().threads()));

    private CopyThreads() { }

    private static ThreadPoolExecutor pool(int threads) {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(threads, threads, KEPT_SECONDS, TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(), work -> Thread.ofPlatform().daemon()
                        .name("tilewright-copy-" + NUMBER.incrementAndGet()).unstarted(work));
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    /**
     * Does some work when a thread is free.
     *
     * @return false if the machine has no more threads, and it will not be done
     */
    public static boolean execute(Runnable work) {
        try {
            POOL.execute(work);
            return true;
        } catch (OutOfMemoryError e) {
            return false;
        }
    }

    /** Whether work waits: what is long lets others have a turn then. */
    public static boolean othersWait() {
        return !POOL.getQueue().isEmpty();
    }
}

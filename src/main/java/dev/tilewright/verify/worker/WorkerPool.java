package dev.tilewright.verify.worker;

import dev.tilewright.verify.CaseSet;
import dev.tilewright.verify.CaseTimes;
import dev.tilewright.verify.CheckSummary.Outcome;
import dev.tilewright.verify.CheckSummary;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Runs cases in worker processes. What goes wrong in one, a hang or a fault, is a failed case; a run ends when all of
 * its cases have, when its time is up, or when it is interrupted.
 */
public final class WorkerPool {
    /** Of the time that a run has, the end is for what the workers still have. */
    private static final int LAST_PART = 10;
    private static final Duration MOST_LAST = Duration.ofSeconds(3);

    private final String group;
    private final CaseSet cases;
    private final Consumer<CheckSummary.Entry> each;
    private final CaseTimes times;
    private final BooleanSupplier interrupted;
    private final AtomicReference<RuntimeException> problem = new AtomicReference<>();
    private long lastDraw = Long.MAX_VALUE;
    private long end = Long.MAX_VALUE;
    private long ended;

    /**
     * @param group what results are counted with
     * @param each is told of each case that has ended, in no order, by one thread at a time
     * @param interrupted whether to stop at once
     */
    public WorkerPool(String group, CaseSet cases, Consumer<CheckSummary.Entry> each, CaseTimes times,
            BooleanSupplier interrupted) {
        this.group = group;
        this.cases = cases;
        this.each = each;
        this.times = times;
        this.interrupted = interrupted;
    }

    /** Ends the run then, whatever it has done. @param until by {@link System#nanoTime} */
    public WorkerPool until(long until) {
        long time = Math.max(0, until - System.nanoTime());
        end = until;
        lastDraw = until - Math.min(time / LAST_PART, MOST_LAST.toNanos());
        return this;
    }

    /**
     * Runs the cases.
     *
     * @param workers a command for each worker
     * @param groups how many groups of cases each has at once
     * @throws dev.tilewright.MissingRequirementException if no worker can be started
     */
    public void run(List<ProcessBuilder> workers, int groups, WorkerLimits limits) {
        long begin = System.nanoTime();
        Shared shared = new Shared();
        List<Thread> threads = new ArrayList<>();
        for (ProcessBuilder worker : workers) {
            threads.add(Thread.ofPlatform().daemon().name("worker-" + (threads.size() + 1)).start(() -> {
                try {
                    new Worker(worker, groups, limits, shared).run();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                } catch (RuntimeException e) {
                    problem.compareAndSet(null, e);
                }
            }));
        }
        try {
            for (Thread thread : threads) {
                thread.join();
            }
        } catch (InterruptedException e) {
            problem.compareAndSet(null, new CancellationException("the cases were interrupted"));
            Thread.currentThread().interrupt();
        }
        times.ended(ended, System.nanoTime() - begin);
        if (problem.get() != null) {
            throw problem.get();
        }
    }

    /** How many cases have ended. */
    public long ended() {
        return ended;
    }

    private final class Shared implements Worker.Work {
        @Override
        public List<List<CaseSet.Numbered>> next(int count) {
            return System.nanoTime() - lastDraw > 0 && lastDraw != Long.MAX_VALUE ? List.of() : cases.next(count);
        }

        @Override
        public boolean isOver() {
            return true;
        }

        @Override
        public void ended(CaseSet.Numbered numbered, Outcome outcome, String detail, double seconds) {
            synchronized (WorkerPool.this) {
                ended++;
                each.accept(CheckSummary.Entry.of(group, numbered.one(), outcome, detail, seconds));
            }
        }

        @Override
        public boolean isStopped() {
            return problem.get() != null || interrupted.getAsBoolean()
                    || end != Long.MAX_VALUE && System.nanoTime() - end > 0;
        }

        @Override
        public CaseTimes times() {
            return times;
        }
    }
}

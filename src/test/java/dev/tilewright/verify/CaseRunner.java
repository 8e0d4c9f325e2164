package dev.tilewright.verify;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Checks many cases at once. Building, compiling and computing what must come out go on on all processors, for cases
 * far ahead of the one that a device runs; a device runs one case at a time, so that what goes wrong there is that
 * case's fault. Cases that follow each other and share a kernel go to one thread, which has it compiled and loaded
 * once. Results come in the order of the cases, whichever ends first.
 */
public final class CaseRunner {
    /** Compiling happens in other processes, and a thread that waits for one needs no processor. */
    private static final int THREADS_PER_PROCESSOR = 2;

    private final GroupRunner runner;

    private CaseRunner(GroupRunner runner) {
        this.runner = runner;
    }

    /** Runs random cases on a device, against the reference and a direct computation. */
    public static void run(Verification verification, String group, CaseDevice device,
            List<? extends VerifyCase> cases) {
        run(verification, group, List.of(device), cases);
    }

    /**
     * Runs random cases on several devices that differ in nothing: those of the reference are as good as processors.
     *
     * @param verification is told of each, in order, from this thread
     * @param devices at least one; each is used by one thread at a time, but for {@link CaseDevice#load} of the first
     */
    public static void run(Verification verification, String group, List<? extends CaseDevice> devices,
            List<? extends VerifyCase> cases) {
        CaseTimes times = verification.times();
        new CaseRunner(new GroupRunner(group, devices, times)).run(cases, times, verification::add);
    }

    private void run(List<? extends VerifyCase> cases, CaseTimes times, Consumer<CheckSummary.Entry> each) {
        long begin = System.nanoTime();
        int threads = Math.min(Math.max(1, cases.size()),
                THREADS_PER_PROCESSOR * Runtime.getRuntime().availableProcessors());
        AtomicInteger number = new AtomicInteger();
        try (ExecutorService workers = Executors.newFixedThreadPool(threads, work -> {
            Thread thread = new Thread(work, "verify-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        })) {
            try {
                List<Future<List<CheckSummary.Entry>>> running = new ArrayList<>();
                for (List<VerifyCase> some : ofOneKernelEach(cases)) {
                    running.add(workers.submit(() -> ofOneKernel(some)));
                }
                for (Future<List<CheckSummary.Entry>> ended : running) {
                    result(ended).forEach(each);
                }
            } finally {
                workers.shutdownNow();
            }
        }
        times.ended(cases.size(), System.nanoTime() - begin);
    }

    private static List<CheckSummary.Entry> result(Future<List<CheckSummary.Entry>> ended) {
        try {
            return ended.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CancellationException("the cases were interrupted");
        } catch (ExecutionException e) {
            // What a case throws is its result: this is an error of the machine.
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw new IllegalStateException(e.getCause());
        }
    }

    private static List<List<VerifyCase>> ofOneKernelEach(List<? extends VerifyCase> cases) {
        List<List<VerifyCase>> parts = new ArrayList<>();
        for (VerifyCase next : cases) {
            if (parts.isEmpty() || !parts.getLast().getFirst().sharesKernelWith(next)) {
                parts.add(new ArrayList<>());
            }
            parts.getLast().add(next);
        }
        return parts;
    }

    private List<CheckSummary.Entry> ofOneKernel(List<? extends VerifyCase> cases) {
        List<CheckSummary.Entry> results = new ArrayList<>();
        runner.run(cases, new CaseListener() {
            @Override
            public void begun(int number) {
                // No thread waits for it.
            }

            @Override
            public void onDevice(int number) {
                // No thread waits for it.
            }

            @Override
            public void ended(int number, CheckSummary.Entry entry, Exception error) {
                results.add(entry);
            }
        });
        return results;
    }
}

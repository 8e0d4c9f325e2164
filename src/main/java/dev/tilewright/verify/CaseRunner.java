package dev.tilewright.verify;

import dev.tilewright.builder.TileKernel;
import dev.tilewright.gpu.Driver;
import dev.tilewright.gpu.LoadedKernel;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Checks many cases at once. Building, compiling and computing what must come out go on on all processors, for cases
 * far ahead of the one that a device runs; a device runs one case at a time, so that what goes wrong there is that
 * case's fault. Cases that follow each other and share a kernel go to one thread, which has it compiled and loaded once.
 * Results come in the order of the cases, whichever ends first.
 */
final class CaseRunner {
    /** Compiling happens in other processes, and a thread that waits for one needs no processor. */
    private static final int THREADS_PER_PROCESSOR = 2;

    private final String group;
    private final Driver any;
    private final BlockingQueue<Driver> idle;
    private final CaseTimes times;

    /** @param drivers at least one; they differ in nothing */
    CaseRunner(String group, List<? extends Driver> drivers, CaseTimes times) {
        this.group = group;
        this.any = drivers.getFirst();
        this.idle = new LinkedBlockingQueue<>(drivers);
        this.times = times;
    }

    /** Runs the cases and tells of each, in order, from this thread. */
    void run(List<CopyCase> cases, Consumer<CheckSummary.Entry> each) {
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
                for (List<CopyCase> some : ofOneKernelEach(cases)) {
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

    private static List<List<CopyCase>> ofOneKernelEach(List<CopyCase> cases) {
        List<List<CopyCase>> parts = new ArrayList<>();
        for (CopyCase next : cases) {
            if (parts.isEmpty() || !parts.getLast().getFirst().sharesKernelWith(next)) {
                parts.add(new ArrayList<>());
            }
            parts.getLast().add(next);
        }
        return parts;
    }

    private List<CheckSummary.Entry> ofOneKernel(List<CopyCase> cases) {
        List<CheckSummary.Entry> results = new ArrayList<>();
        SharedKernel shared = new SharedKernel();
        for (CopyCase next : cases) {
            AutoCloseable end = results.size() == cases.size() - 1 ? shared : () -> { };
            results.add(Verification.result(group, next.toString(), () -> {
                try (end) {
                    return shared.check(next);
                }
            }));
        }
        return results;
    }

    /** The kernel of some cases, built with the first and loaded with the first that the device can run. */
    private final class SharedKernel implements AutoCloseable {
        private TileKernel kernel;
        private TileProgram program;
        private LoadedKernel loaded;

        Optional<String> check(CopyCase next) {
            Launch launch = times.get(Phase.BUILD, () -> {
                if (kernel == null) {
                    kernel = next.kernel();
                }
                return next.launchOf(kernel);
            });
            Verification.requireCapable(any, launch.program());
            times.time(Phase.COMPILE, () -> load(launch.program()));
            try (CopyCheck check = new CopyCheck(next, kernel, launch)) {
                times.time(Phase.EXPECT, check::compute);
                if (!any.definesResults()) {
                    times.time(Phase.REFERENCE, check::refer);
                }
                Driver driver = times.get(Phase.WAIT, this::driver);
                try {
                    times.time(Phase.DEVICE, () -> launch(check, driver));
                } finally {
                    idle.add(driver);
                }
                return times.get(Phase.COMPARE, check::complaint);
            }
        }

        private void launch(CopyCheck check, Driver driver) {
            if (driver == any) {
                check.launch(driver, loaded);
            } else {
                try (LoadedKernel own = driver.load(program)) {
                    check.launch(driver, own);
                }
            }
        }

        private Driver driver() {
            try {
                return idle.take();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new CancellationException("the case was interrupted");
            }
        }

        private void load(TileProgram wanted) {
            if (loaded == null || !wanted.equals(program)) {
                close();
                loaded = any.load(wanted);
                program = wanted;
                times.aKernel();
            }
        }

        @Override
        public void close() {
            if (loaded != null) {
                LoadedKernel last = loaded;
                loaded = null;
                last.close();
            }
        }
    }
}

package dev.tilewright.gputest.race;

import com.sun.management.ThreadMXBean;
import dev.tilewright.gpu.ArrayType;
import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.Kernel;
import dev.tilewright.gpu.KernelLaunch;
import dev.tilewright.gpu.Stream;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What a prepared launch costs: batches of launches and then a wait, each thread on a stream of its own, as
 * {@code launches.cpp} does it. The kernel with arguments counts, so that each launch is known to have run.
 */
final class LaunchRace {
    private static final int FACTOR = 3;
    private static final int SEED = 7;
    private static final int LAUNCHES = 500;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final Gpu gpu;
    private final RaceKernels kernels;

    LaunchRace(Gpu gpu, RaceKernels kernels) {
        this.gpu = gpu;
        this.kernels = kernels;
    }

    /**
     * One turn.
     *
     * @param whole microseconds a launch, until all streams are done
     * @param submitting the same until all threads have submitted
     * @param allocated bytes on the Java heap by all launches of the turn
     */
    record Turn(Figure whole, Figure submitting, long allocated) {
    }

    /** Times one thread's batches: nanoseconds. */
    private static final class Launcher {
        private final KernelLaunch launch;
        private final Stream stream;
        private final long[] begin;
        private final long[] submitted;
        private final long[] end;
        private long allocated;

        Launcher(KernelLaunch launch, Stream stream, int batches) {
            this.launch = launch.on(stream);
            this.stream = stream;
            this.begin = new long[batches];
            this.submitted = new long[batches];
            this.end = new long[batches];
        }

        void run(SpinBarrier barrier) {
            for (int batch = 0; batch < begin.length; batch++) {
                barrier.await();
                begin[batch] = System.nanoTime();
                submit();
                submitted[batch] = System.nanoTime();
                stream.synchronize();
                end[batch] = System.nanoTime();
            }
            // Not while it is timed: the rivals do not ask that.
            for (int batch = 0; batch < 3; batch++) {
                long before = THREADS.getCurrentThreadAllocatedBytes();
                submit();
                allocated += THREADS.getCurrentThreadAllocatedBytes() - before;
                stream.synchronize();
            }
        }

        private void submit() {
            for (int i = 0; i < LAUNCHES; i++) {
                launch.start();
            }
        }
    }

    /** Measures one turn of ours. */
    Turn turn(boolean empty, int threads, int batches) {
        int warm = batches / 5 + 1;
        List<AutoCloseable> held = new ArrayList<>();
        try (Kernel kernel = gpu.load(empty ? kernels.empty() : kernels.accumulate());
                Buffer<int[]> in = gpu.upload(
                        IntStream.range(0, RaceKernels.ELEMENTS).map(i -> Pattern.word(i, SEED)).toArray())) {
            List<Launcher> launchers = new ArrayList<>();
            List<Buffer<int[]>> totals = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                Stream stream = gpu.nonBlockingStream();
                Buffer<int[]> total = gpu.allocate(ArrayType.INTS, RaceKernels.ELEMENTS);
                held.add(stream);
                held.add(total);
                total.upload(new int[RaceKernels.ELEMENTS]);
                totals.add(total);
                KernelLaunch launch = kernel.prepare().grid(1);
                if (!empty) {
                    launch.set("total", total).set("in", in).set("factor", FACTOR).set("n", RaceKernels.ELEMENTS);
                }
                launchers.add(new Launcher(launch, stream, warm + batches));
            }
            SpinBarrier barrier = new SpinBarrier(threads);
            Together.run(threads, barrier::fail, i -> launchers.get(i).run(barrier));
            if (!empty) {
                totals.forEach(total -> expect(total.download(), LAUNCHES * (warm + batches + 3)));
            }
            return result(launchers, warm);
        } finally {
            held.reversed().forEach(Held::close);
        }
    }

    private static void expect(int[] totals, int launches) {
        for (int i = 0; i < totals.length; i++) {
            if (totals[i] != launches * FACTOR * Pattern.word(i, SEED)) {
                throw new IllegalStateException("launch: total " + i + " is wrong");
            }
        }
    }

    private static Turn result(List<Launcher> launchers, int warm) {
        int batches = launchers.getFirst().begin.length - warm;
        double[] whole = new double[batches];
        double[] submitting = new double[batches];
        for (int i = 0; i < batches; i++) {
            int batch = warm + i;
            long begin = launchers.stream().mapToLong(l -> l.begin[batch]).min().orElseThrow();
            long submitted = launchers.stream().mapToLong(l -> l.submitted[batch]).max().orElseThrow();
            long end = launchers.stream().mapToLong(l -> l.end[batch]).max().orElseThrow();
            double nanosecondsOfOne = 1e3 * LAUNCHES * launchers.size();
            whole[i] = (end - begin) / nanosecondsOfOne;
            submitting[i] = (submitted - begin) / nanosecondsOfOne;
        }
        return new Turn(Figure.of(whole), Figure.of(submitting),
                launchers.stream().mapToLong(l -> l.allocated).sum());
    }

    /** Runs one subject turn by turn and prints its rows. */
    void run(int rounds, boolean empty, int threads, double bound, Rival rival, Table table) {
        String kind = empty ? "empty" : "arguments";
        int batches = threads == 1 ? 200 : 100;
        String name = "launch " + kind + " " + threads;
        String command = name + " " + LAUNCHES + " " + batches;
        List<Turn> ours = new ArrayList<>();
        List<Figure> theirs = new ArrayList<>();
        List<Figure> theirSubmitting = new ArrayList<>();
        turn(empty, threads, batches);
        for (int round = 0; round < rounds; round++) {
            ours.add(turn(empty, threads, batches));
            var answer = rival.ask(command);
            theirs.add(answer.get(name));
            theirSubmitting.add(answer.get(name + " submitting"));
        }
        String subject = "prepared launch, " + (empty ? "empty" : "4 arguments") + ", "
                + (threads == 1 ? "1 thread" : threads + " threads and streams");
        table.time(subject, "us", Figure.ofTurns(ours.stream().map(Turn::whole).toList()), Figure.ofTurns(theirs),
                bound);
        table.time("  until submitted", "us", Figure.ofTurns(ours.stream().map(Turn::submitting).toList()),
                Figure.ofTurns(theirSubmitting), 0);
        table.zero("  allocated by its launches", "bytes", ours.stream().mapToLong(Turn::allocated).sum());
    }
}

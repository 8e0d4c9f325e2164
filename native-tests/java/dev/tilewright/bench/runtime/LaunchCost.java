package dev.tilewright.bench.runtime;

import com.sun.management.ThreadMXBean;
import dev.tilewright.bench.result.Row;
import dev.tilewright.bench.result.Spread;
import dev.tilewright.bench.result.Unit;
import dev.tilewright.bench.result.Verdict;
import dev.tilewright.bench.rival.RivalProcess;
import dev.tilewright.gpu.ArrayType;
import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.Kernel;
import dev.tilewright.gpu.Stream;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/**
 * What a prepared launch costs: batches of launches and then a wait, each thread on a stream of its own, as
 * {@code launches.cpp} does it. The kernel with arguments counts, so that each launch is known to have run.
 */
final class LaunchCost {
    private static final int SEED = 7;
    private static final int LAUNCHES = 500;
    /** Of a turn; a fifth as many and one go before, untimed. */
    private static final int BATCHES = 4;
    /** Before the first turn of a way: its code is compiled then. */
    private static final int WARM_UP_BATCHES = 40;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final Gpu gpu;
    private final RivalKernels kernels;
    private final List<Integer> cores = Cores.allowed();
    /** Ways that there are not on this machine, and why. */
    private final Map<LaunchMethod, String> absent = new EnumMap<>(LaunchMethod.class);

    LaunchCost(Gpu gpu, RivalKernels kernels) {
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
    record Turn(Spread whole, Spread submitting, long allocated) {
    }

    /** Times one thread's batches: nanoseconds. */
    private static final class Launcher {
        private final LaunchMethod.Submission submission;
        private final Stream stream;
        private final long[] begin;
        private final long[] submitted;
        private final long[] end;
        private long allocated;

        Launcher(LaunchMethod.Submission submission, Stream stream, int batches) {
            this.submission = submission;
            this.stream = stream;
            this.begin = new long[batches];
            this.submitted = new long[batches];
            this.end = new long[batches];
        }

        void run(SpinBarrier barrier) {
            for (int batch = 0; batch < begin.length; batch++) {
                barrier.await();
                begin[batch] = System.nanoTime();
                submission.submit();
                submitted[batch] = System.nanoTime();
                stream.synchronize();
                end[batch] = System.nanoTime();
            }
            // Not while it is timed: the rivals do not ask that.
            long before = THREADS.getCurrentThreadAllocatedBytes();
            submission.submit();
            allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
            stream.synchronize();
        }
    }

    /**
     * Measures one turn of a way.
     *
     * @param core the index, among the allowed cores, of the first thread's core; further threads have the next ones.
     *         Less than 0: threads are not pinned
     */
    private Turn turn(LaunchMethod way, boolean empty, int threads, int batches, int core) {
        int warm = batches / 5 + 1;
        List<AutoCloseable> held = new ArrayList<>();
        try (Kernel kernel = gpu.load(empty ? kernels.empty() : kernels.accumulate());
                Buffer<int[]> in = gpu.upload(
                        IntStream.range(0, RivalKernels.ELEMENTS).map(i -> Pattern.word(i, SEED)).toArray())) {
            List<Launcher> launchers = new ArrayList<>();
            List<Buffer<int[]>> totals = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                Stream stream = gpu.nonBlockingStream();
                Buffer<int[]> total = gpu.allocate(ArrayType.INTS, RivalKernels.ELEMENTS);
                held.add(stream);
                held.add(total);
                total.upload(new int[RivalKernels.ELEMENTS]);
                totals.add(total);
                LaunchMethod.Submission submission = way.of(kernel, stream, empty ? List.of() : List.of(total, in),
                        LAUNCHES);
                held.add(submission);
                launchers.add(new Launcher(submission, stream, warm + batches));
            }
            SpinBarrier barrier = new SpinBarrier(threads);
            ConcurrentRun.run(threads, barrier::fail, i -> {
                if (core >= 0) {
                    Cores.pin(cores.get((core + i) % cores.size()));
                }
                launchers.get(i).run(barrier);
            });
            if (!empty) {
                totals.forEach(total -> expect(total.download(), LAUNCHES * (warm + batches + 1)));
            }
            return result(launchers, warm);
        } finally {
            held.reversed().forEach(LaunchCost::close);
        }
    }

    /** Compiles the code of each way. @return the ways that this machine has */
    private List<LaunchMethod> warmUp(boolean empty, int threads) {
        List<LaunchMethod> there = new ArrayList<>();
        for (LaunchMethod way : LaunchMethod.values()) {
            if (absent.containsKey(way)) {
                continue;
            }
            try {
                turn(way, empty, threads, WARM_UP_BATCHES, -1);
                there.add(way);
            } catch (LinkageError e) {
                absent.put(way, "its library is not on the class path: "
                        + String.valueOf(e.getMessage()).lines().findFirst().orElse(""));
            }
        }
        return there;
    }

    private static void expect(int[] totals, int launches) {
        for (int i = 0; i < totals.length; i++) {
            if (totals[i] != launches * LaunchMethod.FACTOR * Pattern.word(i, SEED)) {
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
        return new Turn(Spread.of(whole), Spread.of(submitting),
                launchers.stream().mapToLong(l -> l.allocated).sum());
    }

    private static void close(AutoCloseable held) {
        try {
            held.close();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Runs one subject turn by turn. The threads of one turn are held on the same cores by every side, the next ones'
     * on the next, and who has had the first turn has the last one of the next round, so that a prepared launch and
     * C++'s are neighbours; what is said of C++ is the median of what each turn has of its neighbour's.
     *
     * @param demanded what a prepared launch may take of C++'s time, at most
     * @param before is told the number of each turn
     */
    void run(int rounds, boolean empty, int threads, double demanded, RivalProcess rival, ContenderRows rows,
            IntConsumer before) {
        String kind = empty ? "empty" : "arguments";
        String name = "launch " + kind + " " + threads;
        String command = name + " " + LAUNCHES + " " + BATCHES;
        Map<LaunchMethod, List<Turn>> ours = new EnumMap<>(LaunchMethod.class);
        List<Spread> theirs = new ArrayList<>();
        List<Spread> theirSubmitting = new ArrayList<>();
        warmUp(empty, threads).forEach(way -> ours.put(way, new ArrayList<>()));
        Consumer<ContenderRows> report = some -> report(empty, threads, demanded, theirs, theirSubmitting, ours, some);
        for (int round = 0; round < rounds; round++) {
            before.accept(round);
            int core = cores.size() < threads ? -1 : round % cores.size();
            List<Runnable> sides = new ArrayList<>();
            sides.add(() -> {
                Map<String, Spread> answer = rival.ask(core < 0 ? command : command + " " + core);
                theirs.add(answer.get(name));
                theirSubmitting.add(answer.get(name + " submitting"));
            });
            ours.forEach((way, turns) -> sides.add(() -> turns.add(turn(way, empty, threads, BATCHES, core))));
            (round % 2 == 0 ? sides : sides.reversed()).forEach(Runnable::run);
            rows.soFar(round + 1, rounds, report);
        }
        report.accept(rows);
    }

    private void report(boolean empty, int threads, double demanded, List<Spread> theirs, List<Spread> theirSubmitting,
            Map<LaunchMethod, List<Turn>> ours, ContenderRows rows) {
        String subject = (empty ? "empty kernel, " : "kernel of 4 arguments, ")
                + (threads == 1 ? "1 thread" : threads + " threads and streams");
        Verdict verdict = empty ? Verdict.NO_OUTPUT : Verdict.VERIFIED;
        rows.theirs(subject, Unit.MICROSECONDS, Turns.of(theirs), verdict);
        rows.theirs(subject + ", until submitted", Unit.MICROSECONDS, Turns.of(theirSubmitting), verdict);
        ours.forEach((way, turns) -> {
            Double atMost = way == LaunchMethod.PREPARED ? demanded : null;
            rows.turns(subject, way.side(), Unit.MICROSECONDS, turns.stream().map(Turn::whole).toList(), theirs,
                    verdict, atMost);
            rows.turns(subject + ", until submitted", way.side(), Unit.MICROSECONDS,
                    turns.stream().map(Turn::submitting).toList(), theirSubmitting, verdict, null);
        });
        absent.forEach((way, why) -> rows.add(Row.notRun("launch", subject, way.side(), Unit.MICROSECONDS, why)));
        rows.add(rows.row(subject + ", allocated on the heap", Row.OURS, Unit.BYTES,
                Spread.of(ours.get(LaunchMethod.PREPARED).stream().mapToDouble(Turn::allocated).sum()),
                Verdict.NO_OUTPUT)
                .atMost(0));
    }
}

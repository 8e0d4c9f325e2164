package dev.tilewright.bench.tune;

import dev.tilewright.BadRequestException;
import dev.tilewright.MissingRequirementException;
import dev.tilewright.Progress;
import dev.tilewright.bench.device.CopyArrays;
import dev.tilewright.bench.device.DeviceTurns;
import dev.tilewright.bench.result.Machine;
import dev.tilewright.bench.result.Spread;
import dev.tilewright.builder.ElementwiseKernel;
import dev.tilewright.builder.Preset;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.layout.ElementType;
import dev.tilewright.tuning.Measurement;
import dev.tilewright.tuning.TunedPreset;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Tunes presets on a GPU: for each and each shape of an array, finds the fastest schedule. Kernels of the next preset
 * are compiled while those of one are measured.
 *
 * @param machine what the GPU is
 * @param seed of the order of candidates, and of the data
 * @param stopped whether to end as soon as possible with what is known
 */
public record Tuner(Gpu gpu, Machine machine, long seed, Progress progress, BooleanSupplier stopped) {
    /** Processors that measuring has to itself. */
    private static final int SPARE = 2;
    private static final int MEMCPY_TURNS = 11;
    private static final int WITH_VARIANTS = 4;
    static final double WARM_UP_MILLIS = 150;
    static final double WARM_UP_MILLIS_EACH = 0.5;

    /**
     * A preset to tune.
     *
     * @param shapes of arrays, all of as many dimensions, at least one
     */
    public record Job(Preset preset, ElementType type, List<List<Long>> shapes) {
        public Job {
            shapes = List.copyOf(shapes);
        }

        int rank() {
            return shapes.getFirst().size();
        }
    }

    /**
     * What came of a preset and a shape.
     *
     * @param line what to keep
     * @param isBetter whether the schedule is another than the preset's own
     * @param complete whether all candidates were measured
     * @param faults what was wrong with candidates, a sentence each
     */
    public record Result(TunedPreset line, boolean isBetter, boolean complete, List<String> faults) { }

    /**
     * Tunes.
     *
     * @param limitNanos how long all of it may take, from now
     * @param each is given each result as soon as it is known
     * @param refused is told which preset could not be tuned, and why: a shape does not suit it or the GPU's memory,
     *     the GPU is not capable enough, or the preset as it stands makes wrong bytes
     * @throws dev.tilewright.gpu.device.CudaException if the GPU fails
     */
    public void run(List<Job> jobs, long limitNanos, Consumer<Result> each, BiConsumer<Job, RuntimeException> refused) {
        long end = System.nanoTime() + limitNanos;
        ExecutorService compilers = compilers();
        List<MadeAhead<GpuContest.Ready>> pools = new ArrayList<>();
        try {
            int left = jobs.stream().mapToInt(job -> job.shapes().size()).sum();
            for (int i = 0; i < jobs.size() && (i == 0 || !stopped.getAsBoolean()); i++) {
                // This one's, and the next one's behind them.
                while (pools.size() <= Math.min(i + 1, jobs.size() - 1)) {
                    pools.add(pool(compilers, jobs.get(pools.size())));
                }
                try (MadeAhead<GpuContest.Ready> kernels = pools.get(i)) {
                    Job job = jobs.get(i);
                    for (List<Long> shape : job.shapes()) {
                        long limit = Math.max(0, (end - System.nanoTime()) / left);
                        one(job, () -> tune(kernels, job, shape, limit), each, refused);
                        left--;
                    }
                }
            }
        } finally {
            end(compilers);
            pools.forEach(MadeAhead::close);
        }
    }

    /** Gives what comes of a job on, or why it cannot be tuned. */
    static <J, R> void one(J job, Supplier<R> tuned, Consumer<R> each, BiConsumer<J, RuntimeException> refused) {
        R result;
        try {
            result = tuned.get();
        } catch (BadRequestException | MissingRequirementException | IllegalStateException e) {
            refused.accept(job, e);
            return;
        }
        each.accept(result);
    }

    static ExecutorService compilers() {
        int threads = Math.max(1, Runtime.getRuntime().availableProcessors() - SPARE);
        return Executors.newFixedThreadPool(threads, work -> {
            Thread thread = new Thread(work, "tune-compile");
            thread.setDaemon(true);
            return thread;
        });
    }

    /** Kernels that are being compiled are loaded yet, and then there to be unloaded. */
    static void end(ExecutorService compilers) {
        compilers.shutdownNow();
        try {
            compilers.awaitTermination(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private List<Candidate> candidates(Job job) {
        return SearchSpace.of(job.preset(), job.type(), job.rank(), seed);
    }

    private MadeAhead<GpuContest.Ready> pool(ExecutorService compilers, Job job) {
        MadeAhead<GpuContest.Ready> pool = new MadeAhead<>(compilers, options -> {
            ElementwiseKernel tile = job.preset().build(job.type(), job.rank(), options);
            return new GpuContest.Ready(tile, gpu.load(tile));
        }, ready -> ready.kernel().close());
        pool.request(candidates(job).stream().map(Candidate::options).toList());
        return pool;
    }

    private Result tune(MadeAhead<GpuContest.Ready> kernels, Job job, List<Long> shape, long limitNanos) {
        long bytes = shape.stream().mapToLong(Long::longValue).reduce(job.type().bytes(), Math::multiplyExact);
        List<Candidate> candidates = candidates(job);
        // Known to be possible before memory is filled.
        kernels.get(candidates.getFirst().options()).tile();
        try (CopyArrays arrays = new CopyArrays(gpu, bytes, seed)) {
            warmUp(arrays);
            try (DeviceTurns turns = new DeviceTurns(gpu, WARM_UP_MILLIS_EACH)) {
                GpuContest contest = new GpuContest(kernels, arrays, turns, shape);
                Search.Outcome<Candidate> found = new Search<>(contest,
                        candidate -> SearchSpace.variants(job.preset(), candidate), WITH_VARIANTS, System::nanoTime,
                        stopped)
                        .run(candidates, limitNanos, progress,
                                "tuning " + job.preset().name() + " of " + (bytes >> 20) + " MiB");
                List<Spread> beside = contest.besideMemcpy(MEMCPY_TURNS, found.best());
                boolean isBetter = !found.best().equals(candidates.getFirst());
                long moved = 2 * bytes;
                double rate = rate(moved, found.bestMicros());
                Measurement measurement = new Measurement(machine.gpu(), gpu.target(),
                        machine.driver().isEmpty() ? "unknown" : machine.driver(), LocalDate.now(ZoneOffset.UTC), rate,
                        rate(moved, found.standingMicros()),
                        rate * beside.get(0).median() / beside.get(1).median(), found.turns(), found.measured());
                TunedPreset line = new TunedPreset(job.preset().name(), job.type(), shape,
                        found.best().schedule(kernels.get(found.best().options()).kernel().residentBlocks()),
                        measurement);
                return new Result(line, isBetter, found.complete(), List.copyOf(contest.faults()));
            }
        }
    }

    private static double rate(long moved, Spread micros) {
        return micros.gigabytesPerSecond(moved).median();
    }

    /** A GPU that was idle, while kernels were compiled, takes a while to raise its clocks. */
    private void warmUp(CopyArrays arrays) {
        try (DeviceTurns turns = new DeviceTurns(gpu, WARM_UP_MILLIS)) {
            turns.take(1, List.of((stream, place) -> stream.copy(arrays.source(place), arrays.result(place))));
        }
    }
}

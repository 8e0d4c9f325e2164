package dev.tilewright.bench.tune;

import dev.tilewright.BadRequestException;
import dev.tilewright.MissingRequirementException;
import dev.tilewright.Progress;
import dev.tilewright.bench.device.DeviceTurns;
import dev.tilewright.bench.device.TileArrays;
import dev.tilewright.bench.result.Machine;
import dev.tilewright.builder.Schedule;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tuning.TunedTiles;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Tunes tile kernels on a GPU: for each and each size of its tensors, finds the fastest schedule. Programs of the next
 * one are compiled while those of one are measured.
 *
 * @param machine what the GPU is
 * @param seed of the order of candidates, and of the data
 * @param stopped whether to end as soon as possible with what is known
 */
public record TileTuner(Gpu gpu, Machine machine, long seed, Progress progress, BooleanSupplier stopped) {
    private static final int WITH_VARIANTS = 2;

    /**
     * A kernel to tune.
     *
     * @param title what people call it
     * @param kernel of which no schedule is said
     * @param extents of all its dimensions, by name
     */
    public record Job(String title, TileKernel kernel, Map<String, Long> extents) {
        public Job {
            extents = Map.copyOf(extents);
        }
    }

    /**
     * What came of it.
     *
     * @param line what to keep
     * @param bytes that a launch reads and writes
     * @param complete whether all candidates were measured
     * @param faults what was wrong with candidates, a sentence each
     */
    public record Result(TunedTiles line, long bytes, boolean complete, List<String> faults) { }

    /** What is measured next: its arrays are filled, and its programs are being compiled. */
    private record Entered(Job job, TileArrays arrays, DeviceTurns turns, TileContest contest,
            List<Schedule> candidates) implements AutoCloseable {
        @Override
        public void close() {
            contest.close();
            turns.close();
            arrays.close();
        }
    }

    /**
     * Tunes.
     *
     * @param limitNanos how long all of it may take, from now
     * @param each is given each result as soon as it is known
     * @param refused is told which kernel could not be tuned, and why: its tensors do not fit the GPU, the GPU is not
     *     capable enough, or its bytes are not the executor's
     * @throws dev.tilewright.gpu.device.CudaException if the GPU fails
     */
    public void run(List<Job> jobs, long limitNanos, Consumer<Result> each, BiConsumer<Job, RuntimeException> refused) {
        long end = System.nanoTime() + limitNanos;
        ExecutorService compilers = Tuner.compilers();
        Entered next = null;
        try {
            next = enter(compilers, jobs.getFirst(), refused);
            for (int i = 0; i < jobs.size() && (i == 0 || !stopped.getAsBoolean()); i++) {
                Entered now = next;
                boolean cold = i == 0;
                next = null;
                try (now) {
                    next = i + 1 < jobs.size() ? enter(compilers, jobs.get(i + 1), refused) : null;
                    if (now != null) {
                        long limit = Math.max(0, (end - System.nanoTime()) / (jobs.size() - i));
                        Tuner.one(now.job(), () -> tune(now, cold, limit), each, refused);
                    }
                }
            }
        } finally {
            Tuner.end(compilers);
            if (next != null) {
                next.close();
            }
        }
    }

    /** Null where it cannot be tuned. */
    private Entered enter(ExecutorService compilers, Job job, BiConsumer<Job, RuntimeException> refused) {
        TileArrays arrays;
        try {
            arrays = new TileArrays(gpu, job.kernel(), job.extents(), seed);
        } catch (BadRequestException | MissingRequirementException e) {
            refused.accept(job, e);
            return null;
        }
        DeviceTurns turns = new DeviceTurns(gpu, Tuner.WARM_UP_MILLIS_EACH);
        TileContest contest = new TileContest(compilers, gpu, job.kernel(), arrays, turns);
        List<Schedule> candidates = TileSearchSpace.of(job.kernel(), job.extents(), seed);
        contest.announce(candidates);
        return new Entered(job, arrays, turns, contest, candidates);
    }

    private Result tune(Entered entered, boolean cold, long limitNanos) {
        Job job = entered.job();
        TileContest contest = entered.contest();
        if (cold) {
            warmUp(entered.arrays().bytesMoved() / 2);
        }
        Search.Outcome<Schedule> found;
        try {
            found = new Search<>(contest, best -> TileSearchSpace.variants(job.kernel(), best), WITH_VARIANTS,
                    System::nanoTime, stopped).run(entered.candidates(), limitNanos, progress,
                    "tuning " + job.title() + " of " + job.extents());
        } catch (IllegalStateException e) {
            throw new IllegalStateException(e.getMessage() + String.join("", contest.faults().stream()
                    .map(fault -> "; " + fault).toList()), e);
        }
        TunedTiles line = new TunedTiles(job.title(), job.kernel().signature(gpu.target()).bits(), job.extents(),
                found.best(), machine.gpu(), gpu.target(), machine.driver().isEmpty() ? "unknown" : machine.driver(),
                LocalDate.now(ZoneOffset.UTC), found.bestMicros().median(), found.standingMicros().median(),
                found.turns(), found.measured());
        return new Result(line, entered.arrays().bytesMoved(), found.complete(), List.copyOf(contest.faults()));
    }

    /** An idle GPU takes a while to raise its clocks. */
    private void warmUp(long bytes) {
        long each = Math.clamp(bytes, 1 << 20, 64 << 20);
        try (DeviceTurns turns = new DeviceTurns(gpu, Tuner.WARM_UP_MILLIS); var from = gpu.bytes(each);
                var to = gpu.bytes(each)) {
            turns.take(1, List.of((stream, _) -> stream.copy(from, to)));
        }
    }
}

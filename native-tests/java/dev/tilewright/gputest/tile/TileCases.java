package dev.tilewright.gputest.tile;

import dev.tilewright.Progress;
import dev.tilewright.builder.Schedule;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.compile.KernelCompiler;
import dev.tilewright.gpu.compile.Nvrtc;
import dev.tilewright.program.Launch;
import dev.tilewright.tile.drawn.Company;
import dev.tilewright.tile.drawn.DrawnDevice;
import dev.tilewright.tile.drawn.DrawnKernel;
import dev.tilewright.tile.drawn.DrawnSchedules;
import dev.tilewright.tile.drawn.Refusals;
import dev.tilewright.tile.drawn.Tally;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;
import java.util.stream.LongStream;

/**
 * Drawn tile kernels on a GPU, each by several schedules and in several launches: every byte is the executor's, and
 * what surrounds tensors is as it was; a row's bits are the same in any company. Arguments: how many kernels, how many
 * launches of each, how many kernels for rows in other company, how many of wide rows, how many like attention, how
 * many that store several times into one tensor, and the first seed. Exit code 1 where a byte differs, or where the
 * copy engine brought tiles to less than a quarter of the cases.
 */
final class TileCases {
    private static final int SCHEDULES = 4;
    private static final int MOST_SHOWN = 10;
    private static final double LEAST_COPIED = 0.25;

    private final Gpu gpu;
    private final Tally tally = new Tally();
    private final AtomicInteger cases = new AtomicInteger();
    private final AtomicInteger programs = new AtomicInteger();
    private final AtomicInteger pairs = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();
    private final AtomicInteger companies = new AtomicInteger();
    private final AtomicInteger failures = new AtomicInteger();

    private TileCases(Gpu gpu) {
        this.gpu = gpu;
    }

    public static void main(String[] arguments) {
        long kernels = Long.parseLong(arguments[0]);
        int launches = Integer.parseInt(arguments[1]);
        long rows = Long.parseLong(arguments[2]);
        long wide = Long.parseLong(arguments[3]);
        long attentions = Long.parseLong(arguments[4]);
        long stores = Long.parseLong(arguments[5]);
        long from = Long.parseLong(arguments[6]);
        KernelCompiler compiler = KernelCompiler.cachingForUser(Nvrtc.find(Progress.NONE), System.err::println);
        try (Gpu gpu = Gpu.options().compiler(compiler).open()) {
            TileCases run = new TileCases(gpu);
            double inTiles = run.each(from, kernels, seed -> run.kernel(DrawnKernel.onAnyPath(seed), launches))
                    + run.each(from, wide, seed -> run.kernel(DrawnKernel.wide(seed), 2))
                    + run.each(from, attentions, seed -> run.kernel(DrawnKernel.attention(seed), 4))
                    + run.each(from, stores, seed -> run.kernel(DrawnKernel.stores(seed), 3));
            System.out.printf(Locale.ROOT, "%d cases of %d kernels, %d programs, %.1f s: every byte the executor's, and"
                    + " poison around tensors and between rows%n", run.cases.get(), kernels + wide + attentions
                    + stores, run.programs.get(), inTiles);
            System.out.printf(Locale.ROOT, "%d pairs of schedules with different programs, %d schedules refused%n",
                    run.pairs.get(), run.refused.get());
            double inRows = run.each(from, rows, run::rows);
            System.out.printf(Locale.ROOT, "%d cases of rows in other company, of %d kernels, %.1f s%n",
                    run.companies.get(), rows, inRows);
            System.out.printf("%s%n%d failed%n%n%s", run.tally.paths(), run.failures.get(), run.tally);
            System.exit(run.failures.get() == 0 && run.tally.copied() > LEAST_COPIED ? 0 : 1);
        }
    }

    private double each(long from, long count, LongConsumer work) {
        long start = System.nanoTime();
        LongStream.range(from, from + count).parallel().forEach(seed -> {
            try {
                work.accept(seed);
            } catch (RuntimeException | AssertionError e) {
                fail("seed " + seed + ": " + e + " at " + Arrays.stream(e.getStackTrace()).findFirst()
                        .map(StackTraceElement::toString).orElse("a place that the JVM no longer tells")
                        + Optional.ofNullable(e.getCause()).map(cause -> ", from " + cause).orElse(""));
            }
        });
        return (System.nanoTime() - start) / 1e9;
    }

    private void fail(String text) {
        if (failures.incrementAndGet() <= MOST_SHOWN) {
            System.out.println("FAILED " + text);
        }
    }

    private void kernel(DrawnKernel drawn, int launches) {
        DrawnDevice.Outcome outcome = new DrawnDevice(this::run, tally).run(drawn,
                DrawnSchedules.of(drawn, SCHEDULES - 1), launches);
        if (!outcome.difference().isEmpty()) {
            fail(outcome.difference());
        }
        cases.addAndGet(outcome.cases());
        programs.addAndGet(outcome.programs());
        pairs.addAndGet(outcome.pairs());
        refused.addAndGet(outcome.refused());
    }

    private void rows(long seed) {
        Company company = new Company(DrawnKernel.apart(seed));
        List<Schedule> schedules = DrawnSchedules.of(company.kernel(), 1);
        for (Company.Choice choice : Company.Choice.values()) {
            company.run(1 + choice.ordinal() % 2, choice,
                    all -> Refusals.run(all, schedules.getFirst(), this::run),
                    some -> Refusals.run(some, schedules.getLast(), this::run)).ifPresent(difference -> {
                companies.incrementAndGet();
                if (!difference.isEmpty()) {
                    fail(difference);
                }
            });
        }
    }

    private void run(Launch launch, MemorySegment memory) {
        gpu.run(launch, List.of(memory));
    }
}

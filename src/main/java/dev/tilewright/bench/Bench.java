package dev.tilewright.bench;

import dev.tilewright.BadRequestException;
import dev.tilewright.MissingRequirementException;
import dev.tilewright.Progress;
import dev.tilewright.bench.device.MachineFacts;
import dev.tilewright.bench.result.Machine;
import dev.tilewright.bench.result.Report;
import dev.tilewright.bench.result.Row;
import dev.tilewright.bench.result.Unit;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.device.CudaException;
import dev.tilewright.gpu.device.Devices;
import dev.tilewright.gpu.device.OutOfDeviceMemoryException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * A run: opens the GPU when the first suite asks for it, collects the rows, and has a report at any time, so that one
 * that is interrupted has a valid one too. Suites run in one thread; {@link #report} may be called by another.
 */
public final class Bench implements AutoCloseable {
    private final Settings settings;
    private final Progress progress;
    private final Consumer<Row> listener;
    private final Runnable present;
    private final Supplier<Gpu> opening;
    private final String command;
    private final Instant started = Instant.now().truncatedTo(ChronoUnit.SECONDS);
    private final List<Row> rows = new ArrayList<>();
    /** What a report has beside these while turns go on. */
    private List<Row> unfinished = List.of();
    private int before;
    private Gpu gpu;
    private Machine machine = MachineFacts.ofHost();
    private volatile boolean complete;

    /**
     * @param command the words that make the report anew
     * @param listener is given each row as soon as it is known
     */
    public Bench(Settings settings, String command, Progress progress, Consumer<Row> listener) {
        this(settings, command, progress, listener, () -> Devices.probe().require(settings.gpu()),
                () -> Gpu.open(settings.gpu()));
    }

    /**
     * @param present throws where there is no GPU
     * @param opening opens the GPU when it is needed for the first time
     */
    Bench(Settings settings, String command, Progress progress, Consumer<Row> listener, Runnable present,
            Supplier<Gpu> opening) {
        this.present = present;
        this.settings = Objects.requireNonNull(settings, "settings");
        this.command = Objects.requireNonNull(command, "command");
        this.progress = Objects.requireNonNull(progress, "progress");
        this.listener = Objects.requireNonNull(listener, "listener");
        this.opening = opening;
    }

    /** How to measure. */
    public Settings settings() {
        return settings;
    }

    /** Where long work tells how far it is. */
    public Progress progress() {
        return progress;
    }

    /** The GPU, which this owns. @throws MissingRequirementException if there is none, with the reason */
    public Gpu gpu() {
        if (gpu == null) {
            gpu = opening.get();
            Machine found = MachineFacts.of(gpu);
            synchronized (rows) {
                machine = found;
            }
        }
        return gpu;
    }

    /** Whether this process has it open. */
    public boolean isGpuOpen() {
        return gpu != null;
    }

    /** What is measured on, as far as is known. */
    public Machine machine() {
        synchronized (rows) {
            return machine;
        }
    }

    /** Takes a row. */
    public void add(Row row) {
        synchronized (rows) {
            rows.add(row);
        }
        listener.accept(row);
    }

    /**
     * Takes what turns that go on have given until now, instead of what was taken before: a report that is made before
     * the suite adds the rows themselves, since the run is interrupted, has these, marked as partial.
     *
     * @param turns that each row has had @param of how many it is to have
     */
    public void soFar(int turns, int of, List<Row> some) {
        List<Row> marked = some.stream().map(row -> turns < of ? row.partial(turns, of) : row).toList();
        synchronized (rows) {
            unfinished = marked;
            before = rows.size();
        }
    }

    /** Runs suites, one after the other. What one lacks is a row of it, and the others run. */
    public void run(List<Suite> suites) {
        for (Suite suite : suites) {
            attempt(suite.name(), suite.name(), Row.OURS, Unit.GIGABYTES_PER_SECOND, () -> {
                if (suite.needsGpu() && gpu == null) {
                    present.run();
                }
                suite.run(this);
            });
            soFar(0, 0, List.of());
        }
        complete = true;
    }

    /** Does a part of a suite; what it lacks, or cannot do on this machine, becomes a row that says so. */
    public void attempt(String suite, String subject, String side, Unit unit, Runnable part) {
        try {
            part.run();
        } catch (MissingRequirementException | BadRequestException | OutOfDeviceMemoryException e) {
            add(Row.notRun(suite, subject, side, unit, sentence(e)));
        } catch (CudaException e) {
            if (gpu != null && isLost()) {
                throw e;
            }
            add(Row.notRun(suite, subject, side, unit, sentence(e)));
        }
    }

    private boolean isLost() {
        try {
            gpu.synchronize();
            return false;
        } catch (CudaException e) {
            return true;
        }
    }

    private static String sentence(RuntimeException e) {
        return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    }

    /** What is known by now. */
    public Report report() {
        synchronized (rows) {
            List<Row> all = new ArrayList<>(rows);
            Set<String> finished = rows.stream().skip(before).map(Row::key).collect(Collectors.toSet());
            unfinished.stream().filter(row -> !finished.contains(row.key())).forEach(all::add);
            return new Report(Report.FORMAT, started.toString(), command, settings.seed(), complete,
                    machine.ending(MachineFacts.clocks(machine)), all);
        }
    }

    @Override
    public void close() {
        if (gpu != null) {
            gpu.close();
        }
    }
}

package dev.tilewright.verify;

import dev.tilewright.Counted;
import dev.tilewright.builder.Preset;
import dev.tilewright.emit.CudaEmitter;
import dev.tilewright.emit.CudaSource;
import dev.tilewright.gpu.compile.KernelCompiler;
import dev.tilewright.io.FileProblem;
import dev.tilewright.layout.ElementType;
import dev.tilewright.process.Interrupts;
import dev.tilewright.program.TileProgram;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.kernel.TilePreset;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Runs checks and sums them up, in order; what a check throws is a failure of that check. */
public final class Verification {
    private static final String REPLAY = "replay";
    private static final String RECORDING = ".jsonl.gz";

    /** How it is told that a signal has ended the process of a compiler. */
    private static final Pattern KILLED = Pattern.compile("ended with signal (\\d{1,2})\\b");

    private final CheckSummary summary = new CheckSummary();
    private final CaseTimes times = new CaseTimes();
    private final Consumer<CheckSummary.Entry> listener;
    private final BooleanSupplier stopped;

    /** @param listener is notified of each check when it ends */
    public Verification(Consumer<CheckSummary.Entry> listener) {
        this(listener, () -> false);
    }

    /**
     * One that begins nothing more once it is stopped. @param stopped whether it is, safe for use by several threads
     */
    public Verification(Consumer<CheckSummary.Entry> listener, BooleanSupplier stopped) {
        this.listener = listener;
        this.stopped = stopped;
    }

    public CheckSummary summary() {
        return summary;
    }

    /** Where the time of the cases went. */
    public CaseTimes times() {
        return times;
    }

    /** Why the device cannot run the program; empty if it can. */
    static Optional<String> whyIncapable(CaseDevice device, TileProgram program) {
        if (!program.gate().admits(device.target())) {
            return Optional.of(device.name() + " is " + device.target() + ", the kernel needs "
                    + program.minimumTarget());
        }
        if (program.shared().bytes() > device.sharedMemoryPerBlock()) {
            return Optional.of(device.name() + " has " + device.sharedMemoryPerBlock()
                    + " bytes of shared memory per block, the kernel needs " + program.shared().bytes());
        }
        return Optional.empty();
    }

    /** Every preset for every target that has what it needs, on all processors. */
    public void compile(KernelCompiler compiler, List<Preset> presets, List<TilePreset> tiles, List<Target> targets) {
        List<Supplier<CheckSummary.Entry>> checks = new ArrayList<>();
        for (Target target : targets) {
            presets.stream().filter(preset -> target.supports(preset.minimumTarget())).forEach(preset ->
                    checks.add(() -> compiled(compiler, preset.name(), target,
                            () -> preset.build(ElementType.F32).program())));
            tiles.stream().filter(preset -> target.supports(preset.minimumTarget())).forEach(preset ->
                    checks.add(() -> compiled(compiler, preset.name(), target,
                            () -> preset.kernel().lowered(target, preset.extents()).program())));
        }
        atOnce(checks);
    }

    private static CheckSummary.Entry compiled(KernelCompiler compiler, String preset, Target target,
            Supplier<TileProgram> program) {
        return result("compile", preset + " for " + target, () -> {
            CudaSource source = CudaEmitter.emit(program.get());
            compiler.cubin(source.text(), source.kernelName(), target, KernelCompiler.OPTIONS);
            return Optional.empty();
        });
    }

    /**
     * The recordings of real hardware in a folder and those below it, one check a file: every row that the reference
     * models must come out as the hardware left it, and every tensor map be encoded or refused as the driver did.
     */
    public void recordings(Path folder) {
        List<Path> files = files(folder);
        if (files.isEmpty()) {
            skip(REPLAY, "recordings", 1, "there are no recordings in " + folder);
        }
        atOnce(files.stream().<Supplier<CheckSummary.Entry>>map(file ->
                () -> result(REPLAY, folder.relativize(file).toString(), () -> {
                    RecordingReplay replay = new RecordingReplay().file(file);
                    RecordingReplay.Count total = replay.total();
                    return total.disagreed() == 0 && total.agreed() > 0 ? Optional.empty() : Optional.of(
                            total.disagreed() + " of " + Counted.of(total.replayed(), "row")
                                    + (total.disagreed() == 1 ? " disagrees: " : " disagree: ")
                            + replay.disagreements());
                })).toList());
    }

    private static List<Path> files(Path folder) {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> all = Files.walk(folder)) {
            return all.filter(file -> file.toString().endsWith(RECORDING)).sorted().toList();
        } catch (IOException e) {
            throw FileProblem.of("read", folder, e);
        }
    }

    /** Checks that share nothing, in any order, told of in theirs. */
    private void atOnce(List<Supplier<CheckSummary.Entry>> checks) {
        checks.parallelStream().flatMap(check -> stopped.getAsBoolean() ? Stream.empty() : Stream.of(check.get()))
                .filter(this::counts).toList().forEach(this::record);
    }

    /** What stops the run, such as Ctrl-C, may have ended a compiler first. */
    private boolean counts(CheckSummary.Entry entry) {
        if (entry.outcome() != CheckSummary.Outcome.FAILED) {
            return true;
        }
        try {
            return !Interrupts.await(isOfASignal(entry.detail()), stopped);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return !stopped.getAsBoolean();
        }
    }

    /** Whether a compiler was ended from outside, as by Ctrl-C. */
    static boolean isOfASignal(String detail) {
        Matcher killed = KILLED.matcher(detail);
        return killed.find() && Interrupts.isSignal(Integer.parseInt(killed.group(1)));
    }

    /** Checks that cannot be made here. @param count how many */
    public void skip(String group, String family, long count, String reason) {
        summary.skip(group, family, count, reason);
    }

    /** What came of a check that was made elsewhere. */
    public void add(CheckSummary.Entry entry) {
        record(entry);
    }

    /** One check. @param body returns what is wrong, or nothing */
    public void check(String group, String name, Callable<Optional<String>> body) {
        record(result(group, name, body));
    }

    private static CheckSummary.Entry result(String group, String name, Callable<Optional<String>> body) {
        return result(ended -> new CheckSummary.Entry(group, name, ended.outcome(), ended.detail(), ended.seconds()),
                () -> Conclusion.of(body.call()));
    }

    /** What a check found. @param detail what is wrong, or why the check was skipped */
    record Conclusion(CheckSummary.Outcome outcome, String detail) {
        static Conclusion of(Optional<String> complaint) {
            return new Conclusion(complaint.isPresent() ? CheckSummary.Outcome.FAILED : CheckSummary.Outcome.PASSED,
                    complaint.orElse(""));
        }
    }

    /** How a check ended. */
    record Ended(CheckSummary.Outcome outcome, String detail, double seconds) {

        CheckSummary.Entry of(String group, VerifyCase one) {
            return CheckSummary.Entry.of(group, one, outcome, detail, seconds);
        }
    }

    /** What came of a check. @param entry what that is called */
    static CheckSummary.Entry result(Function<Ended, CheckSummary.Entry> entry, Callable<Conclusion> body) {
        long start = System.nanoTime();
        Conclusion conclusion;
        try {
            conclusion = body.call();
        } catch (Exception e) {
            conclusion = new Conclusion(CheckSummary.Outcome.FAILED, e.toString());
        }
        return entry.apply(new Ended(conclusion.outcome, conclusion.detail, (System.nanoTime() - start) / 1e9));
    }

    private void record(CheckSummary.Entry entry) {
        summary.add(entry);
        listener.accept(entry);
    }
}

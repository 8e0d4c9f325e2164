package dev.tilewright.cli.kernel;

import dev.tilewright.BadRequestException;
import dev.tilewright.builder.ElementwiseKernel;
import dev.tilewright.builder.KernelBuilder;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.PresetCatalog;
import dev.tilewright.builder.TensorCopy;
import dev.tilewright.builder.TileOption;
import dev.tilewright.cli.option.Arguments;
import dev.tilewright.cli.terminal.Terminal;
import dev.tilewright.program.Launch;
import dev.tilewright.builder.Schedule;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.kernel.TilePreset;
import dev.tilewright.verify.KernelCheck;
import dev.tilewright.verify.SmallCase;
import dev.tilewright.verify.TileLaunch;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Option;

/** A kernel in small launches that the CPU can follow step by step: of a preset, or of the user's own kernel. */
final class SmallLaunch extends BuiltKernel {
    /** Small tiles first, since they have the fewest orders. */
    private static final List<Schedule> FEW = Stream.concat(
            Stream.of(List.of(64), List.of(8, 32), List.of(256)).map(tile ->
                    Schedule.DEFAULT.with(KernelBuilder.THREADS, 32).with(TensorCopy.Builder.TILE, tile)),
            Stream.of(32, 64, 128).map(threads -> Schedule.DEFAULT.with(KernelBuilder.THREADS, threads))).toList();
    private static final List<Schedule> SMALLER = List.of(Schedule.DEFAULT,
            Schedule.DEFAULT.with(TileOption.THREADS, 32), Schedule.DEFAULT.with(TileOption.THREADS, 64),
            Schedule.DEFAULT.with(TileOption.THREADS, 128), Schedule.DEFAULT.with(TileOption.TILE, List.of(64, 64)));

    @Option(names = "--memory", paramLabel = "METHOD",
            description = "a static method of --program's class that takes an Arena and returns a List<MemorySegment>: "
                    + "the contents of the buffers of its Launch; default zeros, as large as its arguments need")
    String memory;

    SmallLaunch(Terminal terminal, PresetCatalog presets) {
        super(terminal, presets);
    }

    @Override
    boolean isOwn() {
        boolean isOwn = super.isOwn();
        if (memory != null && !isOwn) {
            throw new BadRequestException("--memory belongs to --program, and there is none");
        }
        return isOwn;
    }

    KernelCheck check() {
        if (!isOwn() && tilePreset().isEmpty()) {
            return of(preset());
        }
        return tile().filter(_ -> memory == null).map(kernel -> Arguments.read(() -> TileLaunch.small(kernel,
                small(kernel), Arguments.target(USUAL_TARGET)).check())).orElseGet(() -> of(own()));
    }

    /** Extents that are said, or that a preset's launches do not exceed. */
    private Map<String, Long> small(TileKernel kernel) {
        Map<String, Long> extents = new HashMap<>(isOwn() ? Map.of() : tilePreset().orElseThrow().most());
        extents.putAll(extents(kernel));
        return extents;
    }

    /** Of a preset, with the options that are on the command line. */
    KernelCheck of(Preset preset) {
        return KernelCheck.of(SmallCase.all(preset, schedule(), type()));
    }

    /** Of a tile kernel as it stands. */
    KernelCheck of(TilePreset preset) {
        return TileLaunch.small(preset.kernel(), preset.most(), Arguments.target(USUAL_TARGET)).check();
    }

    /**
     * Options that make a preset's launch as small as this, besides those on the command line, such as
     * {@code --threads 32}; empty where none was found, or of the user's own kernel.
     */
    Optional<String> smaller(int mostThreads) {
        if (isOwn()) {
            return Optional.empty();
        }
        if (tilePreset().isPresent()) {
            return tileSchedule() == null
                    ? SMALLER.stream().flatMap(schedule -> smaller(mostThreads, schedule).stream())
                    .findFirst() : smaller(mostThreads, Schedule.DEFAULT);
        }
        return schedule().has(KernelBuilder.THREADS) ? Optional.empty() : FEW.stream()
                .filter(few -> !schedule().has(TensorCopy.Builder.TILE) || !few.has(TensorCopy.Builder.TILE))
                .filter(few -> fits(mostThreads, () -> KernelCheck.of(List.of(SmallCase.of(preset(),
                        schedule().with(few), type()))))).map(few -> String.join(" ", few.options().entrySet().stream()
                        .map(option -> "--" + option.getKey() + " " + option.getValue()).toList())).findFirst();
    }

    /** Of a tile preset: this schedule, and one tile along each dimension of its grid where that is needed. */
    private Optional<String> smaller(int mostThreads, Schedule schedule) {
        TileKernel usual = tile().orElseThrow();
        boolean isUsual = schedule.equals(Schedule.DEFAULT);
        String asked = isUsual ? "" : "--schedule " + schedule.optionsText();
        try {
            TileKernel kernel = isUsual ? usual : usual.with(schedule);
            Map<String, Long> one = new TreeMap<>();
            kernel.grid().steps().forEach(steps -> one.put(steps.dim().name(), (long) steps.length()));
            one.putAll(extents(kernel));
            Map<String, Long> all = small(kernel);
            if (fits(mostThreads, () -> TileLaunch.small(kernel, all, Arguments.target(USUAL_TARGET)).check())) {
                return Optional.of(asked);
            }
            all.putAll(one);
            String extents = "--extents " + one.entrySet().stream().map(e -> e.getKey() + "=" + e.getValue())
                    .collect(Collectors.joining(","));
            return fits(mostThreads, () -> TileLaunch.small(kernel, all, Arguments.target(USUAL_TARGET)).check())
                    ? Optional.of((asked + " " + extents).strip()) : Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** Whether a kernel can be made so, and its first launch has no more threads than this. */
    private static boolean fits(int mostThreads, Supplier<KernelCheck> made) {
        try {
            KernelCheck check = made.get();
            return check.first((launch, _) -> launch.blocks()) * check.program().threads() <= mostThreads;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private KernelCheck of(UserProgram program) {
        return switch (program.given()) {
            case ElementwiseKernel kernel when memory == null -> KernelCheck.of(kernel);
            case Launch launch -> memory == null ? KernelCheck.of(launch)
                    : KernelCheck.of(launch, arena -> program.memory(memory, launch, arena));
            case TileKernel _ -> throw new BadRequestException("--memory is what a Launch's buffers hold, and "
                    + "--program " + program.name() + " gives a TileKernel, which runs on arrays of random numbers");
            case ElementwiseKernel _ -> throw new BadRequestException("--memory is what a Launch's buffers hold, and "
                    + "--program " + program.name() + " gives an ElementwiseKernel, which runs on "
                    + "arrays of random numbers");
            default -> throw new BadRequestException("--program " + program.name() + " gives a program, and what runs"
                    + " here is a launch of it, its grid and arguments: name a member that gives a Launch");
        };
    }
}

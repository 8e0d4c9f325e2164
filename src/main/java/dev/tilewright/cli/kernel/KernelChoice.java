package dev.tilewright.cli.kernel;

import dev.tilewright.BadRequestException;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.PresetCatalog;
import dev.tilewright.builder.Schedule;
import dev.tilewright.builder.TileOption;
import dev.tilewright.cli.option.Arguments;
import dev.tilewright.cli.terminal.Terminal;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.kernel.TilePreset;
import dev.tilewright.tile.kernel.TilePresets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The kernel that a verb works on: a preset with its options, or a kernel of the user's own in its place. */
class KernelChoice {
    private final Terminal terminal;
    private final PresetCatalog presets;
    private final PresetOptions options;

    @Parameters(index = "0", arity = "0..1", paramLabel = "PRESET",
            description = "a preset that 'tilewright list' shows")
    String preset;

    @Option(names = "--class-path", paramLabel = "PATH", split = ":",
            description = "where the classes of --program are: folders and jars, separated by colons")
    List<Path> classPath;

    @Option(names = "--program", paramLabel = "CLASS#MEMBER",
            description = "your own kernel: a static field or a static method without parameters that returns an "
                    + "ElementwiseKernel, a TileKernel, a TileProgram or a Launch, such as my.Kernels#softmax")
    String program;

    @Option(names = "--extents", paramLabel = "NAME=N", split = ",",
            description = "extents of a tile kernel's dimensions, such as columns=1024")
    Map<String, Long> extents;

    private final OptionSpec tileSchedule = OptionSpec.builder("--schedule").type(String.class).paramLabel("SCHEDULE")
            .description(scheduleHelp()).build();

    private UserProgram loaded;

    KernelChoice(Terminal terminal, PresetCatalog presets) {
        this.terminal = terminal;
        this.presets = presets;
        this.options = new PresetOptions(presets);
    }

    /** Adds the presets' options and the schedule to the verb; picocli calls this when it sets the verb up. */
    @Spec(Spec.Target.MIXEE)
    void addTo(CommandSpec verb) {
        options.addTo(verb);
        verb.addOption(tileSchedule);
    }

    /** A line for each option of tile kernels. */
    private static String[] scheduleHelp() {
        return Stream.concat(Stream.of("a tile kernel's schedule, such as 'stages=3 tile=64x128, 1 tile a block'; "
                + "default: what the lowering chooses. Its options:"), TileOption.ALL.stream().map(option ->
                option.example() + " (" + option.range() + "): " + option.help())).toArray(String[]::new);
    }

    /** A tile kernel's schedule as it is on the command line, or null. */
    String tileSchedule() {
        return tileSchedule.getValue();
    }

    /**
     * Whether it is the user's own.
     *
     * @throws BadRequestException if a preset, or what belongs to one, is there besides
     */
    boolean isOwn() {
        if (program == null) {
            requireOptionsOfPreset();
        } else if (preset != null) {
            throw new BadRequestException("name a preset or give --program, not both: got '" + preset
                    + "' and --program " + program);
        } else {
            optionOfPresets().ifPresent(option -> {
                throw new BadRequestException("--" + option
                        + " is an option of presets, and --program names a kernel that is built already: build it so");
            });
        }
        return UserProgram.isNamed(program, classPath);
    }

    private void requireOptionsOfPreset() {
        if (tilePreset().isPresent()) {
            schedule().options().keySet().stream().findFirst().ifPresent(option -> {
                throw new BadRequestException("preset '" + preset + "' is a tile kernel and has no option --" + option
                        + ": say how its program is made with --schedule, such as --schedule threads=256");
            });
        } else if (tileSchedule() != null || extents != null) {
            throw new BadRequestException((extents != null ? "--extents" : "--schedule") + " is of tile kernels, and "
                    + (preset == null ? "there is no --program that names one" : title() + " is none"));
        }
    }

    /** An option on the command line that only presets have. */
    Optional<String> optionOfPresets() {
        return schedule().options().keySet().stream().findFirst();
    }

    /** What the user's member gives; see {@link UserProgram#load}. */
    UserProgram own() {
        if (loaded == null) {
            loaded = UserProgram.load(classPath, program, terminal);
        }
        return loaded;
    }

    /** The preset that is named, where it is a tile kernel. */
    Optional<TilePreset> tilePreset() {
        return Optional.ofNullable(preset).filter(name -> presets.find(name).isEmpty()).flatMap(TilePresets::find);
    }

    /**
     * The preset's tile kernel, or the user's, by the schedule that is asked for; empty where it is another kernel.
     *
     * @param type of a preset's elements; empty for its usual one
     * @throws BadRequestException if that has what belongs to tile kernels
     */
    Optional<TileKernel> tile(Optional<ValueType> type) {
        if (!isOwn()) {
            return tilePreset().map(p -> scheduled(type.map(p::kernel).orElseGet(p::kernel)));
        }
        if (own().given() instanceof TileKernel kernel) {
            return Optional.of(scheduled(kernel));
        }
        if (tileSchedule() != null || extents != null) {
            throw new BadRequestException((extents != null ? "--extents" : "--schedule") + " is of tile kernels, and "
                    + "--program " + program + " gives another");
        }
        return Optional.empty();
    }

    private TileKernel scheduled(TileKernel kernel) {
        return tileSchedule() == null ? kernel
                : Arguments.read(() -> kernel.with(Schedule.parse(tileSchedule())));
    }

    /** Extents that are on the command line, of dimensions that the kernel has. */
    Map<String, Long> extents(TileKernel kernel) {
        Map<String, Long> named = extents == null ? Map.of() : extents;
        List<String> dims = kernel.dims().stream().map(Dim::name).toList();
        named.forEach((dim, extent) -> {
            if (!dims.contains(dim)) {
                throw new BadRequestException("--extents " + dim + "=" + extent + ": " + name() + " has dimensions "
                        + dims + ", and no '" + dim + "'");
            }
            if (extent < 0) {
                throw new BadRequestException("--extents " + dim + "=" + extent + ": an extent is 0 or more");
            }
        });
        return named;
    }

    /** The preset. @throws BadRequestException if none is named, or there is none of that name */
    Preset preset() {
        return PresetNames.require(presets, preset);
    }

    /** What is chosen of the preset's options on the command line. */
    Schedule schedule() {
        return options.schedule();
    }

    /** {@code bulk-copy}, or {@code my.Kernels#softmax}. */
    String name() {
        return preset == null ? program : preset;
    }

    /** {@code preset 'bulk-copy'}, or {@code my.Kernels#softmax}. */
    String title() {
        return preset == null ? program : "preset '" + preset + "'";
    }
}

package dev.tilewright.cli.bench;

import dev.tilewright.BadRequestException;
import dev.tilewright.Counted;
import dev.tilewright.bench.device.MachineFacts;
import dev.tilewright.bench.tune.TileTuner;
import dev.tilewright.bench.tune.Tuner;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.PresetCatalog;
import dev.tilewright.cli.kernel.PresetNames;
import dev.tilewright.cli.option.Arguments;
import dev.tilewright.cli.option.JsonVerb;
import dev.tilewright.cli.option.TimeSpan;
import dev.tilewright.cli.option.Written;
import dev.tilewright.cli.terminal.ExitCode;
import dev.tilewright.cli.terminal.Interruption;
import dev.tilewright.cli.terminal.Terminal;
import dev.tilewright.cli.terminal.TextFile;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.device.Devices;
import dev.tilewright.layout.ElementType;
import dev.tilewright.tuning.Measurement;
import dev.tilewright.tuning.TunedPreset;
import dev.tilewright.tuning.TunedTiles;
import dev.tilewright.tuning.Tuning;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code tune}: the fastest schedule of a preset or a tile kernel on this GPU, kept where applications load it. */
@Command(name = "tune", description = "Find the fastest schedule of presets, or of your own tile kernel, on this GPU "
        + "within a time limit, and store it: launches of tile kernels find it by themselves, presets that move arrays "
        + "through Tuning.load.")
public final class TuneCommand extends JsonVerb {
    private static final Pattern SHAPE = Pattern.compile("[1-9]\\d{0,11}(x[1-9]\\d{0,11}){0,4}");
    private static final long MOST_BYTES = 16L << 30;

    private final PresetCatalog presets;

    @Parameters(index = "0", arity = "0..*", paramLabel = "PRESET",
            description = "presets that 'tilewright list' shows; all: every preset that moves arrays; tiles: every "
                    + "tile kernel")
    List<String> names = List.of();

    @Option(names = "--shape", paramLabel = "ROWSxCOLS",
            description = "for presets that move arrays: dimensions of the array, outermost first; may be repeated. "
                    + "Each preset is tuned for the shapes with as many dimensions as its tile, or else the nearest "
                    + "number")
    List<String> shapes = List.of();

    @Option(names = "--type", paramLabel = "TYPE",
            description = "type of the elements, such as f32 or bf16; default f32, for a tile kernel the types that it "
                    + "is measured for")
    String type;

    @Mixin
    final TileChoice tiles;

    @Option(names = "--time", paramLabel = "TIME", defaultValue = "60s",
            description = "time limit for the whole search, such as 30s or 5m; default ${DEFAULT-VALUE}")
    String time;

    @Written
    @Option(names = "--output", paramLabel = "FILE",
            description = "where schedules are stored; keeps the file's schedules of other arrays and GPUs; default: "
                    + "tilewright/schedules.tuning beside the kernel cache")
    Path output;

    @Option(names = "--seed", paramLabel = "N", defaultValue = "1",
            description = "seed of the order in which schedules are tried, and of the data; default ${DEFAULT-VALUE}")
    long seed;

    @Option(names = "--gpu", paramLabel = "ORDINAL", defaultValue = "0",
            description = "which GPU, default ${DEFAULT-VALUE}")
    int gpu;

    /** A result as the document has it. Rates in GB/s. */
    record Line(String preset, ElementType type, List<Long> shape, String schedule, boolean better,
            boolean complete, double gigabytesPerSecond, double defaultGigabytesPerSecond,
            double memcpyGigabytesPerSecond, int turns, int candidates, List<String> faults) { }

    /** Of a tile kernel. Times in us of a launch. */
    record TileLine(String kernel, String bits, Map<String, Long> extents, String schedule, double micros,
            double defaultMicros, boolean complete, int turns, int candidates, List<String> faults) { }

    /** The document. */
    private record Report(String gpu, String output, List<Line> results, List<TileLine> tiles, List<String> refused) { }

    TuneCommand(Terminal terminal, PresetCatalog presets) {
        super(terminal);
        this.presets = presets;
        this.tiles = new TileChoice(terminal);
    }

    @Override
    public Integer call() {
        Arguments.requireOrdinal(gpu);
        long limit = TimeSpan.parse("--time", time).toNanos();
        List<TileTuner.Job> tileJobs = tiles.jobs(names, type, presets);
        List<Tuner.Job> jobs = jobs();
        if (jobs.isEmpty() && tileJobs.isEmpty()) {
            throw new BadRequestException("name a preset (see 'tilewright list'), or a tile kernel of your own: "
                    + "--class-path PATH --program CLASS#MEMBER");
        }
        Path file = output == null ? ofUser() : output;
        // What it holds is read before anything is measured: a damaged one is not found out afterwards.
        kept(file);
        if (output != null) {
            TextFile.requirePlace(file);
        }
        Devices.probe().require(gpu);
        return tune(jobs, tileJobs, limit, file);
    }

    private int tune(List<Tuner.Job> jobs, List<TileTuner.Job> tileJobs, long limit, Path file) {
        List<Tuner.Result> results = new ArrayList<>();
        List<TileTuner.Result> ofTiles = new ArrayList<>();
        List<String> refused = new ArrayList<>();
        int all = jobs.size() + tileJobs.size();
        try (Interruption interruption = new Interruption(); Gpu device = Gpu.open(gpu)) {
            // Each is kept as soon as it is known: a run that is ended has what it found.
            if (!jobs.isEmpty()) {
                new Tuner(device, MachineFacts.of(device), seed, terminal.progress(), interruption::isRequested)
                        .run(jobs, limit * jobs.size() / all, result -> {
                            results.add(result);
                            kept(file).with(List.of(result.line())).save(file);
                            show(result);
                        }, (job, why) -> refuse(job.preset().name(), why, all, refused));
            }
            if (!tileJobs.isEmpty()) {
                new TileTuner(device, MachineFacts.of(device), seed, terminal.progress(), interruption::isRequested)
                        .run(tileJobs, limit * tileJobs.size() / all, result -> {
                            ofTiles.add(result);
                            kept(file).withTiles(List.of(result.line())).save(file);
                            show(result);
                        }, (job, why) -> refuse(job.title() + " " + job.extents(), why, all, refused));
            }
            if (interruption.isRequested()) {
                terminal.note("interrupted: the best schedule so far is kept");
            }
            if (json) {
                terminal.json(new Report(device.name(), file.toString(),
                        results.stream().map(TuneCommand::line).toList(), ofTiles.stream().map(TuneCommand::line)
                        .toList(), refused));
            } else {
                terminal.result(Counted.of(results.size() + ofTiles.size(), "schedule") + " kept in " + file);
            }
        }
        return results.stream().allMatch(result -> result.faults().isEmpty()) && refused.isEmpty()
                && ofTiles.stream().allMatch(result -> result.faults().isEmpty()) ? ExitCode.OK : ExitCode.FOUND;
    }

    private void refuse(String what, RuntimeException why, int all, List<String> refused) {
        if (all == 1) {
            throw why;
        }
        refused.add(what + ": " + why.getMessage());
        terminal.note(refused.getLast());
    }

    private List<Tuner.Job> jobs() {
        List<Preset> chosen = names.contains("all") ? presets.presets() : names.stream().distinct()
                .filter(name -> !TileChoice.isTile(name, presets)).map(name -> PresetNames.require(presets, name))
                .toList();
        if (chosen.isEmpty()) {
            if (!shapes.isEmpty()) {
                throw new BadRequestException("--shape is of presets that move arrays: say the extents of a tile "
                        + "kernel's dimensions, such as --extents rows=65536,columns=4096");
            }
            return List.of();
        }
        if (shapes.isEmpty()) {
            throw new BadRequestException("preset '" + chosen.getFirst().name() + "' moves arrays: say what they have, "
                    + "with --shape ROWSxCOLS such as --shape 65536x4096");
        }
        ElementType elements = Arguments.type(type == null ? ElementType.F32.toString() : type);
        List<List<Long>> all = shapes.stream().map(text -> shape(text, elements)).toList();
        List<Tuner.Job> jobs = new ArrayList<>();
        for (Preset preset : chosen) {
            int dimensions = preset.build(elements).tile().size();
            int rank = all.stream().map(List::size).min(Comparator.comparing((Integer n) -> Math.abs(n - dimensions))
                    .thenComparing(n -> n)).orElseThrow();
            List<List<Long>> own = chosen.size() == 1 ? all
                    : all.stream().filter(shape -> shape.size() == rank).toList();
            own.stream().map(List::size).distinct().sorted().forEach(n -> jobs.add(new Tuner.Job(preset, elements,
                    own.stream().filter(shape -> shape.size() == n).distinct().toList())));
        }
        return jobs;
    }

    private static List<Long> shape(String text, ElementType elements) {
        if (!SHAPE.matcher(text).matches()) {
            throw new BadRequestException("--shape takes 1 to 5 dimensions of at least 1 such as 65536x4096, got '"
                    + text + "'");
        }
        List<Long> shape = Arrays.stream(text.split("x")).map(Long::parseLong).toList();
        double bytes = elements.bytes();
        for (long n : shape) {
            bytes *= n;
        }
        if (bytes > MOST_BYTES || bytes % Integer.BYTES != 0) {
            throw new BadRequestException("--shape takes arrays of at most 16 GiB, of a multiple of 4 bytes, and "
                    + text + " " + elements + " has " + (bytes > MOST_BYTES ? "more" : (long) bytes + " bytes"));
        }
        return shape;
    }

    private static Path ofUser() {
        return Tuning.userFile().orElseThrow(() -> new BadRequestException(
                "this user has no home folder to keep schedules in: name a file with --output FILE"));
    }

    private static Tuning kept(Path file) {
        return Files.exists(file) ? Tuning.load(file) : Tuning.EMPTY;
    }

    private void show(TileTuner.Result result) {
        TunedTiles line = result.line();
        result.faults().forEach(fault -> terminal.note(line.kernel() + " " + fault));
        if (!json) {
            terminal.result(String.format(Locale.ROOT, "%s %s: %s: %.1f us, %.0f GB/s, %.3f times as fast as by the "
                    + "lowering's choice; best of %s%s", line.kernel(), line.extentsText(), line.schedule(),
                    line.micros(), result.bytes() / line.micros() / 1e3, line.ratioToDefault(),
                    Counted.of(line.candidates(), "schedule"), result.complete() ? "" : ", time was too short for "
                            + "all"));
        }
    }

    static TileLine line(TileTuner.Result result) {
        TunedTiles line = result.line();
        return new TileLine(line.kernel(), line.bits(), line.extents(), line.schedule().toString(), line.micros(),
                line.defaultMicros(), result.complete(), line.turns(), line.candidates(), result.faults());
    }

    private void show(Tuner.Result result) {
        TunedPreset line = result.line();
        Measurement m = line.measurement();
        result.faults().forEach(fault -> terminal.note(line.preset() + " " + fault));
        if (!json) {
            terminal.result(String.format(Locale.ROOT, "%s %s %s: %s%s: %.0f GB/s, %.3f of the preset as it stands, "
                    + "%.3f of cuMemcpy; best of %s%s", line.preset(), line.type(), line.shapeText(),
                    result.isBetter() ? "" : "as it stands is best: ", line.schedule(), m.gigabytesPerSecond(),
                    m.ratioToDefault(), m.ratioToMemcpy(), Counted.of(m.candidates(), "schedule"),
                    result.complete() ? "" : ", time was too short for all"));
        }
    }

    static Line line(Tuner.Result result) {
        TunedPreset line = result.line();
        Measurement m = line.measurement();
        return new Line(line.preset(), line.type(), line.shape(), line.schedule().toString(),
                result.isBetter(), result.complete(), m.gigabytesPerSecond(),
                m.defaultGigabytesPerSecond(), m.memcpyGigabytesPerSecond(), m.turns(), m.candidates(),
                result.faults());
    }
}

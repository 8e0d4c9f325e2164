package dev.tilewright.cli;

import dev.tilewright.BadRequestException;
import dev.tilewright.Counted;
import dev.tilewright.MissingRequirementException;
import dev.tilewright.cli.option.Verb;
import dev.tilewright.cli.option.Written;
import dev.tilewright.cli.terminal.ExitCode;
import dev.tilewright.cli.terminal.Terminal;
import dev.tilewright.emit.EmitOptions;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.compile.KernelCompiler;
import dev.tilewright.gpu.device.DeviceInfo;
import dev.tilewright.gpu.device.Devices;
import dev.tilewright.ptx.Target;
import dev.tilewright.recording.DeviceDescription;
import dev.tilewright.recording.RecordingHeader;
import dev.tilewright.recording.RecordingWriter;
import dev.tilewright.recording.mechanism.EncodeRows;
import dev.tilewright.recording.mechanism.Mechanisms;
import dev.tilewright.recording.mechanism.RecordedMechanism;
import dev.tilewright.recording.mechanism.Recorder;
import dev.tilewright.tensormap.TensorMapEncoder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code record}: what this GPU does, as rows that {@code replay} holds the reference against. */
@Command(name = "record", description = "Record what this GPU does, for replay on machines without one.",
        footer = {"", "The same seed gives the same cases, and the same GPU the same file. Rows hold seeds and hashes,"
                + " not data. The file is written when it is complete."})
final class RecordCommand extends Verb {
    private static final int MOST_CASES = 1_000_000;

    @Written
    @Option(names = "--out", paramLabel = "FILE", required = true,
            description = "the recording to write, such as F.jsonl.gz; a name that ends with .gz is compressed")
    Path out;

    @Option(names = "--kind", paramLabel = "KIND", split = ",",
            description = "what to record, separated by commas; default all: encode, and every mechanism")
    List<String> kinds;

    @Option(names = "--cases", paramLabel = "N", defaultValue = "200",
            description = "rows of each kind, default ${DEFAULT-VALUE}")
    int cases;

    @Option(names = "--seed", paramLabel = "S", defaultValue = "1",
            description = "seed of the random cases, default ${DEFAULT-VALUE}")
    long seed;

    /** For tests of recording itself: a recording of the reference proves nothing of it. */
    @Option(names = "--on-reference", hidden = true)
    boolean onReference;

    RecordCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    public Integer call() {
        if (cases < 1 || cases > MOST_CASES) {
            throw new BadRequestException("--cases must be in [1, " + MOST_CASES + "], got " + cases);
        }
        Mechanisms mechanisms = new Mechanisms();
        List<String> chosen = chosen(mechanisms);
        RecordingWriter.requirePlace(out);
        try (Gpu gpu = gpu()) {
            RecordingWriter writer = new RecordingWriter(out,
                    new RecordingHeader(DeviceDescription.of(gpu), seed, chosen));
            Recorder recorder = new Recorder(gpu, seed);
            int rows = 0;
            int otherwise = 0;
            for (String kind : chosen) {
                if (kind.equals(EncodeRows.KIND)) {
                    EncodeRows.record(encoder(gpu), cases, seed, writer);
                    terminal.result(line(kind, cases, 0));
                } else {
                    Recorder.Count count = recorder.record(mechanisms.named(kind).orElseThrow(), cases, writer);
                    terminal.result(line(kind, count.rows(), count.otherwise()));
                    otherwise += count.otherwise();
                }
                rows += cases;
            }
            writer.finish();
            terminal.result("recorded " + Counted.of(rows, "row") + " in " + out
                    + (otherwise == 0 ? "" : ", " + otherwise + " of which the reference executor does otherwise"));
        }
        return ExitCode.OK;
    }

    private static String line(String kind, int rows, int otherwise) {
        return String.format("%-14s recorded %d", kind, rows)
                + (otherwise == 0 ? "" : ", otherwise by the reference executor " + otherwise);
    }

    private List<String> chosen(Mechanisms mechanisms) {
        List<String> known = new ArrayList<>(List.of(EncodeRows.KIND));
        mechanisms.all().stream().map(RecordedMechanism::kind).forEach(known::add);
        if (kinds == null) {
            return known;
        }
        for (String kind : kinds) {
            if (!known.contains(kind)) {
                throw new BadRequestException("--kind must be one of " + String.join(", ", known) + ", got '" + kind
                        + "'");
            }
        }
        return List.copyOf(new TreeSet<>(kinds));
    }

    private Gpu gpu() {
        if (onReference) {
            return Gpu.emulated();
        }
        Devices devices = Devices.probe();
        if (devices.list().isEmpty()) {
            throw new MissingRequirementException("record needs a GPU, and there is none: " + devices.why());
        }
        DeviceInfo first = devices.list().getFirst();
        if (!first.target().supports(Target.SM_90A)) {
            throw new MissingRequirementException("record needs a GPU of compute capability 9.0, whose instructions it"
                    + " records; " + first.name() + " is " + first.target());
        }
        return Gpu.options().emit(EmitOptions.BOUNDED)
                .compiler(KernelCompiler.cachingForUser(terminal.progress(), terminal::note)).open();
    }

    private static TensorMapEncoder encoder(Gpu gpu) {
        return gpu.isEmulated() ? TensorMapEncoder.java() : gpu.driverTensorMapEncoder();
    }
}

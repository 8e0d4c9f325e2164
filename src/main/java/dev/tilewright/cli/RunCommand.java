package dev.tilewright.cli;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tilewright.BadRequestException;
import dev.tilewright.MissingRequirementException;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.PresetCatalog;
import dev.tilewright.builder.Scalars;
import dev.tilewright.builder.TileKernel;
import dev.tilewright.emit.CudaEmitter;
import dev.tilewright.emit.CudaSource;
import dev.tilewright.gpu.Backend;
import dev.tilewright.gpu.DeviceInfo;
import dev.tilewright.gpu.Devices;
import dev.tilewright.gpu.Driver;
import dev.tilewright.gpu.Drivers;
import dev.tilewright.gpu.ReferenceDriver;
import dev.tilewright.gpu.TileRunner;
import dev.tilewright.io.FileSnapshot;
import dev.tilewright.io.Npy;
import dev.tilewright.io.NpyReader;
import dev.tilewright.io.NpyWriter;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Launch;
import dev.tilewright.ptx.Target;
import dev.tilewright.reference.ReferenceOptions;
import dev.tilewright.reference.banks.BankConflicts;
import dev.tilewright.reference.fault.ReferenceException;
import dev.tilewright.verify.Difference;
import dev.tilewright.verify.DirectStep;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code run}: moves a real array through a preset and writes the result. */
@Command(name = "run", description = "Load an array tile by tile through a preset, or a kernel of your own, apply its step,"
        + " write the result.")
class RunCommand implements Callable<Integer> {

    /**
     * The document.
     *
     * @param difference what {@code --check} found, or null
     * @param output the file, or null where nothing was written
     * @param milliseconds of each part of the work
     * @param bankConflicts left out where they were not asked for
     */
    private record Report(String preset, ElementType type, List<Long> shape, long bytes, Backend executor,
            String device, boolean checked, String difference, String output, Map<String, Double> milliseconds,
            @JsonInclude(JsonInclude.Include.NON_NULL) BankDocument bankConflicts) {
    }

    /** Blocks whose bank conflicts are counted, at least a cluster's. */
    private static final int BANK_BLOCKS = 8;

    private final Terminal terminal;
    private final PresetCatalog presets;
    private final Stopwatch stopwatch = new Stopwatch();
    /** Whether the result has been held against the reference's. */
    private boolean referenceCompared;
    /** What was counted, where it was asked for. */
    private Optional<BankConflicts> banks = Optional.empty();
    private Optional<CudaSource> source = Optional.empty();

    @Option(names = {"-h", "--help"}, description = "show this help, or with a preset its options, and end")
    boolean help;

    @Option(names = "--debug", description = "add the stack trace to an error message")
    boolean debug;

    @Mixin
    final PresetOptions presetOptions;

    @Mixin
    UserProgramOptions own;

    @Parameters(index = "0", arity = "0..1", paramLabel = "PRESET",
            description = "one of those that 'tilewright list' shows")
    String preset;

    @Option(names = "--input", paramLabel = "X.npy", description = "the array to load")
    Path input;

    @Written
    @Option(names = "--output", paramLabel = "Y.npy",
            description = "where the result goes; replaced only when it is whole")
    Path output;

    @Option(names = "--executor", paramLabel = "WHERE", defaultValue = "auto",
            description = "auto (the GPU when there is one), gpu or reference; default ${DEFAULT-VALUE}")
    Executor executor;

    @Option(names = "--scalar", paramLabel = "NUMBER", description = "what scale multiplies by or add adds")
    String scalar;

    @Option(names = "--type", paramLabel = "TYPE", completionCandidates = ElementTypeNames.class,
            description = "take the elements as this type of the same size, such as bf16 stored as 16-bit integers: "
                    + "${COMPLETION-CANDIDATES}; default what the file says")
    String type;

    @Option(names = "--check",
            description = "also run the reference and compute the result directly, and compare every byte")
    boolean check;

    @Option(names = "--bank-conflicts", description = "also count bank conflicts, in the first " + BANK_BLOCKS
            + " blocks on the reference executor")
    boolean bankConflicts;

    @Option(names = "--json", description = "print one JSON document, with times")
    boolean json;

    RunCommand(Terminal terminal, PresetCatalog presets) {
        this.terminal = terminal;
        this.presets = presets;
        this.presetOptions = new PresetOptions(presets);
    }

    @Override
    public Integer call() {
        if (help) {
            new RunHelp(terminal, presets)
                    .print(Optional.ofNullable(preset).map(name -> PresetNames.require(presets, name)));
            return ExitCode.OK;
        }
        boolean isOwn = own.isGiven(preset, null, presetOptions);
        Preset chosen = isOwn ? null : PresetNames.require(presets, preset);
        require(input, "name the array to load with --input X.npy");
        require(output, "name the file for the result with --output Y.npy");
        FileSnapshot before = FileSnapshot.of(input);
        try (Arena arena = Arena.ofShared()) {
            Npy array = retyped(NpyReader.open(input, arena));
            TileKernel kernel = isOwn ? own.kernelFor(array.type(), terminal)
                    : chosen.build(array.type(), array.shape().size(), presetOptions.values());
            long bits = scalarBits(kernel);
            kernel.launch(array.shape(), bits);
            stopwatch.mark("read");
            try (Driver driver = driver(kernel.program().minimumTarget())) {
                stopwatch.mark("driver");
                return run(driver, kernel, array, bits, arena, before);
            }
        } catch (InternalError e) {
            throw before.explain(e);
        }
    }

    private int run(Driver driver, TileKernel kernel, Npy array, long bits, Arena arena, FileSnapshot before) {
        // The file is laid out first, so that the result is written once, straight into it.
        try (NpyWriter writer = NpyWriter.create(output, array.type(), array.shape())) {
            MemorySegment result = writer.data();
            TileRunner.run(driver, kernel, array.shape(), bits, array.data(), result);
            stopwatch.mark("move");
            Optional<String> complaint = check ? compare(driver, kernel, array, bits, result, arena) : Optional.empty();
            stopwatch.mark("check");
            if (bankConflicts) {
                count(kernel, array, bits, arena);
                stopwatch.mark("bank conflicts");
            }
            before.requireUnchanged();
            if (complaint.isPresent()) {
                report(driver, array, complaint);
                return ExitCode.FOUND;
            }
            writer.commit();
            stopwatch.mark("write");
            report(driver, array, Optional.empty());
            return ExitCode.OK;
        }
    }

    private Npy retyped(Npy array) {
        if (type == null) {
            return array;
        }
        ElementType wanted = Arguments.type(type);
        if (wanted.bytes() != array.type().bytes()) {
            throw new BadRequestException("--type " + wanted + " has " + wanted.bytes() + " bytes per element, "
                    + input + " holds " + array.type() + " with " + array.type().bytes());
        }
        return new Npy(wanted, array.shape(), array.data());
    }

    private long scalarBits(TileKernel kernel) {
        if (kernel.scalars().isEmpty()) {
            if (scalar != null) {
                throw new BadRequestException("a " + kernel.step() + " takes no --scalar; add --step scale or add");
            }
            return 0;
        }
        require(scalar, "a step of " + kernel.step()
                + " needs --scalar NUMBER");
        return Scalars.parse(kernel.type(), scalar);
    }

    /** Where the kernel runs. A test puts a device of its own here. */
    Driver driver(Target minimum) {
        return Drivers.open(backend(minimum), terminal.progress(), terminal::note);
    }

    private Backend backend(Target minimum) {
        if (executor == Executor.REFERENCE) {
            return Backend.REFERENCE;
        }
        Devices devices = Devices.probe();
        if (devices.list().isEmpty()) {
            if (executor == Executor.GPU) {
                throw new MissingRequirementException("--executor gpu needs a GPU, and there is none: " + devices.why()
                        + "; --executor reference runs on the CPU");
            }
            terminal.note("no GPU (" + devices.why() + "): running the reference executor on the CPU");
            return Backend.REFERENCE;
        }
        DeviceInfo first = devices.list().getFirst();
        if (executor == Executor.AUTO && !first.target().supports(minimum)) {
            terminal.note(first.name() + " is " + first.target() + ", and this kernel needs " + minimum
                    + ": running the reference executor on the CPU");
            return Backend.REFERENCE;
        }
        return Backend.GPU;
    }

    /** Compares the result with a direct computation, and with the reference where something else made it. */
    private Optional<String> compare(Driver driver, TileKernel kernel, Npy array, long bits, MemorySegment result,
            Arena arena) {
        MemorySegment other = arena.allocate(result.byteSize(), 64);
        if (!driver.definesResults()) {
            try (Driver reference = new ReferenceDriver()) {
                TileRunner.run(reference, kernel, array.shape(), bits, array.data(), other);
                Optional<Difference> difference = Difference.between(other, result);
                if (difference.isPresent()) {
                    return Optional.of("the GPU and the reference differ: "
                            + difference.get().describe(array.type(), array.shape()));
                }
                referenceCompared = true;
            } catch (ReferenceException e) {
                if (e.kind() != ReferenceException.Kind.NOT_MODELLED) {
                    throw e;
                }
                terminal.note("not compared with the reference, which does not run all of this kernel: " + e.getMessage());
            }
        }
        DirectStep.apply(kernel.step(), array.type(), bits, array.data(), other);
        return Difference.between(other, result).map(d ->
                "the result and a direct computation differ: " + d.describe(array.type(), array.shape()));
    }

    private void count(TileKernel kernel, Npy array, long bits, Arena arena) {
        Launch launch = kernel.launch(array.shape(), bits).resolved();
        int cluster = launch.program().clusterBlocks();
        int blocks = Math.min(launch.blocks(), Math.ceilDiv(BANK_BLOCKS, cluster) * cluster);
        banks = Optional.of(BankConflicts.of(launch, List.of(array.data(), arena.allocate(array.data().byteSize(), 128),
                arena.allocate(kernel.workspaceBytes(launch), 128)), ReferenceOptions.DEFAULT.withFirstBlocks(blocks)));
        source = Optional.of(CudaEmitter.emit(kernel.program()));
    }

    private String name() {
        return preset == null ? own.program : preset;
    }

    private void report(Driver driver, Npy array, Optional<String> complaint) {
        String what = name() + " " + array.type() + " " + Units.shape(array.shape()) + " on " + driver.name();
        String checked = driver.definesResults() || !referenceCompared
                ? "every byte equals a direct computation"
                : "every byte equals the reference's and a direct computation's";
        if (json) {
            terminal.json(new Report(name(), array.type(), array.shape(), array.data().byteSize(), driver.backend(),
                    driver.name(), check, complaint.orElse(null), complaint.isPresent() ? null : output.toString(),
                    stopwatch.milliseconds(), banks.map(b -> BankDocument.of(b, source.orElseThrow())).orElse(null)));
        } else if (complaint.isPresent()) {
            terminal.result(what + ": " + complaint.get() + "; " + output + " not written");
        } else {
            terminal.result(what + ": " + Units.bytes(array.data().byteSize()) + " written to " + output
                    + (check ? ", " + checked : ""));
            banks.ifPresent(b -> b.lines().forEach(terminal::result));
        }
    }

    private static void require(Object value, String message) {
        if (value == null) {
            throw new BadRequestException(message);
        }
    }
}

package dev.tilewright.cli.kernel;

import dev.tilewright.BadRequestException;
import dev.tilewright.Counted;
import dev.tilewright.builder.ElementwiseKernel;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.PresetCatalog;
import dev.tilewright.cli.option.Arguments;
import dev.tilewright.cli.option.ElementTypeNames;
import dev.tilewright.cli.option.ExecutorChoice;
import dev.tilewright.cli.option.NamedFiles;
import dev.tilewright.cli.option.RunLimits;
import dev.tilewright.cli.option.Written;
import dev.tilewright.cli.terminal.ExitCode;
import dev.tilewright.cli.terminal.Stopwatch;
import dev.tilewright.cli.terminal.Terminal;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.compile.KernelCompiler;
import dev.tilewright.gpu.device.DeviceInfo;
import dev.tilewright.gpu.device.Devices;
import dev.tilewright.hazard.HazardOptions;
import dev.tilewright.io.FileSnapshot;
import dev.tilewright.io.Npy;
import dev.tilewright.io.NpyReader;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Scalars;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.reference.ReferenceOptions;
import dev.tilewright.reference.fault.ReferenceStoppedException;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.TileKernel;
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

/** {@code run}: moves a real array through a preset and writes the result. */
@Command(name = "run", description = "Load an array tile by tile through a preset or your own kernel, apply its step, "
        + "write the result.")
public class RunCommand implements Callable<Integer> {
    private final Terminal terminal;
    private final PresetCatalog presets;
    private final Stopwatch stopwatch = new Stopwatch();
    private Path input;
    private Path output;
    private String scalar;

    @Option(names = {"-h", "--help"}, description = "show this help, or with a preset its options, and end")
    boolean help;

    @Option(names = "--debug", description = "add the stack trace to an error message")
    boolean debug;

    @Mixin
    final KernelChoice chosen;

    @Mixin
    final RunLimits limits = new RunLimits();

    @Option(names = "--input", paramLabel = "X.npy", description = "the array to load; for a tile kernel that reads "
            + "several, one option each, such as a=A.npy")
    List<Path> inputs = List.of();

    @Written
    @Option(names = "--output", paramLabel = "Y.npy",
            description = "where the result goes; an existing file is replaced once the result is complete; for a "
                    + "tile kernel that writes several, one option each, such as y=Y.npy")
    List<Path> outputs = List.of();

    @Option(names = "--executor", paramLabel = "WHERE", defaultValue = "auto",
            description = "auto (the GPU when there is one), gpu or reference; default ${DEFAULT-VALUE}")
    ExecutorChoice executor;

    @Option(names = "--scalar", paramLabel = "NUMBER", description = "the number that scale multiplies by or add adds; "
            + "for a tile kernel NAME=NUMBER")
    List<String> scalars = List.of();

    @Option(names = "--type", paramLabel = "TYPE", completionCandidates = ElementTypeNames.class,
            description = "take the elements as this type of the same size, such as bf16 stored as 16-bit integers: "
                    + "${COMPLETION-CANDIDATES}; default what the file says")
    String type;

    @Option(names = "--check",
            description = "also run the reference and compute the result directly, and compare every byte")
    boolean check;

    @Option(names = "--bank-conflicts", description = "also count bank conflicts, in the first "
            + ArrayRun.BANK_BLOCKS + " blocks on the reference executor")
    boolean bankConflicts;

    @Option(names = "--json", description = "print one JSON document, with times")
    boolean json;

    public RunCommand(Terminal terminal, PresetCatalog presets) {
        this.terminal = terminal;
        this.presets = presets;
        this.chosen = new KernelChoice(terminal, presets);
    }

    @Override
    public Integer call() {
        if (help) {
            RunHelp text = new RunHelp(terminal, presets);
            chosen.tilePreset().ifPresentOrElse(text::print,
                    () -> text.print(Optional.ofNullable(chosen.preset).map(_ -> chosen.preset())));
            return ExitCode.OK;
        }
        HazardOptions limited = limits.options(terminal);
        Optional<TileKernel> tile = chosen.tile(Optional.empty());
        if (tile.isPresent()) {
            return tile(chosen.tilePreset().isPresent() ? chosen.tile(elements()).orElseThrow() : tile.get());
        }
        input = only(inputs, "--input");
        output = only(outputs, "--output");
        scalar = only(scalars, "--scalar");
        Optional<ElementwiseKernel> own = chosen.isOwn() ? Optional.of(own()) : Optional.empty();
        Optional<Preset> preset = own.isPresent() ? Optional.empty() : Optional.of(chosen.preset());
        require(input, "name the array to load with --input X.npy");
        require(output, "name the file for the result with --output Y.npy");
        FileSnapshot before = FileSnapshot.of(input);
        try (Arena arena = Arena.ofShared()) {
            Npy array = retyped(NpyReader.open(input, arena));
            own.ifPresent(kernel -> requireFor(kernel, array.type()));
            ElementwiseKernel kernel = own.orElseGet(() -> preset.orElseThrow().build(array.type(),
                    array.shape().size(), chosen.schedule()));
            long bits = scalarBits(kernel);
            kernel.launch(array.shape(), bits);
            stopwatch.mark("read");
            // Null stands for the reference executor.
            try (Gpu gpu = gpu(kernel.program().minimumTarget()).orElse(null)) {
                stopwatch.mark("driver");
                return new ArrayRun(terminal, stopwatch, chosen.name(), kernel, array, bits, Optional.ofNullable(gpu),
                        limited.limited(ReferenceOptions.DEFAULT)).run(output, new ArrayRun.Wanted(check,
                                bankConflicts, json), before, this::moved);
            }
        } catch (InternalError e) {
            throw before.explain(e);
        } catch (ReferenceStoppedException e) {
            terminal.note(RunLimits.explain(e) + "; " + output + " not written");
            return ExitCode.FOUND;
        }
    }

    private static <T> T only(List<T> values, String option) {
        if (values.size() > 1) {
            throw new BadRequestException(option + " is given " + values.size() + " times, and takes one value here");
        }
        return values.isEmpty() ? null : values.getFirst();
    }

    /** Of a tile preset's elements: as is said, or those of the first input where the preset has such. */
    private Optional<ValueType> elements() {
        if (type != null) {
            return Optional.of(Arguments.valueType(type));
        }
        return inputs.stream().findFirst().flatMap(first -> {
            try (Arena arena = Arena.ofShared()) {
                return Optional.of(ValueType.of(NpyReader.open(TileInputs.file(first), arena).type()));
            }
        }).filter(found -> chosen.tilePreset().orElseThrow().types().contains(found));
    }

    private int tile(TileKernel kernel) {
        boolean isOwn = chosen.isOwn();
        if (type != null && isOwn || bankConflicts) {
            throw new BadRequestException((type != null && isOwn ? "--type" : "--bank-conflicts") + " is of presets"
                    + " and ElementwiseKernels, and " + (isOwn ? "--program " + chosen.program + " gives a TileKernel"
                            : chosen.title() + " is a tile kernel"));
        }
        String title = (isOwn ? "--program " : "") + chosen.title();
        TileInputs read = new TileInputs("--input", title, kernel, chosen.extents(kernel));
        TileRun run = new TileRun(terminal, chosen.name(), title, kernel, read);
        try (Arena arena = Arena.ofShared()) {
            Map<Tensor, Path> results = run.results(outputs);
            NamedFiles files = new NamedFiles();
            results.values().forEach(file -> files.writing("--output", file));
            read.read(inputs, files, arena);
            read.scalars(scalars);
            try (Gpu gpu = gpu(Target.SM_80).orElse(null)) {
                return Arguments.read(() -> run.run(Optional.ofNullable(gpu), results, check, json));
            }
        }
    }

    /**
     * A kernel of the user's own that moves one array, and leaves its elements of the same type.
     *
     * @throws BadRequestException if the member gives another
     */
    private ElementwiseKernel own() {
        String program = chosen.program;
        if (!(chosen.own().given() instanceof ElementwiseKernel kernel)) {
            throw new BadRequestException("run moves an array through an ElementwiseKernel, and --program " + program
                    + " gives something else, whose buffers have no shape: launch that with Gpu.open() or "
                    + "Gpu.emulated()");
        }
        if (kernel.step().inputs() != 1 || kernel.scalars().size() > 1 || kernel.resultType() != kernel.type()) {
            throw new BadRequestException("run moves one array, with one scalar at most, into one of the same type, "
                    + "and --program " + program + " takes " + kernel.step().inputs() + " of " + kernel.type() + " and "
                    + kernel.scalars().size() + " scalars and gives " + kernel.resultType());
        }
        return kernel;
    }

    private void requireFor(ElementwiseKernel kernel, ElementType type) {
        if (kernel.type() != type) {
            throw new BadRequestException("--program " + chosen.program + " takes arrays of " + kernel.type()
                    + ", and --input is one of " + type);
        }
    }

    private Npy retyped(Npy array) {
        if (type == null) {
            return array;
        }
        ElementType wanted = Arguments.type(type);
        if (wanted.bytes() != array.type().bytes()) {
            throw new BadRequestException("--type " + wanted + " has " + Counted.of(wanted.bytes(), "byte")
                    + " per element, " + input + " holds " + array.type() + " with " + array.type().bytes());
        }
        return new Npy(wanted, array.shape(), array.data());
    }

    private long scalarBits(ElementwiseKernel kernel) {
        if (kernel.scalars().isEmpty()) {
            if (scalar != null) {
                throw new BadRequestException("a " + kernel.step() + " takes no --scalar; add --step scale or add");
            }
            return 0;
        }
        require(scalar, "a step of " + kernel.step() + " needs --scalar NUMBER");
        return Scalars.parse(kernel.type(), scalar);
    }

    /** The GPU that the kernel runs on; empty for the reference executor. */
    public Optional<Gpu> gpu(Target minimum) {
        return isForGpu(minimum) ? Optional.of(Gpu.options()
                .compiler(KernelCompiler.cachingForUser(terminal.progress(), terminal::note)).open())
                : Optional.empty();
    }

    private boolean isForGpu(Target minimum) {
        if (!executor.isForGpu(terminal::note)) {
            return false;
        }
        DeviceInfo first = Devices.probe().list().getFirst();
        if (executor == ExecutorChoice.AUTO && !first.target().supports(minimum)) {
            terminal.note(first.name() + " is " + first.target() + ", and this kernel needs " + minimum
                    + ": running the reference executor on the CPU");
            return false;
        }
        return true;
    }

    /** Is given the result before it is compared and written. For tests, which damage it. */
    public void moved(MemorySegment result) { }

    private static void require(Object value, String message) {
        if (value == null) {
            throw new BadRequestException(message);
        }
    }
}

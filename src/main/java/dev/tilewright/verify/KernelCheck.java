package dev.tilewright.verify;

import dev.tilewright.BadRequestException;
import dev.tilewright.builder.ElementwiseKernel;
import dev.tilewright.hazard.HazardOptions;
import dev.tilewright.hazard.HazardReport;
import dev.tilewright.hazard.check.HazardCheck;
import dev.tilewright.hazard.explore.Exploration;
import dev.tilewright.hazard.explore.Explorer;
import dev.tilewright.hazard.mutant.MutantResult;
import dev.tilewright.hazard.mutant.MutantRun;
import dev.tilewright.hazard.mutant.Mutants;
import dev.tilewright.hazard.mutant.MutationTarget;
import dev.tilewright.layout.Saturating;
import dev.tilewright.program.Argument;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.reference.ReferenceOptions;
import dev.tilewright.reference.banks.BankConflicts;
import dev.tilewright.tensormap.TensorFootprint;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;

/** The hazard check of a kernel in several launches, and of its mutants. */
public final class KernelCheck {
    /** Of all buffers of a launch that somebody else made. */
    private static final long MOST_BYTES = 1L << 30;
    private static final int MOST_BUFFERS = 1 << 12;
    private static final long ALIGNMENT = 256;

    private final TileProgram program;
    private final Function<Arena, List<MutationTarget>> targets;
    private final HazardOptions options;
    /** Null where it takes the buffers to know it. */
    private final Size size;

    private KernelCheck(TileProgram program, Function<Arena, List<MutationTarget>> targets) {
        this(program, targets, HazardOptions.DEFAULT, null);
    }

    private KernelCheck(TileProgram program, Function<Arena, List<MutationTarget>> targets, HazardOptions options,
            Size size) {
        this.program = program;
        this.targets = targets;
        this.options = options;
        this.size = size;
    }

    /** This check with other options; their limits are also those of runs without a check. */
    public KernelCheck with(HazardOptions others) {
        return new KernelCheck(program, targets, others, size);
    }

    /** Of a preset. @param cases of one preset with the same options, at least one; see {@link SmallCase} */
    public static KernelCheck of(List<CopyCase> cases) {
        List<CopyCase> all = List.copyOf(cases);
        return new KernelCheck(all.getFirst().kernel().program(), arena -> all.stream().map(c -> {
            Launch launch = c.launch();
            return MutationTarget.moving(launch, List.of(c.data(arena)), c.bytes(), c.kernel().workspaceBytes(launch));
        }).toList());
    }

    /**
     * Of a builder's kernel, in a launch of three blocks that goes through all of its stages; see {@link SmallCase}.
     */
    public static KernelCheck of(ElementwiseKernel kernel) {
        SmallCase.Small small = SmallCase.of(kernel);
        Launch launch = kernel.launch(small.shape(), small.scalars(), small.grid());
        return new KernelCheck(kernel.program(), arena -> List.of(MutationTarget.moving(launch,
                IntStream.range(0, kernel.step().inputs()).mapToObj(seed -> CopyCase.data(kernel.type(), small.shape(),
                        seed + 1, arena)).toList(), CopyCase.bytes(kernel.resultType(), small.shape()),
                kernel.workspaceBytes(launch))));
    }

    /**
     * Of any launch, on buffers of zeros that are as large as its arguments say.
     *
     * @throws BadRequestException if they do not
     */
    public static KernelCheck of(Launch launch) {
        List<Long> sizes = sizes(launch);
        return new KernelCheck(launch.program(), arena -> List.of(new MutationTarget(launch,
                sizes.stream().map(bytes -> arena.allocate(bytes, ALIGNMENT)).toList(),
                IntStream.range(0, sizes.size()).boxed().toList())), HazardOptions.DEFAULT,
                new Size(launch.blocks(), sizes.stream().mapToLong(Long::longValue).sum()));
    }

    /** Of any launch. @param memory makes what its buffers hold, the same each time */
    public static KernelCheck of(Launch launch, Function<Arena, List<MemorySegment>> memory) {
        return new KernelCheck(launch.program(), arena -> {
            List<MemorySegment> buffers = memory.apply(arena);
            return List.of(new MutationTarget(launch, buffers, IntStream.range(0, buffers.size()).boxed().toList()));
        });
    }

    /** What is checked. */
    public TileProgram program() {
        return program;
    }

    /** What the check says of the kernel as it is, launch by launch. */
    public List<HazardReport> reports() {
        try (Arena arena = Arena.ofShared()) {
            return targets.apply(arena).stream().map(s -> HazardCheck.check(s.launch(), s.memory(arena), options))
                    .toList();
        }
    }

    /** The bank conflicts of its first launch. */
    public BankConflicts bankConflicts() {
        return first((launch, memory) -> BankConflicts.of(launch, memory, options.limited(ReferenceOptions.DEFAULT)));
    }

    /** What every order of its first launch shows. @param mostStates after this many states the rest is left */
    public Exploration explore(int mostStates) {
        return first((launch, memory) -> Explorer.explore(launch.resolved(), memory.stream().map(m ->
                m.toArray(ValueLayout.JAVA_BYTE)).toList(), mostStates));
    }

    /** How large the first launch is. @param bytes of its buffers */
    public record Size(int blocks, long bytes) { }

    /** How large the first launch is. */
    public Size size() {
        if (size != null) {
            return size;
        }
        try (Arena arena = Arena.ofShared()) {
            MutationTarget first = targets.apply(arena).getFirst();
            return new Size(first.launch().blocks(), first.before().stream().mapToLong(MemorySegment::byteSize).sum());
        }
    }

    /** What a run makes of its first launch and the memory that the launch's buffers stand for. */
    public <R> R first(BiFunction<Launch, List<MemorySegment>, R> run) {
        try (Arena arena = Arena.ofShared()) {
            MutationTarget first = targets.apply(arena).getFirst();
            return run.apply(first.launch(), first.memory(arena));
        }
    }

    /** Tries every mutant, in the order of the edited steps. @param seeds see {@link MutantRun} */
    public void mutants(int seeds, Consumer<MutantResult> each) {
        try (Arena arena = Arena.ofShared()) {
            MutantRun run = new MutantRun(targets.apply(arena), arena, seeds, options);
            Mutants.of(program).forEach(mutant -> each.accept(run.of(mutant)));
        }
    }

    /** Bytes of each buffer: what its pointers and maps reach. */
    private static List<Long> sizes(Launch launch) {
        List<Long> sizes = new ArrayList<>();
        List<String> unsaid = new ArrayList<>();
        for (int i = 0; i < launch.arguments().size(); i++) {
            switch (launch.arguments().get(i)) {
                case Argument.Buffer(int buffer, long offset, long bytes) when bytes != Argument.Buffer.REST ->
                        atLeast(sizes, buffer, Saturating.add(offset, bytes));
                case Argument.Buffer(int buffer, long offset, long _) -> {
                    atLeast(sizes, buffer, offset);
                    unsaid.add("parameter '" + launch.program().parameters().get(i)
                            .name() + "' points to buffer " + buffer);
                }
                case Argument.Tensor(var map, int buffer, long offset) ->
                        atLeast(sizes, buffer, Saturating.add(Math.max(0, offset), TensorFootprint.bytes(map)));
                case Argument.Int _, Argument.Scalar _ -> { }
            }
        }
        if (!unsaid.isEmpty()) {
            throw new BadRequestException("kernel '" + launch.program().name() + "': " + unsaid.getFirst()
                    + " without an extent, so that it is not known how large the buffer is: give the launch"
                    + " new Argument.Buffer(BUFFER, OFFSET, BYTES)");
        }
        long all = 0;
        for (long bytes : sizes) {
            all = Saturating.add(all, bytes);
            if (all > MOST_BYTES) {
                throw new BadRequestException("kernel '" + launch.program().name()
                        + "': the buffers of this launch have"
                        + " more than " + MOST_BYTES + " bytes, and the check follows every byte: give it a smaller "
                        + "launch that goes through the same steps");
            }
        }
        return List.copyOf(sizes);
    }

    private static void atLeast(List<Long> sizes, int buffer, long bytes) {
        if (buffer >= MOST_BUFFERS) {
            throw new BadRequestException("the launch has a buffer " + buffer + ", and the check makes at most "
                    + MOST_BUFFERS + ": number the buffers from 0 on, without gaps");
        }
        while (sizes.size() <= buffer) {
            sizes.add(0L);
        }
        sizes.set(buffer, Math.max(sizes.get(buffer), bytes));
    }
}

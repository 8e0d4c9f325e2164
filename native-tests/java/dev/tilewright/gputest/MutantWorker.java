package dev.tilewright.gputest;

import dev.tilewright.builder.Presets;
import dev.tilewright.emit.EmitOptions;
import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.Kernel;
import dev.tilewright.gpu.device.CudaException;
import dev.tilewright.gputest.MutantOutcome.Kind;
import dev.tilewright.hazard.mutant.Mutant;
import dev.tilewright.hazard.mutant.Mutants;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.verify.CopyCase;
import dev.tilewright.verify.Difference;
import dev.tilewright.verify.DirectStep;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A process of its own that runs mutants of one preset on the GPU, one after the other, until there are no more or one
 * has lost the context. It prints {@code START mutant} and then {@code RESULT} with a {@link MutantOutcome} for each.
 *
 * <p>Arguments: the preset, how many launches to look at, whether to stop at the first wrong one, and names of mutants;
 * the name {@code unbroken} stands for the preset itself.
 */
final class MutantWorker {
    static final String START = "START\t";
    static final String RESULT = "RESULT\t";
    static final String UNBROKEN = "unbroken";
    /** Far more polls than a copy takes, and few enough that a hang ends soon. */
    static final EmitOptions BOUNDED = new EmitOptions(50_000);
    /** CUDA_ERROR_LAUNCH_FAILED (cuda.h): what a trap is reported as. */
    private static final int LAUNCH_FAILED = 719;

    private final Gpu gpu;
    private final CopyCase large;
    private final Launch launch;
    private final MemorySegment expected;
    private final MemorySegment actual;
    private final List<Buffer<byte[]>> buffers;
    private final SharedPoison poison;
    private final int launches;
    private final boolean stopAtFirst;

    private MutantWorker(Gpu gpu, CopyCase large, Arena arena, int launches, boolean stopAtFirst) {
        this.gpu = gpu;
        this.large = large;
        this.launches = launches;
        this.stopAtFirst = stopAtFirst;
        launch = large.launch();
        MemorySegment data = large.data(arena);
        expected = arena.allocate(large.bytes(), 64);
        DirectStep.apply(large.kernel().step(), large.type(), large.scalarBits(), data, expected);
        actual = arena.allocate(large.bytes(), 64);
        buffers = List.of(gpu.bytes(large.bytes()), gpu.bytes(large.bytes()),
                gpu.bytes(large.kernel().workspaceBytes(launch)));
        buffers.getFirst().upload(data);
        poison = new SharedPoison(gpu);
    }

    public static void main(String[] args) {
        CopyCase large = LargeCase.of(Presets.named(args[0]));
        List<Mutant> mutants = Mutants.of(large.kernel().program());
        try (Arena arena = Arena.ofShared();
                Gpu gpu = Gpu.options().emit(BOUNDED).open()) {
            MutantWorker worker = new MutantWorker(gpu, large, arena, Integer.parseInt(args[1]),
                    Boolean.parseBoolean(args[2]));
            for (String name : List.of(args).subList(3, args.length)) {
                TileProgram program = name.equals(UNBROKEN) ? large.kernel().program()
                        : mutants.stream().filter(m -> m.name().equals(name)).findFirst().orElseThrow().program();
                System.out.println(START + name);
                MutantOutcome outcome = worker.run(name, program);
                System.out.println(RESULT + outcome.line());
                System.out.flush();
                if (outcome.kind() == Kind.HANG || outcome.kind() == Kind.FAULT) {
                    // Nothing more runs in this process, and freeing would only repeat the error.
                    Runtime.getRuntime().halt(0);
                }
            }
        }
    }

    private MutantOutcome run(String name, TileProgram program) {
        Kernel kernel;
        try {
            kernel = gpu.load(program);
        } catch (RuntimeException e) {
            return outcome(name, Kind.NOT_RUN, 0, 0, 0, e.toString());
        }
        int wrong = 0;
        long wrongBytes = 0;
        int done = 0;
        try {
            while (done < launches && !(stopAtFirst && wrong > 0)) {
                buffers.get(1).fill((byte) (0xE1 + done));
                buffers.get(2).fill((byte) 0);
                poison.spread();
                kernel.prepare().allowLargerTensors().fill(new Launch(program, launch.blocks(), launch.arguments()),
                        buffers.toArray(Buffer<?>[]::new)).start();
                gpu.synchronize();
                buffers.get(1).download(actual);
                done++;
                if (expected.mismatch(actual) >= 0) {
                    wrongBytes = wrong == 0 ? Difference.between(expected, actual).orElseThrow().bytes() : wrongBytes;
                    wrong++;
                }
            }
            kernel.close();
            return outcome(name, wrong > 0 ? Kind.WRONG_BYTES : Kind.FINE, wrong, wrongBytes, done, "");
        } catch (CudaException e) {
            return outcome(name, e.error().number() == LAUNCH_FAILED ? Kind.HANG : Kind.FAULT, wrong, wrongBytes,
                    done + 1, e.getMessage());
        }
    }

    private MutantOutcome outcome(String name, Kind kind, int wrong, long wrongBytes, int done, String detail) {
        return new MutantOutcome(large.preset().name(), name, kind, wrong, wrongBytes, done, detail);
    }
}

package dev.tilewright.bench.tune;

import dev.tilewright.BadRequestException;
import dev.tilewright.bench.device.CopyArrays;
import dev.tilewright.bench.device.DeviceTurns;
import dev.tilewright.bench.result.Spread;
import dev.tilewright.builder.ElementwiseKernel;
import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.Kernel;
import dev.tilewright.gpu.KernelLaunch;
import dev.tilewright.gpu.compile.CompilationException;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Scalars;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.verify.Difference;
import dev.tilewright.verify.DirectStep;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Schedules of a preset on a GPU, on arrays of one shape. A copy's result has to be its source. What the first
 * candidate makes of a step has to come from all of them, and its beginning is computed directly besides.
 */
final class GpuContest implements Contest<Candidate> {
    /** How much of the first result is computed directly. */
    private static final long COMPUTED_BYTES = 4 << 20;
    /** What a step's scalars are. */
    private static final String SCALAR = "3";

    private final MadeAhead<Ready> kernels;
    private final CopyArrays arrays;
    private final DeviceTurns turns;
    private final List<Long> shape;
    private final List<String> faults = new ArrayList<>();
    private boolean expecting;

    /** A kernel that can be launched. */
    record Ready(ElementwiseKernel tile, Kernel kernel) { }

    GpuContest(MadeAhead<Ready> kernels, CopyArrays arrays, DeviceTurns turns, List<Long> shape) {
        this.kernels = kernels;
        this.arrays = arrays;
        this.turns = turns;
        this.shape = shape;
    }

    /** What was wrong with candidates, a sentence each. */
    List<String> faults() {
        return faults;
    }

    /** A candidate's launches, one for each pair of arrays. */
    private final class Launches implements AutoCloseable {
        private final Buffer<byte[]> workspace;
        private final List<KernelLaunch> all = new ArrayList<>();

        Launches(Candidate candidate) {
            Ready ready = kernels.get(candidate.options());
            Launch launch = launch(ready, candidate);
            workspace = ready.kernel().gpu().bytes(ready.tile().workspaceBytes(launch));
            for (int place = 0; place < arrays.pairs(); place++) {
                Buffer<byte[]> from = arrays.source(place);
                Buffer<byte[]> to = arrays.result(place);
                all.add((workspace.bytes() == 0 ? ready.kernel().prepare(launch, from, to)
                        : ready.kernel().prepare(launch, from, to, workspace)).on(turns.stream()));
            }
        }

        DeviceTurns.Work work() {
            return (_, place) -> all.get(place % all.size()).start();
        }

        @Override
        public void close() {
            workspace.close();
        }
    }

    private Launch launch(Ready ready, Candidate candidate) {
        Scalars scalars = scalars(ready.tile());
        return candidate.schedule(ready.kernel().residentBlocks()).grid()
                .map(grid -> ready.tile().launch(shape, scalars, grid))
                .orElseGet(() -> ready.tile().launch(shape, scalars));
    }

    private static Scalars scalars(ElementwiseKernel kernel) {
        Scalars scalars = Scalars.NONE;
        for (Parameter.Scalar scalar : kernel.scalars()) {
            scalars = scalars.andBits(scalar.name(), Scalars.parse(scalar.type(), SCALAR));
        }
        return scalars;
    }

    @Override
    public void announce(List<Candidate> candidates) {
        kernels.request(candidates.stream().map(Candidate::options).toList());
    }

    @Override
    public Entry enter(Candidate candidate) {
        try (Launches launches = new Launches(candidate)) {
            arrays.spoil();
            launches.all.forEach(KernelLaunch::start);
            turns.stream().synchronize();
            if (!expecting) {
                expecting = true;
                Optional<String> complaint = expect(kernels.get(candidate.options()).tile());
                if (complaint.isPresent()) {
                    return wrong(candidate, complaint.get());
                }
            }
            long differing = arrays.differing();
            return differing == 0 ? Entry.READY
                    : wrong(candidate, differing + " of " + arrays.bytes() / Integer.BYTES + " words are wrong");
        } catch (BadRequestException e) {
            return Entry.IMPOSSIBLE;
        } catch (CompilationException e) {
            return wrong(candidate, "does not compile: " + e.getMessage());
        }
    }

    private Entry wrong(Candidate candidate, String complaint) {
        faults.add(candidate.options() + ": " + complaint);
        return Entry.WRONG;
    }

    /** Keeps what the first candidate has made, if it is a step's work. @return what is wrong with it */
    private Optional<String> expect(ElementwiseKernel kernel) {
        if (kernel.step().keepsBits(kernel.type(), kernel.resultType())) {
            return Optional.empty();
        }
        long bytes = Math.min(COMPUTED_BYTES, arrays.bytes());
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment source = arena.allocate(bytes, 64);
            MemorySegment result = arena.allocate(bytes, 64);
            MemorySegment computed = arena.allocate(bytes, 64);
            arrays.source(0).slice(0, bytes).download(source);
            arrays.result(0).slice(0, bytes).download(result);
            DirectStep.apply(kernel.step(), kernel.type(), kernel.scalars().isEmpty() ? 0
                    : Scalars.parse(kernel.scalars().getFirst().type(), SCALAR), source, computed);
            Optional<Difference> difference = Difference.between(computed, result);
            if (difference.isPresent()) {
                return Optional.of("not what a direct computation gives: " + difference.get().describe(kernel.type(),
                        List.of(bytes / kernel.type().bytes())));
            }
        }
        arrays.expectResults();
        return Optional.empty();
    }

    @Override
    public List<Spread> measure(int count, List<Candidate> candidates) {
        List<Launches> all = new ArrayList<>();
        try {
            candidates.forEach(candidate -> all.add(new Launches(candidate)));
            return turns.take(count, all.stream().map(Launches::work).toList());
        } finally {
            all.forEach(Launches::close);
        }
    }

    /** µs of a candidate and of cuMemcpy, in turns; then the candidate's bytes are looked at again. */
    List<Spread> besideMemcpy(int count, Candidate candidate) {
        try (Launches launches = new Launches(candidate)) {
            return turns.take(count, List.of(launches.work(),
                    (stream, place) -> stream.copy(arrays.source(place), arrays.result(place))));
        }
    }
}

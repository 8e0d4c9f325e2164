package dev.tilewright.gpu.streaming;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.builder.BulkCopy;
import dev.tilewright.builder.CpAsyncPipeline;
import dev.tilewright.builder.ElementwiseKernel;
import dev.tilewright.builder.KernelBuilder;
import dev.tilewright.builder.TensorCopy;
import dev.tilewright.builder.TensorRebind;
import dev.tilewright.builder.VectorCopy;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.PinnedMemory;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Scalars;
import dev.tilewright.reference.Reference;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Arrays of any shape, cut anywhere, come out as the reference has the whole of them, byte for byte. */
class StreamedArraysTest {
    private static final List<ElementType> TYPES = List.of(ElementType.U8, ElementType.F16, ElementType.F32,
            ElementType.F64);

    private static KernelBuilder<?> builder(int mechanism, ElementType type, int dimensions) {
        int chunk = 16 / type.bytes();
        return switch (mechanism) {
            case 0 -> VectorCopy.of(type);
            case 1 -> BulkCopy.of(type).tile(8 * chunk);
            case 2 -> CpAsyncPipeline.of(type).tile(8 * chunk);
            case 3 -> TensorRebind.of(type).tile(4, 2 * chunk);
            default -> switch (dimensions) {
                case 1 -> TensorCopy.of(type).tile(4 * chunk);
                case 2 -> TensorCopy.of(type).tile(4, 2 * chunk);
                default -> TensorCopy.of(type).tile(2, 3, chunk);
            };
        };
    }

    private static MemorySegment reference(ElementwiseKernel kernel, List<Long> shape, List<MemorySegment> inputs,
            long bytes,
            Arena arena) {
        Launch launch = kernel.launch(shape, Scalars.NONE);
        MemorySegment output = arena.allocate(bytes);
        List<MemorySegment> memory = new ArrayList<>(inputs);
        memory.add(output);
        memory.add(arena.allocate(kernel.workspaceBytes(launch)));
        Reference.run(launch, memory);
        return output;
    }

    @Property(tries = 20)
    void equalTheReferenceForTheWhole(@ForAll @IntRange(max = 4) int mechanism,
            @ForAll @IntRange(max = 3) int typeNumber,
            @ForAll @IntRange(min = 1, max = 4) int dimensions, @ForAll @IntRange(min = 1, max = 2) int wanted,
            @ForAll @IntRange(min = 1, max = 3) int gpuCount, @ForAll @IntRange(min = 1, max = 4) int slots,
            @ForAll @IntRange(min = 1, max = 3) int threads, @ForAll boolean pinned, @ForAll long seed) {
        Random random = new Random(seed);
        // The maps that it makes are for one.
        int sources = mechanism == 3 ? 1 : wanted;
        ElementType type = TYPES.get(typeNumber);
        List<Long> shape = new ArrayList<>();
        for (int d = 1; d < dimensions; d++) {
            shape.add(1L + random.nextInt(d == 1 ? 40 : 5));
        }
        boolean tensor = mechanism >= 3 && !(mechanism == 4 && dimensions == 1);
        long row = dimensions == 1 ? 1 + random.nextInt(3000) : 1 + random.nextInt(60);
        shape.add(tensor ? Math.ceilDiv(row * type.bytes(), 16L) * 16 / type.bytes() : row);
        KernelBuilder<?> builder = builder(mechanism, type, Math.min(dimensions, 3));
        ElementwiseKernel kernel = (sources == 1 ? builder.step(x -> x.plus(x))
                : builder.step((x, y) -> x.plus(y))).build();
        long bytes = shape.stream().reduce((long) type.bytes(), (x, y) -> x * y);
        List<Gpu> gpus = Gpu.emulated(gpuCount);
        try (Arena arena = Arena.ofShared()) {
            List<MemorySegment> inputs = new ArrayList<>();
            for (int i = 0; i < sources; i++) {
                byte[] content = new byte[(int) bytes];
                random.nextBytes(content);
                MemorySegment input = arena.allocate(bytes, 8);
                input.copyFrom(MemorySegment.ofArray(content));
                inputs.add(input);
            }
            MemorySegment expected = reference(kernel, shape, inputs, bytes, arena);
            Streamer streamer = Streamer.on(gpus).slab(1 + random.nextLong(2 * bytes)).slots(slots).threads(threads);
            if (pinned) {
                try (PinnedMemory output = gpus.getFirst().pinned(bytes)) {
                    streamer.run(kernel, Scalars.NONE, shape, inputs.stream().map(HostSource::of).toList(),
                            HostTarget.of(output.segment()));
                    assertEquals(-1, expected.mismatch(output.segment()));
                }
            } else {
                streamer.run(kernel, Scalars.NONE, shape, inputs.stream().map(HostSource::of).toList(),
                        HostTarget.of(inputs.getLast()));
                assertEquals(-1, expected.mismatch(inputs.getLast()));
            }
        } finally {
            gpus.forEach(Gpu::close);
        }
    }
}

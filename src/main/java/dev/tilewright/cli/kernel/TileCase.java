package dev.tilewright.cli.kernel;

import dev.tilewright.program.Launch;
import dev.tilewright.program.Scalars;
import dev.tilewright.program.array.ArrayShape;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Steps;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.verify.KernelCheck;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A small launch of a tile kernel on random numbers: three tiles along each dimension of its grid, the last of them cut
 * off, where tiles are small; two where they are not.
 */
record TileCase(TileKernel kernel, Map<String, Long> extents) {
    private static final int SMALL = 64;
    private static final long OTHERS = 40;
    private static final int MULTIPROCESSORS = 2;
    private static final long ALIGNMENT = 256;

    /** @param given extents that are not left to the case */
    static TileCase of(TileKernel kernel, Map<String, Long> given) {
        Map<String, Long> extents = new HashMap<>();
        kernel.dims().forEach(dim -> extents.put(dim.name(), OTHERS));
        for (Steps steps : kernel.grid().steps()) {
            extents.replace(steps.dim().name(), (steps.length() <= SMALL ? 2L : 1L) * steps.length() + 1);
        }
        extents.putAll(given);
        return new TileCase(kernel, extents);
    }

    private ArrayShape shape(Tensor tensor) {
        return ArrayShape.dense(tensor.dims().stream().map(this::extent).toList());
    }

    private long extent(Dim dim) {
        return dim.size().orElseGet(() -> extents.get(dim.name()));
    }

    KernelCheck check(Target target) {
        Map<String, ArrayShape> shapes = new HashMap<>();
        kernel.tensors().forEach(tensor -> shapes.put(tensor.name(), shape(tensor)));
        Scalars scalars = Scalars.NONE;
        for (Parameter.Scalar scalar : kernel.scalars()) {
            scalars = scalars.and(scalar.name(), 2);
        }
        Launch launch = kernel.launch(shapes, scalars, target, MULTIPROCESSORS);
        return KernelCheck.of(launch, this::memory);
    }

    private List<MemorySegment> memory(Arena arena) {
        Random random = new Random(1);
        return kernel.tensors().stream().map(tensor -> {
            ValueType type = tensor.type();
            long count = shape(tensor).reach();
            MemorySegment segment = arena.allocate(Math.max(1, count * type.bytes()), ALIGNMENT);
            for (long i = 0; i < count * type.bytes(); i += type.bytes()) {
                long word = type.isFloat() ? ((Value.Const) Value.of(type, random.nextGaussian())).word()
                        : random.nextInt(12);
                for (int b = 0; b < type.bytes(); b++) {
                    segment.set(ValueLayout.JAVA_BYTE, i + b, (byte) (word >> Byte.SIZE * b));
                }
            }
            return segment;
        }).toList();
    }
}

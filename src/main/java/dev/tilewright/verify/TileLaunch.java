package dev.tilewright.verify;

import dev.tilewright.layout.ElementType;
import dev.tilewright.layout.Saturating;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Scalars;
import dev.tilewright.program.array.ArrayShape;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.CpuLaunch;
import dev.tilewright.tile.MatrixArithmetic;
import dev.tilewright.tile.Steps;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.TileNode;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * A launch of a tile kernel on dense tensors of random numbers. Buffer {@code i} is tensor {@code i}.
 *
 * @param extents of its dimensions, by name
 * @param target whose program it is
 * @param multiprocessors of the GPU: see {@link TileKernel#launch}
 */
public record TileLaunch(TileKernel kernel, Map<String, Long> extents, Target target, int multiprocessors) {
    private static final int SMALL = 32;
    /** Of other dimensions: several steps of a loop, the last of them cut off. */
    private static final long OTHERS = 144;
    /** What is left of the last tile: whole accesses of 16 bytes, of elements of any size. */
    private static final int REST = 16;
    private static final int MULTIPROCESSORS = 2;
    private static final long ALIGNMENT = 256;
    /** What a launch gives for each scalar. */
    private static final int SCALAR = 2;
    private static final int INTEGERS = 12;

    public TileLaunch {
        extents = Collections.unmodifiableMap(new TreeMap<>(extents));
    }

    /**
     * A small one: three tiles along each dimension of the grid, the last of them cut off, where tiles are small; two
     * where they are not.
     *
     * @param given extents that are not left to it
     */
    public static TileLaunch small(TileKernel kernel, Map<String, Long> given, Target target) {
        Map<String, Long> extents = new HashMap<>();
        kernel.dims().forEach(dim -> extents.put(dim.name(), OTHERS));
        for (Steps steps : kernel.grid().steps()) {
            extents.replace(steps.dim().name(), (steps.length() <= SMALL ? 2L : 1L) * steps.length()
                    + (steps.length() > REST ? REST : 1));
        }
        extents.putAll(given);
        return new TileLaunch(kernel, extents, target, MULTIPROCESSORS);
    }

    /** A tensor's extents, outermost first. */
    List<Long> shape(Tensor tensor) {
        return kernel.shape(tensor, extents);
    }

    /** The memory of a tensor in a case. @param contents what it holds before, unless the kernel writes all of it */
    CaseBuffer buffer(Tensor tensor, Consumer<MemorySegment> contents) {
        return switch (tensor.role()) {
            case IN -> CaseBuffer.input(tensor.name(), elements(tensor), shape(tensor), contents);
            case OUT -> CaseBuffer.result(tensor.name(), elements(tensor), shape(tensor));
            case IN_OUT -> CaseBuffer.changed(tensor.name(), elements(tensor), shape(tensor), contents);
        };
    }

    /** Its elements, as arrays have them: of types that arrays do not have, integers of as many bits. */
    static ElementType elements(Tensor tensor) {
        return tensor.type().element().orElse(ElementType.U8);
    }

    /** Whether a target's products are Hopper's, which the executor and the reference have, or there are none. */
    static boolean isOfHopper(TileKernel kernel, Target target) {
        return kernel.arithmetic(target) != MatrixArithmetic.AMPERE || kernel.grid().body().tiles()
                .noneMatch(tile -> tile.node() instanceof TileNode.Product);
    }

    /**
     * The launch.
     *
     * @throws IllegalArgumentException as {@link TileKernel#launch} does, or where a tensor has more than 2^63 bytes
     */
    public Launch launch() {
        Map<String, ArrayShape> shapes = new HashMap<>();
        kernel.tensors().forEach(tensor -> {
            if (Saturating.multiply(shape(tensor).stream().reduce(1L, Saturating::multiply),
                    tensor.type().bytes()) == Long.MAX_VALUE) {
                throw new IllegalArgumentException("tensor '" + tensor.name() + "' of " + shape(tensor)
                        + " elements has more than 2^63 bytes: take smaller extents");
            }
        });
        kernel.tensors().forEach(tensor -> shapes.put(tensor.name(), ArrayShape.dense(shape(tensor))));
        Scalars scalars = Scalars.NONE;
        for (Parameter.Scalar scalar : kernel.scalars()) {
            scalars = scalars.and(scalar.name(), SCALAR);
        }
        return kernel.launch(shapes, scalars, target, multiprocessors);
    }

    /** The hazard check of it. */
    public KernelCheck check() {
        return KernelCheck.of(launch(), arena -> kernel.tensors().stream().map(tensor -> {
            MemorySegment segment = arena.allocate(Math.max(1, CopyCase.bytes(elements(tensor), shape(tensor))),
                    ALIGNMENT);
            fill(segment, tensor.type(), kernel.tensors().indexOf(tensor));
            return segment;
        }).toList());
    }

    /** Does what the launch does, by the executor of the language. @param memory of each tensor, in their order */
    void execute(List<MemorySegment> memory) {
        CpuLaunch launch = kernel.onCpu();
        for (int i = 0; i < memory.size(); i++) {
            Tensor tensor = kernel.tensors().get(i);
            launch.set(tensor.name(), memory.get(i), shape(tensor).stream().mapToLong(Long::longValue).toArray());
        }
        kernel.scalars().forEach(scalar -> launch.scalar(scalar.name(), SCALAR));
        launch.run();
    }

    /** Writes numbers: floats as the normal distribution has them, integers from 0 to 11. */
    static void fill(MemorySegment segment, ValueType type, long seed) {
        Random random = new Random(seed);
        for (long i = 0; i + type.bytes() <= segment.byteSize(); i += type.bytes()) {
            long word = type.isFloat() ? ((Value.Const) Value.of(type, random.nextGaussian())).word()
                    : random.nextInt(INTEGERS);
            for (int b = 0; b < type.bytes(); b++) {
                segment.set(ValueLayout.JAVA_BYTE, i + b, (byte) (word >> Byte.SIZE * b));
            }
        }
    }
}

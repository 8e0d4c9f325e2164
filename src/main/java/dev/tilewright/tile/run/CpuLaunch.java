package dev.tilewright.tile.run;

import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.value.ValueMath;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Grid;
import dev.tilewright.tile.Steps;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.TileKernel;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/**
 * A launch of a tile kernel on the CPU: tensors and scalars by name, then {@link #run}. The result has the bits that
 * every other way to run the kernel gives.
 *
 * {@snippet :
 * CpuLaunch.of(softmax).set("x", numbers, rows, columns).set("y", result, rows, columns).run();
 * }
 */
public final class CpuLaunch {
    private final TileKernel kernel;
    private final Map<String, TensorMemory> tensors = new HashMap<>();
    private final Map<String, Long> scalars = new HashMap<>();
    private MatrixArithmetic arithmetic = MatrixArithmetic.HOPPER_WGMMA;
    private int workers = Runtime.getRuntime().availableProcessors();

    private CpuLaunch(TileKernel kernel) {
        this.kernel = kernel;
    }

    /** A launch of a kernel, whose tensors and scalars are still to be set. */
    public static CpuLaunch of(TileKernel kernel) {
        return new CpuLaunch(Objects.requireNonNull(kernel, "kernel"));
    }

    /** Gives a tensor: the elements of an array, row-major. @param shape its extents, outermost first */
    public CpuLaunch set(String name, float[] elements, long... shape) {
        return set(name, MemorySegment.ofArray(elements), shape);
    }

    /** Gives a tensor: the elements of an array, row-major. @param shape its extents, outermost first */
    public CpuLaunch set(String name, double[] elements, long... shape) {
        return set(name, MemorySegment.ofArray(elements), shape);
    }

    /** Gives a tensor: the elements of an array, row-major. @param shape its extents, outermost first */
    public CpuLaunch set(String name, int[] elements, long... shape) {
        return set(name, MemorySegment.ofArray(elements), shape);
    }

    /** Gives a tensor: the elements of an array, row-major. @param shape its extents, outermost first */
    public CpuLaunch set(String name, long[] elements, long... shape) {
        return set(name, MemorySegment.ofArray(elements), shape);
    }

    /** Gives a tensor of 16-bit elements, such as f16 and bf16, row-major. @param shape its extents, outermost first */
    public CpuLaunch set(String name, short[] elements, long... shape) {
        return set(name, MemorySegment.ofArray(elements), shape);
    }

    /** Gives a tensor of 8-bit elements, row-major. @param shape its extents, outermost first */
    public CpuLaunch set(String name, byte[] elements, long... shape) {
        return set(name, MemorySegment.ofArray(elements), shape);
    }

    /** Gives a tensor in memory, row-major. @param shape its extents, outermost first */
    public CpuLaunch set(String name, MemorySegment memory, long... shape) {
        Objects.requireNonNull(shape, "shape");
        List<Long> strides = new ArrayList<>();
        long stride = 1;
        for (int i = shape.length - 1; i >= 0; i--) {
            strides.addFirst(stride);
            stride = Math.multiplyExact(stride, Math.max(1, shape[i]));
        }
        return set(name, memory, Arrays.stream(shape).boxed().toList(), strides);
    }

    /**
     * Gives a tensor in memory.
     *
     * @param extents outermost first
     * @param strides from one place of each dimension to the next, in elements, 0 or more
     * @throws IllegalArgumentException if the kernel has no such tensor, or the memory does not hold it
     */
    public CpuLaunch set(String name, MemorySegment memory, List<Long> extents, List<Long> strides) {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(memory, "memory");
        Tensor tensor = kernel.tensors().stream().filter(t -> t.name().equals(name)).findFirst()
                .orElseThrow(() -> new IllegalArgumentException("kernel '" + kernel.name() + "' has no tensor '" + name
                        + "', but " + kernel.tensors().stream().map(Tensor::name).toList()));
        if (extents.size() != tensor.dims().size() || strides.size() != extents.size()
                || extents.stream().anyMatch(e -> e < 0) || strides.stream().anyMatch(s -> s < 0)) {
            throw new IllegalArgumentException("tensor '" + name + "' has " + tensor.dims().size() + " dimensions, and "
                    + "extents and strides of at least 0 for each; got extents " + extents + " and strides "
                    + strides);
        }
        long last = 0;
        for (int i = 0; i < extents.size(); i++) {
            last = Math.addExact(last, Math.multiplyExact(Math.max(0, extents.get(i) - 1), strides.get(i)));
        }
        long needed = extents.contains(0L) ? 0 : Math.multiplyExact(last + 1, tensor.type().bytes());
        if (memory.byteSize() < needed) {
            throw new IllegalArgumentException("tensor '" + name + "' of " + extents + " " + tensor.type() + " with "
                    + "strides " + strides + " takes " + needed + " bytes, and its memory has " + memory.byteSize());
        }
        if (tensor.role() != Tensor.Role.IN && memory.isReadOnly()) {
            throw new IllegalArgumentException("tensor '" + name + "' is written, and its memory is read-only");
        }
        tensors.put(name, new TensorMemory(tensor, memory, List.copyOf(extents), List.copyOf(strides)));
        return this;
    }

    /** Gives a scalar, rounded to its type. */
    public CpuLaunch scalar(String name, double number) {
        Parameter.Scalar scalar = kernel.scalars().stream().filter(s -> s.name().equals(name)).findFirst()
                .orElseThrow(() -> new IllegalArgumentException("kernel '" + kernel.name() + "' has no scalar '" + name
                        + "', but " + kernel.scalars().stream().map(Parameter.Scalar::name).toList()));
        scalars.put(name, ValueMath.constant(ValueType.of(scalar.type()), number));
        return this;
    }

    /** Whose products of matrices are computed; {@link MatrixArithmetic#HOPPER_WGMMA} where nothing is said. */
    public CpuLaunch arithmetic(MatrixArithmetic whose) {
        arithmetic = Objects.requireNonNull(whose, "whose");
        return this;
    }

    /** On how many cores tiles are computed; all where nothing is said. The bits are the same. */
    public CpuLaunch cores(int count) {
        if (count < 1) {
            throw new IllegalArgumentException("a launch takes at least 1 core, got " + count);
        }
        workers = count;
        return this;
    }

    /**
     * Computes every tile.
     *
     * @throws IllegalArgumentException if a tensor or a scalar is missing, or tensors disagree in a dimension
     */
    public void run() {
        Map<String, Long> extents = extents();
        kernel.scalars().stream().filter(s -> !scalars.containsKey(s.name())).findFirst().ifPresent(s -> {
            throw new IllegalArgumentException("kernel '" + kernel.name() + "': scalar '" + s.name() + "' is not set");
        });
        Numbers numbers = new Numbers(extents, Map.copyOf(scalars), new long[kernel.variables()]);
        Grid grid = kernel.grid();
        long[] counts = grid.steps().stream().map(Steps::count).mapToLong(numbers::of).toArray();
        long tiles = Arrays.stream(counts).reduce(1, Math::multiplyExact);
        Map<String, TensorMemory> before = before();
        Products products = new Products(arithmetic);
        AtomicLong next = new AtomicLong();
        List<Worker.Scattered> scattered = IntStream.range(0, Math.toIntExact(Math.min(workers, Math.max(1, tiles))))
                .parallel().mapToObj(_ -> {
                    Worker worker = new Worker(tensors, before, products, new Numbers(extents, numbers.scalars(),
                            new long[kernel.variables()]));
                    for (long tile = next.getAndIncrement(); tile < tiles; tile = next.getAndIncrement()) {
                        place(grid, counts, tile, worker.numbers());
                        worker.tile(tile, grid.body());
                    }
                    return worker.scattered();
                }).flatMap(List::stream).toList();
        scattered.stream().sorted(Comparator.comparingLong(Worker.Scattered::tile)
                .thenComparingLong(Worker.Scattered::number)).forEach(this::scatter);
    }

    private void scatter(Worker.Scattered s) {
        TensorMemory memory = tensors.get(s.store().tensor().name());
        Places.of(memory, s.store().axes(), s.numbers(), _ -> s.rows()).forEachRun((places, first, n) ->
                memory.store(places, s.elements(), first, n, s.store().update()));
    }

    private static void place(Grid grid, long[] counts, long tile, Numbers numbers) {
        long rest = tile;
        for (int i = counts.length - 1; i >= 0; i--) {
            numbers.variables()[grid.numbers().get(i).number()] = rest % counts[i];
            rest /= counts[i];
        }
    }

    /** What tiles load from: of a tensor that is written, too, a copy of what was in it before. */
    private Map<String, TensorMemory> before() {
        Map<String, TensorMemory> before = new HashMap<>(tensors);
        kernel.tensors().stream().filter(tensor -> tensor.role() == Tensor.Role.IN_OUT).filter(kernel::loads)
                .forEach(tensor -> before.computeIfPresent(tensor.name(), (_, memory) -> memory.copy()));
        return before;
    }

    private Map<String, Long> extents() {
        Map<String, Long> extents = new HashMap<>();
        Map<String, String> from = new HashMap<>();
        for (Tensor tensor : kernel.tensors()) {
            TensorMemory memory = tensors.get(tensor.name());
            if (memory == null) {
                throw new IllegalArgumentException("kernel '" + kernel.name() + "': tensor '" + tensor.name()
                        + "' is not set");
            }
            for (int i = 0; i < tensor.dims().size(); i++) {
                Dim dim = tensor.dims().get(i);
                long extent = memory.extents().get(i);
                Long known = dim.size().isPresent() ? Long.valueOf(dim.size().getAsLong())
                        : extents.putIfAbsent(dim.name(), extent);
                if (known != null && known != extent) {
                    throw new IllegalArgumentException("kernel '" + kernel.name() + "': dimension '" + dim + "' is "
                            + extent + " in tensor '" + tensor.name() + "'" + (dim.size().isPresent()
                            ? ", and the kernel's is " + known
                            : " and " + known + " in tensor '" + from.get(dim.name()) + "'"));
                }
                from.putIfAbsent(dim.name(), tensor.name());
            }
        }
        kernel.dims().stream().filter(dim -> !extents.containsKey(dim.name())).findFirst().ifPresent(dim -> {
            throw new IllegalArgumentException("kernel '" + kernel.name() + "': no tensor has dimension '" + dim
                    + "', so that the launch does not give it");
        });
        return extents;
    }
}

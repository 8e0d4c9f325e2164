package dev.tilewright.tile.run;

import dev.tilewright.program.array.ArrayShape;
import dev.tilewright.tile.Grid;
import dev.tilewright.tile.LineException;
import dev.tilewright.tile.MatrixArithmetic;
import dev.tilewright.tile.Region;
import dev.tilewright.tile.Steps;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.Update;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntFunction;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/** Computes every tile of a kernel on the CPU, from what the language means. */
public final class Executor {
    private final TileKernel kernel;
    private final Map<String, TensorMemory> tensors = new HashMap<>();
    private final Numbers numbers;
    /** Of each tensor whose rows are apart, where what has been scattered begins and ends. */
    private final Map<String, TreeMap<Long, Long>> apart = new HashMap<>();

    /**
     * @param memory of each tensor, by name
     * @param shapes of each tensor, which agree in their dimensions
     * @param extents of all dimensions, by name
     * @param scalars words, by name
     */
    public Executor(TileKernel kernel, Map<String, MemorySegment> memory, Map<String, ArrayShape> shapes,
            Map<String, Long> extents, Map<String, Long> scalars) {
        this.kernel = kernel;
        for (Tensor tensor : kernel.tensors()) {
            ArrayShape shape = shapes.get(tensor.name());
            tensors.put(tensor.name(), new TensorMemory(tensor, memory.get(tensor.name()), shape.extents(),
                    shape.strides()));
        }
        this.numbers = new Numbers(extents, scalars, new long[kernel.variables()]);
    }

    /**
     * Computes every tile: on this thread alone where memory is confined to it.
     *
     * @param most on how many cores at most
     * @param wanted whether a tile is computed, by its numbers along the grid's dimensions
     */
    public void run(MatrixArithmetic arithmetic, int most, Predicate<long[]> wanted) {
        Grid grid = kernel.grid();
        long[] counts = grid.steps().stream().map(Steps::count).mapToLong(numbers::of).toArray();
        long tiles = Arrays.stream(counts).reduce(1, Math::multiplyExact);
        long wide = Math.min(most, Math.max(1, tiles));
        int workers = wide > 1 && isShared() ? (int) wide : 1;
        Map<String, TensorMemory> before = before();
        AtomicLong next = new AtomicLong();
        IntStream turns = IntStream.range(0, workers);
        IntFunction<List<Worker.Scattered>> turn = _ -> {
            Worker worker = new Worker(grid.body(), tensors, before, new Products(arithmetic),
                    new Numbers(numbers.extents(), numbers.scalars(), new long[kernel.variables()]));
            for (long tile = next.getAndIncrement(); tile < tiles; tile = next.getAndIncrement()) {
                if (wanted.test(place(grid, counts, tile, worker.numbers()))) {
                    worker.tile(tile);
                }
            }
            return worker.scattered();
        };
        List<Worker.Scattered> scattered = workers == 1 ? turns.mapToObj(turn).flatMap(List::stream).toList()
                : inParallel(turns, turn);
        scattered.stream().sorted(Comparator.comparingLong(Worker.Scattered::tile)
                .thenComparingLong(Worker.Scattered::number)).forEach(this::scatter);
    }

    private static <T> List<T> inParallel(IntStream turns, IntFunction<List<T>> turn) {
        try {
            return turns.parallel().mapToObj(turn).flatMap(List::stream).toList();
        } catch (RuntimeException e) {
            // A parallel stream throws one of the same class, whose message begins with that, and whose cause is it.
            throw e.getCause() instanceof RuntimeException cause && cause.getClass() == e.getClass() ? cause : e;
        }
    }

    private boolean isShared() {
        Thread other = Thread.ofPlatform().unstarted(() -> { });
        return tensors.values().stream().allMatch(tensor -> tensor.memory().isAccessibleBy(other));
    }

    private void scatter(Worker.Scattered s) {
        TensorMemory memory = tensors.get(s.store().tensor().name());
        Places places = Places.of(memory, s.store().axes(), s.numbers(), _ -> s.rows());
        if (s.store().update() == Update.SET_APART) {
            places.forEachRun((place, _, n) -> requireApart(s.store(), place, n));
        }
        memory.store(places, s.elements(), s.store().update());
    }

    /** Of a kernel that says so, no two rows go to one place. */
    private void requireApart(Region.Store store, long place, int n) {
        if (place < 0) {
            return;
        }
        TreeMap<Long, Long> ends = apart.computeIfAbsent(store.tensor().name(), _ -> new TreeMap<>());
        Map.Entry<Long, Long> before = ends.lowerEntry(place + n);
        if (before != null && before.getValue() > place) {
            throw new LineException("kernel '" + kernel.name() + "' scatters rows of '" + store.tensor().name()
                    + "' with " + Update.SET_APART + ", and two of them go to one place, element "
                    + Math.max(place, before.getKey()) + " of the array: give each row a place of its own, or scatter "
                    + "with " + Update.SET, store.line());
        }
        ends.put(place, place + n);
    }

    private static long[] place(Grid grid, long[] counts, long tile, Numbers numbers) {
        long[] place = new long[counts.length];
        long rest = tile;
        for (int i = counts.length - 1; i >= 0; i--) {
            place[i] = rest % counts[i];
            numbers.variables()[grid.numbers().get(i).number()] = place[i];
            rest /= counts[i];
        }
        return place;
    }

    /** What tiles load from: of a tensor that is written, too, a copy of what was in it before. */
    private Map<String, TensorMemory> before() {
        Map<String, TensorMemory> before = new HashMap<>(tensors);
        kernel.tensors().stream().filter(tensor -> tensor.role() == Tensor.Role.IN_OUT).filter(kernel::loads)
                .forEach(tensor -> before.computeIfPresent(tensor.name(), (_, memory) -> memory.copy()));
        return before;
    }
}

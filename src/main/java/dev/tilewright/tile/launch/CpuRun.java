package dev.tilewright.tile.launch;

import dev.tilewright.NotNull;
import dev.tilewright.program.Launchable;
import dev.tilewright.program.array.ArrayArguments;
import dev.tilewright.program.array.ArrayShape;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.CpuLaunch;
import dev.tilewright.tile.MatrixArithmetic;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.run.Executor;
import dev.tilewright.tile.run.StoresApart;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** A launch by the executor. */
public final class CpuRun implements CpuLaunch {
    /** The kernel in the tiles that a launch of these extents computes. */
    private record Tiled(Map<String, Long> extents, TileKernel kernel) { }

    private final TracedKernel kernel;
    private final ArrayArguments arguments;
    private final StoresApart apart;
    private volatile Tiled tiled;
    private MatrixArithmetic arithmetic;
    private Optional<WrittenRows> rows = Optional.empty();
    private int workers = Runtime.getRuntime().availableProcessors();

    CpuRun(TracedKernel kernel, MatrixArithmetic arithmetic) {
        this.kernel = kernel;
        this.arithmetic = arithmetic;
        this.arguments = new ArrayArguments(kernel);
        this.apart = new StoresApart(kernel);
    }

    @Override
    public List<Launchable.Array> arrays() {
        return kernel.arrays();
    }

    @Override
    public CpuLaunch set(String name, MemorySegment memory, ArrayShape shape) {
        NotNull.all("name, memory, shape", name, memory, shape);
        arguments.set(name, memory, shape);
        return this;
    }

    @Override
    public CpuLaunch scalar(String name, Number number) {
        NotNull.all("name, number", name, number);
        arguments.scalar(name, number);
        return this;
    }

    @Override
    public CpuLaunch arithmetic(MatrixArithmetic whose) {
        arithmetic = Objects.requireNonNull(whose, "whose");
        return this;
    }

    @Override
    public CpuLaunch cores(int count) {
        if (count < 1) {
            throw new IllegalArgumentException("a launch takes at least 1 core, got " + count);
        }
        workers = count;
        return this;
    }

    @Override
    public CpuLaunch rows(String tensor, long... places) {
        NotNull.all("tensor, places", tensor, places);
        rows = Optional.of(WrittenRows.of(kernel.grid(), kernel.tensors().stream().filter(t -> t.name().equals(tensor)
                && t.role() != Tensor.Role.IN).findFirst().orElseThrow(() -> new IllegalArgumentException("kernel '"
                        + kernel.name() + "' writes no tensor '" + tensor + "'")), places));
        tiled = null;
        return this;
    }

    @Override
    public void run() {
        Map<String, ArrayShape> shapes = arguments.shapes();
        Map<String, Long> scalars = new HashMap<>();
        arguments.scalars().bits(kernel.scalars()).forEach((scalar, bits) -> scalars.put(scalar.name(),
                ValueType.of(scalar.type()).word(bits)));
        Map<String, Long> extents = Extents.of(kernel, shapes);
        rows.ifPresent(r -> r.requireWithin(shapes.get(r.tensor().name()).extents().getFirst()));
        apart.require(extents, shapes);
        Map<String, MemorySegment> memory = arguments.memory();
        if (!Extents.leaveNothing(kernel, shapes)) {
            new Executor(tiled(extents), memory, shapes, extents, scalars).run(arithmetic, workers,
                    numbers -> rows.isEmpty() || rows.get().has(numbers));
        }
    }

    private TileKernel tiled(Map<String, Long> extents) {
        Tiled last = tiled;
        if (last == null || !last.extents.equals(extents)) {
            last = new Tiled(Map.copyOf(extents), kernel.in(rows.map(WrittenRows::grid).orElseGet(() -> LongTiles.of(
                    kernel.grid(), extents))));
            tiled = last;
        }
        return last.kernel;
    }

    /** {@code launch of kernel 'gemm' on the CPU}. */
    @Override
    public String toString() {
        return "launch of kernel '" + kernel.name() + "' on the CPU";
    }
}

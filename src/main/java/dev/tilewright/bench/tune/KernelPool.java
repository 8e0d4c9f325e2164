package dev.tilewright.bench.tune;

import dev.tilewright.BadRequestException;
import dev.tilewright.MissingRequirementException;
import dev.tilewright.builder.ElementwiseKernel;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.Schedule;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.Kernel;
import dev.tilewright.gpu.compile.CompilationException;
import dev.tilewright.gpu.device.CudaException;
import dev.tilewright.layout.ElementType;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;

/**
 * A preset's kernels with several options, built, compiled and loaded by other threads, in the order in which they are
 * asked for first, while those before them are measured.
 */
final class KernelPool implements AutoCloseable {
    private final ExecutorService compilers;
    private final Gpu gpu;
    private final Preset preset;
    private final ElementType type;
    private final int rank;
    private final Map<Schedule, Future<Ready>> kernels = new LinkedHashMap<>();

    /** A kernel that can be launched. */
    record Ready(ElementwiseKernel tile, Kernel kernel) { }

    /** @param rank dimensions of the arrays */
    KernelPool(ExecutorService compilers, Gpu gpu, Preset preset, ElementType type, int rank) {
        this.compilers = compilers;
        this.gpu = gpu;
        this.preset = preset;
        this.type = type;
        this.rank = rank;
    }

    /** Asks for kernels. @param all what each chooses; the same may be there several times */
    void request(List<Schedule> all) {
        for (Schedule options : all) {
            kernels.computeIfAbsent(options, _ -> compilers.submit(() -> {
                ElementwiseKernel tile = preset.build(type, rank, options);
                return new Ready(tile, gpu.load(tile));
            }));
        }
    }

    /** A kernel that was asked for, once it is there. @throws RuntimeException what building or loading it threw */
    Ready get(Schedule options) {
        try {
            return kernels.get(options).get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CancellationException("the search was interrupted");
        } catch (ExecutionException e) {
            throw switch (e.getCause()) {
                case BadRequestException cause -> cause;
                case MissingRequirementException cause -> cause;
                case CompilationException cause -> cause;
                case CudaException cause -> cause;
                case Error error -> throw error;
                default -> new IllegalStateException(e.getCause());
            };
        }
    }

    /** Unloads what is loaded; what is not begun is not begun any more. */
    @Override
    public void close() {
        kernels.values().forEach(kernel -> kernel.cancel(false));
        for (Future<Ready> kernel : kernels.values()) {
            if (kernel.state() == Future.State.SUCCESS) {
                kernel.resultNow().kernel().close();
            }
        }
    }
}

package dev.tilewright.gpu;

import dev.tilewright.NotNull;
import dev.tilewright.gpu.compile.Compilation;
import dev.tilewright.gpu.compile.KernelAttributes;
import dev.tilewright.gpu.context.Context;
import dev.tilewright.gpu.context.Lease;
import dev.tilewright.gpu.module.KernelSignature;
import dev.tilewright.gpu.module.LaunchLimits;
import dev.tilewright.gpu.module.LoadedModules;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Launchable;
import dev.tilewright.program.Scalars;
import dev.tilewright.program.expression.Parameter;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/**
 * A kernel that is loaded on a GPU: see {@link Gpu#load}. Any number of threads launch it at once, each through {@link
 * KernelLaunch}es of its own. Loading the same kernel again costs next to nothing and gives another object for the same
 * code. Code that all have closed stays loaded until 16 other kernels have been closed since, or the GPU is.
 */
public final class Kernel implements AutoCloseable {
    private final Gpu gpu;
    private final LoadedModules.Entry entry;
    private final Optional<Launchable> launchable;
    private final Lease lease;

    /** @param launchable what it was loaded from, if that was one */
    Kernel(Gpu gpu, LoadedModules modules, LoadedModules.Entry entry, Optional<Launchable> launchable) {
        this.gpu = gpu;
        this.launchable = launchable;
        this.entry = entry;
        this.lease = Lease.of(this, gpu.cudaContext(), "kernel '" + entry.signature().name() + "'",
                () -> modules.release(entry));
    }

    /** The GPU that it is loaded on. */
    public Gpu gpu() {
        return gpu;
    }

    /** The kernel's name. */
    public String name() {
        return entry.signature().name();
    }

    /** The parameters that launches set, in order. */
    public List<Parameter> parameters() {
        return entry.signature().parameters();
    }

    /**
     * The properties of the compiled kernel, as the driver reports them.
     *
     * @throws IllegalStateException if it is closed
     */
    public KernelAttributes attributes() {
        lease.requireOpen();
        return entry.module().attributes();
    }

    /**
     * The compiler's remarks on a kernel that compiled, see {@link Compilation#remarks}; they are logged as warnings,
     * too. Nothing on an emulated GPU, and of a function that other code has loaded.
     *
     * @throws IllegalStateException if it is closed
     */
    public List<String> remarks() {
        lease.requireOpen();
        return entry.module().remarks();
    }

    /**
     * Blocks that one multiprocessor holds at once, as the driver says; 0 if not even one fits.
     *
     * @throws IllegalStateException if it is closed
     */
    public int blocksPerMultiprocessor() {
        lease.requireOpen();
        return entry.module().blocksPerMultiprocessor();
    }

    /**
     * Blocks that the whole device holds at once: what a kernel whose blocks take many tiles is launched with.
     *
     * @throws IllegalStateException if it is closed
     */
    public int residentBlocks() {
        return Math.max(1, blocksPerMultiprocessor()) * gpu.info().multiprocessors();
    }

    /** Clusters that the whole device holds at once, of a kernel that runs in clusters of its own size; else blocks. */
    public int residentClusters() {
        lease.requireOpen();
        if (signature().cluster().count() == 1) {
            return residentBlocks();
        }
        Context context = gpu.cudaContext();
        long previous = context.enter();
        try {
            return lease.whileOpen(() -> LaunchLimits.clusters(context, signature(), entry.module().function(),
                    signature().cluster().blocks()));
        } finally {
            context.leave(previous);
        }
    }

    /**
     * How the memory that shared memory and the L1 cache have together is divided while it runs: a wish, which the
     * driver rounds up to what the device has and what a block needs. For all that have loaded the same kernel.
     *
     * @param percent of shared memory, 0 to 100; -1 leaves it to the driver, as it is at first
     */
    public void preferSharedMemory(int percent) {
        lease.requireOpen();
        if (percent < -1 || percent > 100) {
            throw new IllegalArgumentException("shared memory takes 0 to 100 percent, or -1 for the driver's choice,"
                    + " got " + percent);
        }
        lease.whileOpen(() -> {
            entry.isChanged();
            entry.module().preferSharedMemory(gpu.cudaContext(), name(), percent);
        });
    }

    /** A launch to be filled in: its grid, and an argument for each parameter by name. */
    public KernelLaunch prepare() {
        return new KernelLaunch(this);
    }

    /**
     * A launch that is described already, such as {@link Launchable#launch} makes it.
     *
     * @param launch its grid, cluster and arguments
     * @param buffers the launch's buffers, by their numbers
     * @throws IllegalArgumentException if the launch is of another kernel, a buffer is missing, one too many, too
     *     small, or, of a kernel that was loaded from a {@link Launchable}, of another type of element: for tensors
     *     that are larger than their buffers, {@code prepare().allowLargerTensors().fill(launch, buffers)}
     */
    public KernelLaunch prepare(Launch launch, Buffer<?>... buffers) {
        NotNull.all("launch, buffers", launch, buffers);
        KernelLaunch filled = prepare().fill(launch, buffers);
        launchable.ifPresent(known -> ArrayBuffers.checkTypes(known, buffers));
        return filled;
    }

    /**
     * A launch over arrays of one shape, of a kernel that was loaded from a {@link Launchable}. Its scalars, if it has
     * any, are set by name.
     *
     * {@snippet :
     * kernel.prepare(Shape.of(rows, columns), from, to).set("scalar", 2.5).start();
     * }
     *
     * @param shape the arrays' dimensions, outermost first: see {@link dev.tilewright.layout.Shape}
     * @param buffers the kernel's {@linkplain Launchable#arrays arrays}, such as sources and a result,
     *     and a workspace where it needs one ({@link Launchable#workspaceBytes}); each large enough
     * @throws IllegalStateException if it was loaded from something else
     * @throws dev.tilewright.BadRequestException if the kernel cannot work on such arrays; the message says what it can
     * @throws IllegalArgumentException if a buffer is missing, one too many, too small, or of another type of element:
     *     f32 are {@code float}s, f64 {@code double}s, all else integers of its width; bytes are taken for anything
     */
    public KernelLaunch prepare(List<Long> shape, Buffer<?>... buffers) {
        NotNull.all("shape, buffers", shape, buffers);
        return withoutScalars(zeros -> prepare(shape, zeros, buffers));
    }

    /**
     * A launch over arrays of one shape, with all scalars.
     *
     * @param scalars a value for each of the kernel's: {@link Scalars#NONE} where it has none
     * @throws dev.tilewright.BadRequestException also if a scalar is missing or unknown
     */
    public KernelLaunch prepare(List<Long> shape, Scalars scalars, Buffer<?>... buffers) {
        NotNull.all("shape, scalars, buffers", shape, scalars, buffers);
        Launchable known = launchable();
        return prepare(known, known.launch(shape, scalars), buffers);
    }

    /**
     * A launch over arrays by name, each of a shape of its own, of a kernel that was loaded from a {@link Launchable}.
     * Its scalars, if it has any, are set by name.
     *
     * {@snippet :
     * kernel.prepare(Map.of("source", from.shaped(rows, columns), "result", to.shaped(rows, columns))).start();
     * }
     *
     * @param arrays each of the kernel's {@linkplain Launchable#arrays arrays}, and the {@code workspace} of a kernel
     *     that needs one
     * @throws IllegalStateException if it was loaded from something else
     * @throws dev.tilewright.BadRequestException if the kernel cannot work on such arrays; the message says what it can
     * @throws IllegalArgumentException as {@link #prepare(List, Buffer[])}
     */
    public KernelLaunch prepare(Map<String, ShapedBuffer> arrays) {
        NotNull.entries("arrays", arrays);
        return withoutScalars(zeros -> prepare(arrays, zeros));
    }

    /**
     * A launch over arrays by name, with all scalars.
     *
     * @param scalars a value for each of the kernel's: {@link Scalars#NONE} where it has none
     * @throws dev.tilewright.BadRequestException also if a scalar is missing or unknown
     */
    public KernelLaunch prepare(Map<String, ShapedBuffer> arrays, Scalars scalars) {
        NotNull.entries("arrays", arrays);
        Objects.requireNonNull(scalars, "scalars");
        Launchable known = launchable();
        Buffer<?>[] buffers = ArrayBuffers.inOrder(known, arrays);
        return prepare(known, known.launch(ArrayBuffers.shapes(known, arrays), scalars), buffers);
    }

    private KernelLaunch prepare(Launchable known, Launch launch, Buffer<?>... buffers) {
        ArrayBuffers.check(known, launch, buffers);
        return prepare().fill(launch, buffers);
    }

    /** A launch whose scalars are yet to be set. */
    private KernelLaunch withoutScalars(Function<Scalars, KernelLaunch> filled) {
        List<Parameter.Scalar> scalars = launchable().scalars();
        Scalars zeros = Scalars.NONE;
        for (Parameter.Scalar scalar : scalars) {
            zeros = zeros.andBits(scalar.name(), 0);
        }
        KernelLaunch launch = filled.apply(zeros);
        scalars.forEach(scalar -> launch.unset(scalar.name()));
        return launch;
    }

    private Launchable launchable() {
        return launchable.orElseThrow(() -> new IllegalStateException("kernel '" + name()
                + "' was not loaded from a Launchable, whose launches follow from a shape: fill in prepare()"));
    }

    /**
     * The CUfunction, for code that launches it by other means.
     *
     * @throws IllegalStateException if it is closed
     */
    public long function() {
        lease.requireOpen();
        return entry.module().function();
    }

    KernelSignature signature() {
        return entry.signature();
    }

    Lease lease() {
        return lease;
    }

    /** {@code kernel 'axpy' for sm_90a on GPU 0}. */
    @Override
    public String toString() {
        return "kernel '" + name() + "' for " + gpu.target() + " on GPU " + gpu.info().ordinal();
    }

    /** Lets go of it, not at once of its code: see above. Launches that were started end as they would have. */
    @Override
    public void close() {
        lease.close();
    }
}

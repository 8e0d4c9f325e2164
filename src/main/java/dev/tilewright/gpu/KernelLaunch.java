package dev.tilewright.gpu;

import dev.tilewright.Counted;
import dev.tilewright.NotNull;
import dev.tilewright.gpu.compile.CudaFunction;
import dev.tilewright.gpu.concurrent.LaunchLog;
import dev.tilewright.gpu.context.Context;
import dev.tilewright.gpu.context.Lease;
import dev.tilewright.gpu.cuda.LaunchConfig;
import dev.tilewright.gpu.device.CudaException;
import dev.tilewright.gpu.module.KernelModule;
import dev.tilewright.gpu.module.KernelSignature;
import dev.tilewright.gpu.module.LaunchLimits;
import dev.tilewright.gpu.trace.Trace;
import dev.tilewright.gpu.trace.WatchedSpan;
import dev.tilewright.program.Argument;
import dev.tilewright.program.ClusterSize;
import dev.tilewright.program.Dim3;
import dev.tilewright.program.Launch;
import dev.tilewright.tensormap.TensorMap;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A launch of a kernel, filled in once and started as often as one likes: the grid, and an argument for each parameter,
 * by name. Everything is checked when it is set, so starting costs what the driver's call costs, and allocates nothing.
 *
 * {@snippet :
 * KernelLaunch axpy = kernel.prepare().grid(blocks).set("a", 2.5).set("x", x).set("y", y).set("n", n).on(stream);
 * axpy.start();
 * }
 *
 * <p>It holds native memory of its own, which goes with it. One thread at a time sets and starts it; for another thread
 * or stream there is {@link #copy}.
 */
public final class KernelLaunch {
    /** The system property that makes every launch wait for its end, so that a fault is reported by its own launch. */
    public static final String BLOCKING_PROPERTY = LaunchLog.BLOCKING_PROPERTY;

    private final Kernel kernel;
    private final KernelSignature signature;
    private final Context context;
    private final Lease kernelLease;
    private final long function;
    private final LaunchConfig config;
    private final LaunchArguments arguments;
    private final MemorySegment pointers;
    /** Where the driver says which context is current. */
    private final MemorySegment current;
    private final LaunchStart start;
    private Dim3 grid;
    private boolean isEmpty;
    private Dim3 cluster;
    private Stream stream;
    private boolean largeClusters;
    /** Whether the program needs no check before a start, for instance because it had one. */
    private boolean checked;

    KernelLaunch(Kernel kernel) {
        this.kernel = kernel;
        this.signature = kernel.signature();
        this.context = kernel.gpu().cudaContext();
        this.kernelLease = kernel.lease();
        this.function = kernel.function();
        // Goes when nothing refers to it: no launch has to be closed.
        Arena arena = Arena.ofAuto();
        this.config = new LaunchConfig(arena);
        this.arguments = new LaunchArguments(signature, context, kernel.gpu().tensorMaps(), arena);
        this.pointers = arguments.pointers();
        this.current = arena.allocate(ValueLayout.JAVA_LONG);
        config.block(signature.block().x(), signature.block().y(), signature.block().z())
                .sharedBytes(signature.sharedBytes());
        if (signature.waitsForPriorGrid()) {
            config.programmaticSerialization(true);
        }
        this.cluster = signature.cluster().blocks();
        if (signature.saysCluster()) {
            config.cluster(cluster.x(), cluster.y(), cluster.z());
        }
        this.stream = kernel.gpu().defaultStream();
        this.start = new LaunchStart(this, context, current);
        this.checked = needsNoCheck();
    }

    private KernelLaunch(KernelLaunch from) {
        this(from.kernel);
        arguments.copyFrom(from.arguments);
        if (!from.cluster.equals(cluster)) {
            cluster(from.cluster);
        }
        if (from.grid != null) {
            grid(from.grid);
        }
        on(from.stream);
    }

    /** A launch with the same arguments, for another thread or another stream. */
    public KernelLaunch copy() {
        return new KernelLaunch(this);
    }

    /** The kernel that it launches. */
    public Kernel kernel() {
        return kernel;
    }

    /** Blocks, in one dimension. */
    public KernelLaunch grid(int blocks) {
        return grid(Dim3.of(blocks));
    }

    /**
     * Blocks in each dimension; with 0 there is nothing to do, and nothing is started.
     *
     * @throws IllegalArgumentException if there are too many, or they are not whole clusters
     */
    public KernelLaunch grid(Dim3 blocks) {
        Objects.requireNonNull(blocks, "blocks");
        LaunchLimits.requireGrid(signature, blocks, cluster);
        isEmpty = blocks.count() == 0;
        if (!isEmpty) {
            config.grid(blocks.x(), blocks.y(), blocks.z());
        }
        grid = blocks;
        return this;
    }

    /**
     * Blocks of a cluster, of a kernel that leaves it to its launches; set it before the grid.
     *
     * @throws IllegalArgumentException if the kernel does not, or the device holds no such cluster
     */
    public KernelLaunch cluster(Dim3 blocks) {
        Objects.requireNonNull(blocks, "blocks");
        if (!signature.cluster().chosenAtLaunch()) {
            if (!blocks.equals(cluster)) {
                throw new IllegalArgumentException("kernel '" + signature.name() + "' runs in clusters of "
                        + cluster.text() + " blocks, which no launch can change, got " + blocks.text());
            }
            return this;
        }
        new ClusterSize(blocks, true);
        long previous = context.enter(current);
        try {
            kernelLease.whileOpen(() -> {
                if (blocks.count() > ClusterSize.PORTABLE && !largeClusters) {
                    KernelModule.allowLargeClusters(context, function, signature.name());
                    largeClusters = true;
                }
                LaunchLimits.requireClusters(context, signature, function, blocks);
            });
        } finally {
            context.leave(previous);
        }
        config.cluster(blocks.x(), blocks.y(), blocks.z());
        cluster = blocks;
        grid = null;
        checked = needsNoCheck();
        return this;
    }

    /**
     * Memory for a pointer.
     *
     * @throws IllegalArgumentException if there is no such parameter, it is no pointer, the memory is another GPU's, or
     *     less than is needed: see {@link #requires}
     */
    public KernelLaunch set(String parameter, Buffer<?> buffer) {
        Objects.requireNonNull(parameter, "parameter");
        Objects.requireNonNull(buffer, "buffer");
        arguments.set(parameter, buffer);
        return this;
    }

    /**
     * An integer, or a scalar of any type: {@code set("n", 5)}, and {@code set("a", 2)} where {@code a} is a float.
     *
     * @throws IllegalArgumentException if there is no such parameter, or it cannot hold the number
     */
    public KernelLaunch set(String parameter, long value) {
        Objects.requireNonNull(parameter, "parameter");
        arguments.set(parameter, value);
        return this;
    }

    /**
     * A scalar of floating point, rounded to nearest where its type is narrower.
     *
     * @throws IllegalArgumentException if there is no such parameter, it is an integer, or the number is finite and
     *     beyond the largest of its type
     */
    public KernelLaunch set(String parameter, double value) {
        Objects.requireNonNull(parameter, "parameter");
        arguments.set(parameter, value);
        return this;
    }

    /**
     * A scalar's bits, in the low end.
     *
     * @throws IllegalArgumentException if the parameter is no scalar
     */
    public KernelLaunch setBits(String parameter, long bits) {
        Objects.requireNonNull(parameter, "parameter");
        arguments.setBits(parameter, bits);
        return this;
    }

    /**
     * Says how many bytes the kernel reaches through a pointer, from where it points: a buffer with fewer is refused,
     * whether it is set already or later. A pointer's bounds are not checked without a statement of them, here or by
     * {@link CudaFunction#requires}.
     *
     * @throws IllegalArgumentException if there is no such parameter, it is no pointer, or its buffer has fewer bytes
     */
    public KernelLaunch requires(String parameter, long bytes) {
        Objects.requireNonNull(parameter, "parameter");
        arguments.require(parameter, bytes);
        return this;
    }

    /** A tensor that begins where the buffer does: see {@link #set(String, TensorMap, Buffer, long)}. */
    public KernelLaunch set(String parameter, TensorMap map, Buffer<?> buffer) {
        return set(parameter, map, buffer, 0);
    }

    /**
     * A tensor in a buffer, for a tensor map's parameter: its 128 bytes are made here. The tensor lies in the buffer
     * with all its elements, unless {@link #allowLargerTensors} was called before.
     *
     * @param offset bytes from the buffer's start to the tensor's first element
     * @throws IllegalArgumentException if there is no such parameter, it is no tensor map or one of another rank, or
     *     the buffer does not hold the tensor
     * @throws dev.tilewright.tensormap.TensorMapException if the map does not suit the address, or breaks other rules:
     *     all that it breaks
     */
    public KernelLaunch set(String parameter, TensorMap map, Buffer<?> buffer, long offset) {
        Objects.requireNonNull(parameter, "parameter");
        Objects.requireNonNull(map, "map");
        Objects.requireNonNull(buffer, "buffer");
        arguments.set(parameter, map, buffer, offset, true);
        return this;
    }

    /**
     * Allows tensors that reach beyond their buffers from here on; the boxes must still lie within, which is not
     * checked. Ragged batches are done so.
     */
    public KernelLaunch allowLargerTensors() {
        arguments.allowLargerTensors();
        return this;
    }

    /**
     * Takes the grid, the cluster and every argument from a launch that is described already, such as
     * {@link dev.tilewright.program.Launchable#launch} makes it.
     *
     * @param buffers the launch's buffers, by their numbers
     * @throws IllegalArgumentException if the launch is of another kernel, a buffer is missing, too small, or one that
     *     no argument names, unless it has no bytes
     */
    public KernelLaunch fill(Launch launch, Buffer<?>... buffers) {
        NotNull.all("launch, buffers", launch, buffers);
        signature.requireLaunch(launch);
        if (launch.grid().count() > 0) {
            arguments.requireNoMore(launch, buffers);
        }
        return take(launch, buffers);
    }

    /** What {@link #fill} does, whatever buffers come along: a driver of the command's gives all that it has. */
    KernelLaunch take(Launch launch, Buffer<?>[] buffers) {
        signature.requireLaunch(launch);
        if (launch.program().cluster().chosenAtLaunch()) {
            cluster(launch.cluster());
        }
        grid(launch.grid());
        for (int i = 0; i < signature.parameters().size(); i++) {
            // Of an empty array there is nothing in memory, and a tensor map describes one element at least.
            arguments.set(signature.parameters().get(i).name(), launch.arguments().get(i), buffers,
                    !isEmpty);
        }
        return this;
    }

    /** Makes an argument one that is yet to be set. */
    void unset(String parameter) {
        arguments.unset(parameter);
    }

    /** The stream that it is started in; else the legacy default stream. */
    public KernelLaunch on(Stream stream) {
        Objects.requireNonNull(stream, "stream");
        if (!stream.gpu().cudaContext().isSame(context)) {
            throw new IllegalArgumentException("the stream is of " + stream.gpu().cudaContext().placeSeenFrom(context)
                    + ", kernel '" + signature.name() + "' is loaded in " + context.place());
        }
        config.stream(stream.handle());
        this.stream = stream;
        return this;
    }

    /**
     * Starts it, in its stream.
     *
     * @throws IllegalStateException if the grid or an argument is missing, or something that it uses is closed
     * @throws IllegalArgumentException if memory is smaller than a {@link CudaFunction} is declared to need
     * @throws CudaException if the driver refuses it, or a fault has lost the context
     * @throws dev.tilewright.hazard.HazardException if the GPU {@linkplain GpuOptions#checkHazards checks} programs,
     *     and this one has hazards: nothing was started
     */
    public void start() {
        requireArguments();
        stream.requireOpen();
        if (isEmpty) {
            return;
        }
        if (!checked) {
            check();
        }
        if (Trace.launches()) {
            startWatched();
        } else {
            start.in(stream);
        }
    }

    private boolean needsNoCheck() {
        return kernel.gpu().check() == null || signature.program().isEmpty();
    }

    private void check() {
        List<Argument> values = new ArrayList<>();
        List<Buffer<?>> buffers = arguments.described(values);
        Launch launch = new Launch(signature.program().orElseThrow(), grid, cluster, values);
        kernel.gpu().check().before(launch, buffers, stream);
        checked = true;
    }

    private void startWatched() {
        try (WatchedSpan _ = Trace.launch(signature.name(), grid.text(), signature.block().text(),
                stream.log().stream(), context.info().ordinal(), stream.isCapturing())) {
            start.in(stream);
        }
    }

    /** Refuses what was closed meanwhile. */
    void requireOpen() {
        arguments.requireOpen();
        kernelLease.requireOpen();
        stream.requireOpen();
    }

    /** Refuses one that is not filled in, or uses what is closed. */
    void requireArguments() {
        arguments.requireReady();
        if (grid == null) {
            throw new IllegalStateException("the launch of kernel '" + signature.name()
                    + "' has no grid yet: say how many blocks, with grid(...)");
        }
        kernelLease.requireOpen();
    }

    /** The memory that it was given, by parameter: its own array. */
    Buffer<?>[] buffers() {
        return arguments.buffers();
    }

    /** Whether there is nothing to do. */
    boolean isEmpty() {
        return isEmpty;
    }

    /** Blocks of a cluster. */
    Dim3 cluster() {
        return cluster;
    }

    /** The launch's CUlaunchConfig. */
    MemorySegment configMemory() {
        return config.segment();
    }

    long functionHandle() {
        return function;
    }

    /** Pointers to its arguments. */
    MemorySegment pointers() {
        return pointers;
    }

    /** {@code kernel 'axpy', 40 blocks of 256 threads}. */
    @Override
    public String toString() {
        return "kernel '" + signature.name() + "', " + Counted.of(grid == null ? "?" : grid.text(), "block")
                + " of " + Counted.of(signature.block().text(), "thread");
    }
}

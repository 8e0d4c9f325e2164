package dev.tilewright.gpu;

import dev.tilewright.gpu.cuda.DriverApi;
import dev.tilewright.gpu.cuda.LaunchConfig;
import dev.tilewright.program.ClusterSize;
import dev.tilewright.program.Dim3;
import dev.tilewright.program.IntType;
import dev.tilewright.program.Parameter;
import dev.tilewright.tensormap.TensorMap;
import dev.tilewright.tensormap.TensorMapEncoder;
import dev.tilewright.tensormap.TensorMapException;
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
    public static final String BLOCKING_PROPERTY = "tilewright.launch.blocking";

    private static final boolean BLOCKING = Boolean.getBoolean(BLOCKING_PROPERTY);

    private final Kernel kernel;
    private final KernelSignature signature;
    private final Context context;
    private final DriverApi api;
    private final Lease kernelLease;
    private final long function;
    private final LaunchConfig config;
    private final MemorySegment configMemory;
    private final MemorySegment[] arguments;
    private final MemorySegment pointers;
    /** The memory that pointers and tensor maps name, by parameter: kept reachable, and looked at before each start. */
    private final Buffer<?>[] buffers;
    private final boolean[] given;
    private int missing;
    private Dim3 grid;
    private Dim3 cluster;
    private Stream stream;
    private boolean largeClusters;

    KernelLaunch(Kernel kernel) {
        this.kernel = kernel;
        this.signature = kernel.signature();
        this.context = kernel.gpu().cudaContext();
        this.api = context.api();
        this.kernelLease = kernel.lease();
        this.function = kernel.function();
        // Goes when nothing refers to it: no launch has to be closed.
        Arena arena = Arena.ofAuto();
        this.config = new LaunchConfig(arena);
        this.configMemory = config.segment();
        int count = signature.parameters().size();
        this.arguments = new MemorySegment[count];
        this.buffers = new Buffer<?>[count];
        this.given = new boolean[count];
        this.missing = count;
        this.pointers = arena.allocate(ValueLayout.ADDRESS, Math.max(1, count));
        for (int i = 0; i < count; i++) {
            boolean tensor = signature.parameters().get(i) instanceof Parameter.TensorMap;
            arguments[i] = tensor ? arena.allocate(TensorMapEncoder.BYTES, TensorMapEncoder.ALIGNMENT)
                    : arena.allocate(8, 8);
            pointers.setAtIndex(ValueLayout.ADDRESS, i, arguments[i]);
        }
        config.block(signature.block().x(), signature.block().y(), signature.block().z())
                .sharedBytes(signature.sharedBytes());
        if (signature.waitsForPriorGrid()) {
            config.programmaticSerialization(true);
        }
        this.cluster = signature.cluster().blocks();
        this.stream = kernel.gpu().defaultStream();
    }

    private KernelLaunch(KernelLaunch from) {
        this(from.kernel);
        for (int i = 0; i < arguments.length; i++) {
            arguments[i].copyFrom(from.arguments[i]);
            buffers[i] = from.buffers[i];
            given[i] = from.given[i];
        }
        missing = from.missing;
        if (!from.cluster.equals(cluster)) {
            cluster(from.cluster);
        }
        if (from.grid != null) {
            grid(from.grid);
        }
        on(from.stream);
    }

    /** Another with the same arguments, for another thread or another stream. */
    public KernelLaunch copy() {
        return new KernelLaunch(this);
    }

    /** What it launches. */
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
        if (blocks.count() > 0) {
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
        long previous = context.enter();
        try {
            if (blocks.count() > ClusterSize.PORTABLE && !largeClusters) {
                KernelModule.allowLargeClusters(context, function, signature.name());
                largeClusters = true;
            }
            config.cluster(blocks.x(), blocks.y(), blocks.z());
            LaunchLimits.requireClusters(context, signature, function, config, blocks);
        } finally {
            context.leave(previous);
        }
        cluster = blocks;
        grid = null;
        return this;
    }

    /**
     * Memory for a pointer.
     *
     * @throws IllegalArgumentException if there is no such parameter, it is no pointer, or the memory is another GPU's
     */
    public KernelLaunch set(String parameter, Buffer<?> buffer) {
        Objects.requireNonNull(buffer, "buffer");
        int i = number(parameter);
        if (!(signature.parameters().get(i) instanceof Parameter.Pointer)) {
            throw mismatch(i, "memory");
        }
        requireHere(parameter, buffer);
        arguments[i].set(ValueLayout.JAVA_LONG, 0, buffer.address());
        buffers[i] = buffer;
        return given(i);
    }

    /** An integer, or a scalar of an integer type. @throws IllegalArgumentException if the parameter cannot hold it */
    public KernelLaunch set(String parameter, long value) {
        int i = number(parameter);
        switch (signature.parameters().get(i)) {
            case Parameter.Int p -> {
                if (p.type() == IntType.S32 && (int) value != value) {
                    throw new IllegalArgumentException("kernel '" + signature.name() + "': parameter '" + parameter
                            + "' has 32 bits, got " + value);
                }
                arguments[i].set(ValueLayout.JAVA_LONG, 0, value);
            }
            case Parameter.Scalar p -> arguments[i].set(ValueLayout.JAVA_LONG, 0, ScalarBits.of(p, value));
            default -> throw mismatch(i, "an integer");
        }
        return given(i);
    }

    /** A scalar, rounded to nearest where its type is narrower. @throws IllegalArgumentException if it is an integer */
    public KernelLaunch set(String parameter, double value) {
        int i = number(parameter);
        if (!(signature.parameters().get(i) instanceof Parameter.Scalar p)) {
            throw mismatch(i, "a floating-point number");
        }
        arguments[i].set(ValueLayout.JAVA_LONG, 0, ScalarBits.of(p, value));
        return given(i);
    }

    /** A scalar's bits, in the low end. */
    public KernelLaunch setBits(String parameter, long bits) {
        int i = number(parameter);
        if (!(signature.parameters().get(i) instanceof Parameter.Scalar)) {
            throw mismatch(i, "a scalar's bits");
        }
        arguments[i].set(ValueLayout.JAVA_LONG, 0, bits);
        return given(i);
    }

    /** A tensor that begins where the buffer does: see {@link #set(String, TensorMap, Buffer, long)}. */
    public KernelLaunch set(String parameter, TensorMap map, Buffer<?> buffer) {
        Objects.requireNonNull(map, "map");
        Objects.requireNonNull(buffer, "buffer");
        return set(parameter, map, buffer, 0);
    }

    /**
     * A tensor in a buffer, for a tensor map's parameter: its 128 bytes are made here.
     *
     * @param offset bytes from the buffer's start to the tensor's first element; may be negative or behind the buffer
     * @throws IllegalArgumentException if the parameter is no tensor map, or one of another rank
     * @throws TensorMapException if the map does not suit the address, or breaks other rules: all that it breaks
     */
    public KernelLaunch set(String parameter, TensorMap map, Buffer<?> buffer, long offset) {
        Objects.requireNonNull(map, "map");
        Objects.requireNonNull(buffer, "buffer");
        int i = number(parameter);
        if (!(signature.parameters().get(i) instanceof Parameter.TensorMap p)) {
            throw mismatch(i, "a tensor map");
        }
        if (p.rank() != map.rank()) {
            throw new IllegalArgumentException("kernel '" + signature.name() + "': tensor map '" + parameter
                    + "' has rank " + p.rank() + ", got one of rank " + map.rank());
        }
        requireHere(parameter, buffer);
        long address = buffer.address() + offset;
        try {
            kernel.gpu().tensorMaps().write(map, address, arguments[i]);
        } catch (TensorMapException e) {
            TensorMapException named = new TensorMapException("kernel '" + signature.name()
                    + "' cannot be launched: " + kernel.gpu().tensorMaps().encoderName() + " refuses its tensor map '"
                    + parameter + "' at address 0x" + Long.toHexString(address), e.validation());
            named.initCause(e);
            throw named;
        }
        buffers[i] = buffer;
        return given(i);
    }

    /** The stream that it is started in; else the legacy default stream. */
    public KernelLaunch on(Stream stream) {
        Objects.requireNonNull(stream, "stream");
        if (stream.gpu().cudaContext().handle() != context.handle()) {
            throw new IllegalArgumentException("the stream is of " + stream.gpu().cudaContext().place()
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
     * @throws CudaException if the driver refuses it, or a fault has lost the context
     */
    public void start() {
        requireReady();
        if (grid.count() == 0) {
            return;
        }
        long previous = context.enter();
        try {
            int result = api.cuLaunchKernelEx(configMemory, function, pointers, 0);
            if (result != DriverApi.SUCCESS) {
                context.check("cuLaunchKernelEx of " + describe(), result);
            }
            stream.log().started(this);
            if (BLOCKING) {
                waitForEnd();
            }
        } finally {
            context.leave(previous);
        }
    }

    private void waitForEnd() {
        LaunchMarks marks = LaunchMarks.of(stream.log());
        context.check("cuStreamSynchronize after " + describe(), api.cuStreamSynchronize(stream.handle()));
        marks.haveEnded();
    }

    private void requireReady() {
        if (missing > 0) {
            throw new IllegalStateException("kernel '" + signature.name() + "' has no value for " + missingNames());
        }
        if (grid == null) {
            throw new IllegalStateException("the launch of kernel '" + signature.name() + "' has no grid yet");
        }
        kernelLease.requireOpen();
        for (Buffer<?> buffer : buffers) {
            if (buffer != null) {
                buffer.requireOpen();
            }
        }
        stream.requireOpen();
    }

    private List<String> missingNames() {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < given.length; i++) {
            if (!given[i]) {
                names.add("'" + signature.parameters().get(i).name() + "'");
            }
        }
        return names;
    }

    private KernelLaunch given(int i) {
        if (!given[i]) {
            given[i] = true;
            missing--;
        }
        return this;
    }

    private int number(String parameter) {
        Objects.requireNonNull(parameter, "parameter");
        List<Parameter> parameters = signature.parameters();
        for (int i = 0; i < parameters.size(); i++) {
            if (parameters.get(i).name().equals(parameter)) {
                return i;
            }
        }
        throw new IllegalArgumentException("kernel '" + signature.name() + "' has no parameter '" + parameter
                + "': it has " + parameters.stream().map(Parameter::name).toList());
    }

    private IllegalArgumentException mismatch(int i, String got) {
        Parameter parameter = signature.parameters().get(i);
        String kind = switch (parameter) {
            case Parameter.Pointer _ -> "a pointer: give it a buffer";
            case Parameter.Int p -> "an integer of " + (p.type() == IntType.S32 ? 32 : 64) + " bits";
            case Parameter.Scalar p -> "a number of type " + p.type();
            case Parameter.TensorMap p -> "a tensor map of rank " + p.rank() + ": give it a map and a buffer";
        };
        return new IllegalArgumentException("kernel '" + signature.name() + "': parameter '" + parameter.name()
                + "' is " + kind + ", got " + got);
    }

    private void requireHere(String parameter, Buffer<?> buffer) {
        if (buffer.gpu().cudaContext().handle() != context.handle()) {
            throw new IllegalArgumentException("kernel '" + signature.name() + "': parameter '" + parameter
                    + "' is a buffer of " + buffer.gpu().cudaContext().place() + ", the kernel is loaded in "
                    + context.place());
        }
    }

    /** Where it runs. */
    Context context() {
        return context;
    }

    /** Its CUlaunchConfig. */
    MemorySegment configMemory() {
        return configMemory;
    }

    long functionHandle() {
        return function;
    }

    /** Pointers to its arguments. */
    MemorySegment pointers() {
        return pointers;
    }

    /** {@code kernel 'axpy', 40 blocks of 256 threads}. */
    String describe() {
        return "kernel '" + signature.name() + "', " + (grid == null ? "?" : grid.text()) + " blocks of "
                + signature.block().text() + " threads";
    }

    @Override
    public String toString() {
        return describe();
    }
}

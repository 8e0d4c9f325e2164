package dev.tilewright.gpu;

import dev.tilewright.emit.EmitOptions;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.ptx.Target;
import dev.tilewright.tensormap.TensorMapEncoder;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;

/**
 * A {@link Gpu} and one of its streams as a {@link Driver}: for code that also runs on the CPU, and does one thing after
 * another. {@link #gpu}, {@link #stream} and {@link #kernel} give what is behind it, for code that works with those.
 */
public final class CudaDriver implements Driver {
    /** Options that every kernel is compiled with: no contraction, so that arithmetic has the reference's bits. */
    public static final List<String> COMPILE_OPTIONS = CudaImages.COMPILE_OPTIONS;

    private final Gpu gpu;
    private final Stream stream;

    private CudaDriver(Gpu gpu) {
        this.gpu = gpu;
        this.stream = gpu.stream();
    }

    /**
     * Opens a GPU, its tensor maps encoded as {@link EncoderChoice#configured} says.
     *
     * @param devices what {@link Devices#probe} found: JCuda is not even loaded where it found nothing
     * @param ordinal the device's number
     * @param compiler compiles kernels and keeps them
     * @throws dev.tilewright.MissingRequirementException if there is no such device, with the reason
     */
    public static CudaDriver open(Devices devices, int ordinal, KernelCompiler compiler, EmitOptions emitOptions) {
        Objects.requireNonNull(devices, "devices");
        Objects.requireNonNull(compiler, "compiler");
        Objects.requireNonNull(emitOptions, "emitOptions");
        return open(devices, ordinal, compiler, emitOptions,
                EncoderChoice.configured(devices.require(ordinal).target()));
    }

    /**
     * Opens a GPU; else as {@link #open(Devices, int, KernelCompiler, EmitOptions)}.
     *
     * @param choice which encoder makes the tensor maps of its launches
     */
    public static CudaDriver open(Devices devices, int ordinal, KernelCompiler compiler, EmitOptions emitOptions,
            EncoderChoice choice) {
        Objects.requireNonNull(devices, "devices");
        Objects.requireNonNull(compiler, "compiler");
        Objects.requireNonNull(emitOptions, "emitOptions");
        Objects.requireNonNull(choice, "choice");
        return over(Gpu.open(devices, ordinal, () -> compiler, emitOptions, choice));
    }

    /** Takes a GPU over: it is closed with this driver, or now if there can be none. */
    static CudaDriver over(Gpu gpu) {
        try {
            return new CudaDriver(gpu);
        } catch (RuntimeException e) {
            gpu.close();
            throw e;
        }
    }

    @Override
    public Backend backend() {
        return Backend.GPU;
    }

    @Override
    public String name() {
        return gpu.name();
    }

    /** What the driver says of the GPU. */
    public DeviceInfo info() {
        return gpu.info();
    }

    @Override
    public Target target() {
        return gpu.target();
    }

    @Override
    public int sharedMemoryPerBlock() {
        return gpu.info().sharedMemoryPerBlock();
    }

    /** What makes the tensor maps of launches. */
    public TensorMapEncoder tensorMapEncoder() {
        return gpu.tensorMaps().encoder();
    }

    /** The CUDA driver's own encoder, which launches need not use. */
    public DriverTensorMapEncoder driverTensorMapEncoder() {
        return gpu.driverTensorMapEncoder();
    }

    /** The GPU. Closing this driver closes it. */
    public Gpu gpu() {
        return gpu;
    }

    /** The stream that launches go to; it waits for the default stream and the default stream for it. */
    public Stream stream() {
        return stream;
    }

    /** What a kernel of this driver is on its GPU. */
    public Kernel kernel(LoadedKernel kernel) {
        Objects.requireNonNull(kernel, "kernel");
        return own(kernel).kernel();
    }

    @Override
    public DeviceBuffer allocate(long bytes) {
        Transfers.requireSize(bytes);
        return gpu.bytes(bytes);
    }

    @Override
    public void upload(MemorySegment host, DeviceBuffer to) {
        Objects.requireNonNull(host, "host");
        Objects.requireNonNull(to, "to");
        Transfers.check(host, to);
        stream.upload(host, own(to));
        stream.synchronize();
    }

    @Override
    public void download(DeviceBuffer from, MemorySegment host) {
        Objects.requireNonNull(from, "from");
        Objects.requireNonNull(host, "host");
        Transfers.check(host, from);
        stream.download(own(from), host);
        stream.synchronize();
    }

    @Override
    public void fill(DeviceBuffer buffer, byte value) {
        Objects.requireNonNull(buffer, "buffer");
        stream.fill(own(buffer), value);
    }

    @Override
    public void copy(DeviceBuffer from, DeviceBuffer to, long bytes) {
        Objects.requireNonNull(from, "from");
        Objects.requireNonNull(to, "to");
        Transfers.check(from, to, bytes);
        stream.copy(own(from).as(ArrayType.BYTES).slice(0, bytes), own(to));
    }

    @Override
    public LoadedKernel load(TileProgram program) {
        Objects.requireNonNull(program, "program");
        return new CudaKernel(gpu.load(program), program);
    }

    @Override
    public void launch(LoadedKernel kernel, Launch launch, List<DeviceBuffer> buffers) {
        Objects.requireNonNull(kernel, "kernel");
        Objects.requireNonNull(launch, "launch");
        Objects.requireNonNull(buffers, "buffers");
        Launches.check(kernel, launch, buffers);
        own(kernel).launch(launch, buffers.stream().map(this::own).toArray(Buffer<?>[]::new), stream);
    }

    @Override
    public void synchronize() {
        stream.synchronize();
    }

    /** By the device's own clock (events). */
    @Override
    public double time(Runnable work) {
        Objects.requireNonNull(work, "work");
        try (Event begin = gpu.timedEvent(); Event end = gpu.timedEvent()) {
            stream.record(begin);
            work.run();
            stream.record(end);
            end.synchronize();
            return end.millisecondsSince(begin);
        }
    }

    /** Frees the stream, buffers and kernels that are still open, and lets go of the context. */
    @Override
    public void close() {
        gpu.close();
    }

    private Buffer<?> own(DeviceBuffer buffer) {
        if (!(buffer instanceof Buffer<?> own) || own.gpu() != gpu) {
            throw new IllegalArgumentException("the buffer belongs to another driver");
        }
        return own;
    }

    private CudaKernel own(LoadedKernel kernel) {
        if (!(kernel instanceof CudaKernel own) || own.kernel().gpu() != gpu) {
            throw new IllegalArgumentException("the kernel belongs to another driver");
        }
        return own;
    }

    /** {@code driver of GPU 0 (NVIDIA H200)}. */
    @Override
    public String toString() {
        return "driver of " + gpu;
    }
}

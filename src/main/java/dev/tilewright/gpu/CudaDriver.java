package dev.tilewright.gpu;

import dev.tilewright.BadRequestException;
import dev.tilewright.MissingRequirementException;
import dev.tilewright.emit.CudaEmitter;
import dev.tilewright.emit.CudaSource;
import dev.tilewright.emit.EmitOptions;
import dev.tilewright.emit.Spelling;
import dev.tilewright.gpu.cuda.JCudaHandles;
import dev.tilewright.gpu.cuda.JCudaNatives;
import dev.tilewright.gpu.cuda.LibCuda;
import dev.tilewright.program.ClusterSize;
import dev.tilewright.program.Launch;
import dev.tilewright.program.TileProgram;
import dev.tilewright.ptx.PtxVersion;
import dev.tilewright.ptx.Target;
import dev.tilewright.ptx.UnavailableFormException;
import dev.tilewright.tensormap.TensorMapEncoder;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import jcuda.Pointer;
import jcuda.driver.CUcontext;
import jcuda.driver.CUdevice;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUevent;
import jcuda.driver.CUfunction;
import jcuda.driver.CUfunction_attribute;
import jcuda.driver.CUmodule;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;

/**
 * A GPU through the CUDA driver. It works in the device's primary context, the one that JCuda's and CUDA's runtime
 * code share, and on one stream, so that an application which already uses JCuda can mix its own calls in: see
 * {@link #context}, {@link #stream}, {@link #pointer} and {@link #function}.
 *
 * <p>Contexts, memory, modules and events go through JCuda; launches with attributes and tensor maps, which it lacks,
 * through {@link LibCuda}.
 */
public final class CudaDriver implements Driver {
    /** Dynamic shared memory that a kernel may have without asking for more, in bytes (CUDA Programming Guide). */
    private static final int SHARED_WITHOUT_ASKING = 48 * 1024;
    /** One piece of a host copy: a ByteBuffer cannot be larger than 2 GiB. */
    private static final long COPY_PIECE = 1L << 30;

    /** Options that every kernel is compiled with: no contraction, so that arithmetic has the reference's bits. */
    public static final List<String> COMPILE_OPTIONS = List.of("--fmad=false");

    private final DeviceInfo info;
    private final KernelCompiler compiler;
    private final EmitOptions emitOptions;
    private final DriverTensorMapEncoder driverEncoder;
    private final TensorMapEncoder encoder;
    /** Shared by all drivers of the device in this process: a fault loses the primary context, which they share. */
    private final ContextHealth health;
    private final CUdevice device = new CUdevice();
    private final CUcontext context = new CUcontext();
    private final CUstream stream = new CUstream();
    private Thread currentOn;
    private boolean open;

    private CudaDriver(DeviceInfo info, KernelCompiler compiler, EmitOptions emitOptions, EncoderChoice choice) {
        this.info = info;
        this.health = ContextHealth.ofDevice(info.ordinal());
        this.compiler = compiler;
        this.emitOptions = emitOptions;
        this.driverEncoder = new DriverTensorMapEncoder(new CudaEncodeFunctions(this), info.target());
        this.encoder = choice.encoder(driverEncoder);
    }

    /**
     * Opens a GPU, its tensor maps encoded as {@link EncoderChoice#configured} says.
     *
     * @param devices what {@link Devices#probe} found: JCuda is not even loaded where it found nothing
     * @param ordinal the device's number
     * @param compiler compiles kernels and keeps them
     * @throws MissingRequirementException if there is no such device, with the reason
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
        CudaDriver driver = new CudaDriver(devices.require(ordinal), compiler, emitOptions, choice);
        driver.start();
        return driver;
    }

    private void start() {
        JCudaNatives.load();
        check("cuInit", JCudaDriver.cuInit(0));
        check("cuDeviceGet", JCudaDriver.cuDeviceGet(device, info.ordinal()));
        check("cuDevicePrimaryCtxRetain", JCudaDriver.cuDevicePrimaryCtxRetain(context, device));
        open = true;
        makeCurrent();
        check("cuStreamCreate", JCudaDriver.cuStreamCreate(stream, 0));
    }

    @Override
    public Backend backend() {
        return Backend.GPU;
    }

    @Override
    public String name() {
        return info.name();
    }

    /** What the driver says of the GPU. */
    public DeviceInfo info() {
        return info;
    }

    @Override
    public Target target() {
        return info.target();
    }

    @Override
    public int sharedMemoryPerBlock() {
        return info.sharedMemoryPerBlock();
    }

    /** What makes the tensor maps of launches. */
    public TensorMapEncoder tensorMapEncoder() {
        return encoder;
    }

    /** The CUDA driver's own encoder, which launches need not use. */
    public DriverTensorMapEncoder driverTensorMapEncoder() {
        return driverEncoder;
    }

    /** The primary context. */
    public CUcontext context() {
        return context;
    }

    /** The stream that launches go to; it waits for the default stream and the default stream for it. */
    public CUstream stream() {
        return stream;
    }

    /** A buffer's pointer, for JCuda calls. */
    public CUdeviceptr pointer(DeviceBuffer buffer) {
        Objects.requireNonNull(buffer, "buffer");
        return own(buffer).pointer();
    }

    /** A kernel's function, for JCuda calls. */
    public CUfunction function(LoadedKernel kernel) {
        Objects.requireNonNull(kernel, "kernel");
        return own(kernel).function();
    }

    @Override
    public DeviceBuffer allocate(long bytes) {
        Transfers.requireSize(bytes);
        makeCurrent();
        CUdeviceptr pointer = new CUdeviceptr();
        check("cuMemAlloc of " + bytes + " bytes", JCudaDriver.cuMemAlloc(pointer, allocated(bytes)));
        return new CudaBuffer(this, pointer, JCudaHandles.of(pointer), bytes);
    }

    /**
     * Whole 16-byte chunks, at least one: cuMemAlloc refuses 0 bytes. compute-sanitizer takes a cp.async with a source
     * size for a read of the whole chunk and would report the last one of an array (the hardware reads no further than
     * asked: the code that ptxas makes hands it the size in the address's low bits).
     */
    private static long allocated(long bytes) {
        return Math.max(16, Math.ceilDiv(bytes, 16L) * 16);
    }

    void free(CUdeviceptr pointer) {
        if (open && health.fault().isEmpty()) {
            makeCurrent();
            check("cuMemFree", JCudaDriver.cuMemFree(pointer));
        }
    }

    @Override
    public void upload(MemorySegment host, DeviceBuffer to) {
        Objects.requireNonNull(host, "host");
        Objects.requireNonNull(to, "to");
        Transfers.check(host, to);
        synchronize();
        if (host.isMapped()) {
            MappedPieces.upload(host, (at, piece) -> copyIn(piece, to, at));
            return;
        }
        for (long at = 0; at < host.byteSize(); at += COPY_PIECE) {
            copyIn(host.asSlice(at, Math.min(COPY_PIECE, host.byteSize() - at)), to, at);
        }
    }

    private void copyIn(MemorySegment piece, DeviceBuffer to, long at) {
        check("cuMemcpyHtoD of " + piece.byteSize() + " bytes",
                JCudaDriver.cuMemcpyHtoD(own(to).pointer().withByteOffset(at), hostPointer(piece), piece.byteSize()));
    }

    @Override
    public void download(DeviceBuffer from, MemorySegment host) {
        Objects.requireNonNull(from, "from");
        Objects.requireNonNull(host, "host");
        Transfers.check(host, from);
        synchronize();
        if (host.isMapped()) {
            MappedPieces.download(host, (at, piece) -> copyOut(piece, from, at));
            return;
        }
        for (long at = 0; at < host.byteSize(); at += COPY_PIECE) {
            copyOut(host.asSlice(at, Math.min(COPY_PIECE, host.byteSize() - at)), from, at);
        }
    }

    private void copyOut(MemorySegment piece, DeviceBuffer from, long at) {
        check("cuMemcpyDtoH of " + piece.byteSize() + " bytes",
                JCudaDriver.cuMemcpyDtoH(hostPointer(piece), own(from).pointer().withByteOffset(at), piece.byteSize()));
    }

    @Override
    public void fill(DeviceBuffer buffer, byte value) {
        Objects.requireNonNull(buffer, "buffer");
        makeCurrent();
        if (buffer.bytes() > 0) {
            check("cuMemsetD8Async", JCudaDriver.cuMemsetD8Async(own(buffer).pointer(), value, buffer.bytes(), stream));
        }
    }

    /** Says of a driver call that failed what failed, or what had lost the context before. */
    void check(String call, int result) {
        health.check(call, result);
    }

    @Override
    public void copy(DeviceBuffer from, DeviceBuffer to, long bytes) {
        Objects.requireNonNull(from, "from");
        Objects.requireNonNull(to, "to");
        Transfers.check(from, to, bytes);
        makeCurrent();
        check("cuMemcpyDtoDAsync", JCudaDriver.cuMemcpyDtoDAsync(own(to).pointer(), own(from).pointer(), bytes,
                stream));
    }

    /** What the compiler and the device have; refuses a program that needs more of the compiler. */
    private Spelling spelling(TileProgram program) {
        PtxVersion version = compiler.nvrtc().ptxVersion();
        try {
            program.requireAvailable(version, target());
        } catch (UnavailableFormException e) {
            throw new MissingRequirementException("kernel '" + program.name() + "': " + e.getMessage()
                    + ", which is what NVRTC " + compiler.nvrtc().version() + " (" + compiler.nvrtc().file()
                    + ") takes: install a newer CUDA toolkit", e);
        }
        return new Spelling(version, target());
    }

    @Override
    public LoadedKernel load(TileProgram program) {
        Objects.requireNonNull(program, "program");
        if (!program.gate().admits(target())) {
            throw new MissingRequirementException("kernel '" + program.name() + "' needs " + program.minimumTarget()
                    + " or later, and " + info.name() + " is " + target());
        }
        int shared = program.shared().bytes();
        if (shared > info.sharedMemoryPerBlock()) {
            throw new BadRequestException("kernel '" + program.name() + "' needs " + shared
                    + " bytes of shared memory per block, and " + info.name() + " has " + info.sharedMemoryPerBlock()
                    + ": choose a smaller tile or fewer stages");
        }
        CudaSource source = CudaEmitter.emit(program, emitOptions.spelledFor(spelling(program)));
        byte[] cubin = compiler.cubin(source.text(), source.kernelName(), target(), COMPILE_OPTIONS);
        makeCurrent();
        CUmodule module = new CUmodule();
        check("cuModuleLoadData of " + program.name(), JCudaDriver.cuModuleLoadData(module, cubin));
        CUfunction function = new CUfunction();
        check("cuModuleGetFunction of " + program.name(),
                JCudaDriver.cuModuleGetFunction(function, module, source.kernelName()));
        if (shared > SHARED_WITHOUT_ASKING) {
            check("cuFuncSetAttribute of " + program.name() + ", " + shared + " bytes of shared memory",
                    JCudaDriver.cuFuncSetAttribute(function,
                            CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, shared));
        }
        if (program.clusterBlocks() > ClusterSize.PORTABLE) {
            allowLargeClusters(program, function);
        }
        int[] perMultiprocessor = new int[1];
        check("cuOccupancyMaxActiveBlocksPerMultiprocessor of " + program.name(),
                JCudaDriver.cuOccupancyMaxActiveBlocksPerMultiprocessor(perMultiprocessor, function, program.threads(),
                        shared));
        return new CudaKernel(this, program, module, function,
                Math.max(1, perMultiprocessor[0]) * info.multiprocessors());
    }

    /** Clusters of more blocks than every GPU with clusters has. */
    void allowLargeClusters(TileProgram program, CUfunction function) {
        check("cuFuncSetAttribute of " + program.name() + ", clusters of more than " + ClusterSize.PORTABLE + " blocks",
                JCudaDriver.cuFuncSetAttribute(function,
                        CUfunction_attribute.CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
    }

    void unload(CUmodule module) {
        if (open && health.fault().isEmpty()) {
            makeCurrent();
            check("cuModuleUnload", JCudaDriver.cuModuleUnload(module));
        }
    }

    @Override
    public void launch(LoadedKernel kernel, Launch launch, List<DeviceBuffer> buffers) {
        Objects.requireNonNull(kernel, "kernel");
        Objects.requireNonNull(launch, "launch");
        Objects.requireNonNull(buffers, "buffers");
        Launches.check(kernel, launch, buffers);
        if (launch.blocks() == 0) {
            return;
        }
        makeCurrent();
        CudaKernel own = own(kernel);
        MemorySegment config = own.prepare(launch, buffers, JCudaHandles.of(stream));
        int result = LibCuda.get().cuLaunchKernelEx(config, own.functionHandle(), own.pointers(), 0);
        if (result != 0) {
            check("cuLaunchKernelEx of " + launch.program().name() + ", " + launch.blocks() + " blocks of "
                    + launch.program().threads() + " threads", result);
        }
    }

    @Override
    public void synchronize() {
        makeCurrent();
        check("cuStreamSynchronize", JCudaDriver.cuStreamSynchronize(stream));
    }

    /** By the device's own clock (events). */
    @Override
    public double time(Runnable work) {
        Objects.requireNonNull(work, "work");
        makeCurrent();
        CUevent begin = new CUevent();
        CUevent end = new CUevent();
        check("cuEventCreate", JCudaDriver.cuEventCreate(begin, 0));
        check("cuEventCreate", JCudaDriver.cuEventCreate(end, 0));
        check("cuEventRecord", JCudaDriver.cuEventRecord(begin, stream));
        work.run();
        check("cuEventRecord", JCudaDriver.cuEventRecord(end, stream));
        check("cuEventSynchronize", JCudaDriver.cuEventSynchronize(end));
        float[] milliseconds = new float[1];
        check("cuEventElapsedTime", JCudaDriver.cuEventElapsedTime(milliseconds, begin, end));
        check("cuEventDestroy", JCudaDriver.cuEventDestroy(begin));
        check("cuEventDestroy", JCudaDriver.cuEventDestroy(end));
        return milliseconds[0];
    }

    /** Frees the stream and lets go of the context. Buffers and kernels that are still open go with the process. */
    @Override
    public void close() {
        if (open) {
            if (health.fault().isEmpty()) {
                makeCurrent();
                check("cuStreamDestroy", JCudaDriver.cuStreamDestroy(stream));
            }
            open = false;
            int result = JCudaDriver.cuDevicePrimaryCtxRelease(device);
            if (health.fault().isEmpty()) {
                check("cuDevicePrimaryCtxRelease", result);
            }
        }
    }

    void makeCurrent() {
        if (!open) {
            throw new IllegalStateException("this driver is closed");
        }
        if (currentOn != Thread.currentThread()) {
            check("cuCtxSetCurrent", JCudaDriver.cuCtxSetCurrent(context));
            currentOn = Thread.currentThread();
        }
    }

    private static Pointer hostPointer(MemorySegment host) {
        return Pointer.to(host.asByteBuffer());
    }

    private CudaBuffer own(DeviceBuffer buffer) {
        if (!(buffer instanceof CudaBuffer own)) {
            throw new IllegalArgumentException("the buffer belongs to another driver");
        }
        return own;
    }

    private CudaKernel own(LoadedKernel kernel) {
        if (!(kernel instanceof CudaKernel own)) {
            throw new IllegalArgumentException("the kernel belongs to another driver");
        }
        return own;
    }
}

package dev.tilewright.gpu;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.NotNull;
import dev.tilewright.emit.EmitOptions;
import dev.tilewright.gpu.compile.CompilationException;
import dev.tilewright.gpu.compile.CudaFunction;
import dev.tilewright.gpu.compile.KernelCacheStats;
import dev.tilewright.gpu.concurrent.LaunchMarks;
import dev.tilewright.gpu.context.Context;
import dev.tilewright.gpu.context.Lease;
import dev.tilewright.gpu.context.Peers;
import dev.tilewright.gpu.cuda.DriverApi;
import dev.tilewright.gpu.cuda.LibCuda;
import dev.tilewright.gpu.device.CudaException;
import dev.tilewright.gpu.device.DeviceInfo;
import dev.tilewright.gpu.device.DeviceMemory;
import dev.tilewright.gpu.device.Devices;
import dev.tilewright.gpu.host.RequiredGpu;
import dev.tilewright.gpu.module.CudaImages;
import dev.tilewright.gpu.module.EmulatedImages;
import dev.tilewright.gpu.module.KernelImages;
import dev.tilewright.gpu.module.LoadedModules;
import dev.tilewright.gpu.module.SharedCompiler;
import dev.tilewright.gpu.module.StartUp;
import dev.tilewright.gpu.module.TensorMaps;
import dev.tilewright.io.host.HostEnvironment;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Launchable;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.array.KernelTemplate;
import dev.tilewright.ptx.Target;
import dev.tilewright.reference.ReferenceOptions;
import dev.tilewright.tensormap.TensorMapEncoder;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A GPU that is open: gives memory, streams and kernels, from any thread.
 *
 * {@snippet :
 * ElementwiseKernel scale = TensorCopy.of(ElementType.F32).tile(64, 32).step(ElementStep.SCALE).build();
 * try (Gpu gpu = Gpu.open(); Buffer<float[]> from = gpu.upload(array); Buffer<float[]> to = gpu.floats(array.length);
 *         Kernel kernel = gpu.load(scale)) {
 *     kernel.prepare(Shape.of(rows, columns), Scalars.of("scalar", 2.5), from, to).start();
 *     float[] scaled = to.download();
 * }
 * }
 *
 * <p>It works in the device's primary context, the one that CUDA's runtime and libraries share, or in that of other
 * code ({@link #ofContext}), and leaves each thread the context that it had. Several may be open for one device.
 * Closing it gives back all that was taken from it.
 *
 * <p>What has a handle in CUDA gives it out as a number, and takes those of other code ({@link #wrap}), which stay that
 * code's to free: {@link JCudaInterop} does the same with JCuda's types.
 */
public final class Gpu implements BufferAllocator, ContextSharing, AutoCloseable {
    private static final int MOST_EMULATED = 64;

    private final Context context;
    private final Lease lease;
    private final LoadedModules modules;
    private final TensorMaps tensorMaps;
    private final Allocator allocator;
    private final PinnedPool pinnedPool;
    private final HostCopies hostCopies;
    private final Peers peers;
    private final Stream defaultStream;
    private final Completions completions;
    /** What checks programs before they are first launched; null for nothing. */
    private final LaunchCheck check;
    private final AtomicInteger streams = new AtomicInteger();
    private final Map<Long, Stream> wrapped = new ConcurrentHashMap<>();

    /**
     * @param images makes modules of kernels
     * @param choice which encoder makes tensor maps
     * @param check checks programs before they are first launched; null for nothing
     */
    Gpu(DriverApi api, DeviceInfo info, KernelImages images, EncoderChoice choice, LaunchCheck check) {
        this(Context.retain(api, info), images, choice, check);
    }

    private Gpu(Context context, KernelImages images, EncoderChoice choice, LaunchCheck check) {
        this.context = context;
        this.check = check;
        Context in = context;
        this.lease = Lease.ofContext(this, context, in::close);
        this.modules = new LoadedModules(context, images);
        this.tensorMaps = new TensorMaps(choice.encoder(new DriverTensorMapEncoder(context)), context.info().target(),
                choice != EncoderChoice.JAVA);
        this.allocator = new Allocator(this);
        this.pinnedPool = new PinnedPool(allocator);
        this.hostCopies = new HostCopies(this);
        this.peers = new Peers(context);
        this.completions = new Completions(context);
        this.defaultStream = Stream.borrowed(this, 0, "the default stream", true);
    }

    /** The encoder of the tensor maps of launches. */
    public TensorMapEncoder tensorMapEncoder() {
        return tensorMaps.encoder();
    }

    /** A driver's own encoder of tensor maps, which launches need not use; for one thread at a time. */
    public DriverTensorMapEncoder driverTensorMapEncoder() {
        return new DriverTensorMapEncoder(context);
    }

    /** The GPUs of this machine, by ordinal; empty where there are none, or no driver. */
    public static List<DeviceInfo> list() {
        return Devices.probe().list();
    }

    /**
     * Opens the first GPU.
     *
     * @throws dev.tilewright.MissingRequirementException if there is none, with the reason
     */
    public static Gpu open() {
        return open(0);
    }

    /**
     * Opens a GPU.
     *
     * @param ordinal its number among the GPUs that this process sees, from 0
     * @throws dev.tilewright.MissingRequirementException if there is none, with the reason
     */
    public static Gpu open(int ordinal) {
        StartUp.begin();
        return open(Devices.probe(), ordinal);
    }

    /**
     * Opens the first GPU on a thread of its own, so that a program builds its kernels meanwhile: the driver takes a
     * tenth of a second or more, and most of that it waits.
     *
     * @return what {@link #open()} will have returned or thrown
     */
    public static CompletableFuture<Gpu> openAsync() {
        return openAsync(0);
    }

    /**
     * Opens a GPU other than the first on a thread of its own.
     *
     * @param ordinal its number among the GPUs that this process sees, from 0
     */
    public static CompletableFuture<Gpu> openAsync(int ordinal) {
        CompletableFuture<Gpu> opening = new CompletableFuture<>();
        Thread.ofPlatform().daemon().name("tilewright-open").start(() -> {
            try {
                opening.complete(open(ordinal));
            } catch (RuntimeException | Error e) {
                opening.completeExceptionally(e);
            }
        });
        return opening;
    }

    static Gpu open(Devices devices, int ordinal) {
        return options().open(devices, ordinal);
    }

    /** Starts options for opening a GPU, such as hazard checks of its launches. */
    public static GpuOptions options() {
        return GpuOptions.DEFAULT;
    }

    /**
     * The GPU of a context that other code has created, and destroys after this is closed: for an application that has
     * one already. Primary contexts need no such thing, as {@link #open} works in them.
     *
     * @param context a CUcontext that exists: the driver does not look, and another number ends the process
     * @throws dev.tilewright.MissingRequirementException if there is no GPU, with the reason
     */
    public static Gpu ofContext(long context) {
        return ofContext(LibCuda.get(), Devices.probe(), context,
                info -> new CudaImages(info, SharedCompiler::get, EmitOptions.DEFAULT));
    }

    static Gpu ofContext(DriverApi api, Devices devices, long context, Function<DeviceInfo, KernelImages> images) {
        devices.require(0);
        Context in = Context.borrow(api, devices.list(), context);
        return new Gpu(in, images.apply(in.info()), EncoderChoice.configured(in.info().target()), null);
    }

    /** Chooses among the GPUs of this machine: by compute capability, free memory, or all. */
    public static GpuChoice choose() {
        StartUp.begin();
        return options().choose();
    }

    /**
     * A GPU on the CPU: of compute capability 9.0, with 4 GiB of memory, whose kernels the reference executor runs. For
     * tests and machines without a GPU. It does everything as late as it may, so a wait that is missing shows, and
     * it refuses what a GPU refuses. It runs tile programs, no {@link CudaFunction}s. A kernel that takes longer than
     * {@link ReferenceOptions#DEFAULT} allows is stopped, as is one that does not end within seconds after the thread
     * that waits for it was interrupted: the GPU is lost then.
     */
    public static Gpu emulated() {
        return emulated(1).getFirst();
    }

    /**
     * A GPU on the CPU whose kernels run as {@code options} say.
     *
     * @param options such as the time and steps that they may take
     */
    public static Gpu emulated(ReferenceOptions options) {
        Objects.requireNonNull(options, "options");
        return options().reference(options).emulated();
    }

    /**
     * The first GPU, or where there is none an {@linkplain #emulated emulated} one: the same bytes, more slowly. Where
     * the environment's {@code TILEWRIGHT_GPU_REQUIRED} is true, as on a machine that is to have a GPU, none is
     * emulated.
     *
     * @param notes is told in one sentence why there is no GPU
     * @throws dev.tilewright.MissingRequirementException if there is none and one is required, with the reason
     */
    public static Gpu openOrEmulated(Consumer<String> notes) {
        Objects.requireNonNull(notes, "notes");
        return openOrEmulated(Devices.probe(), HostEnvironment.current(), notes);
    }

    static Gpu openOrEmulated(Devices devices, HostEnvironment environment, Consumer<String> notes) {
        if (devices.list().isEmpty()) {
            if (RequiredGpu.isRequired(environment)) {
                throw new MissingRequirementException("a GPU is required here (" + RequiredGpu.VARIABLE
                        + "), so none is emulated: " + devices.why());
            }
            notes.accept("running on an emulated GPU, which is the CPU: " + devices.why());
            return emulated();
        }
        return open(devices, 0);
    }

    /**
     * Emulated GPUs that see each other as GPUs of one machine.
     *
     * @param count 1 to 64
     */
    public static List<Gpu> emulated(int count) {
        if (count < 1 || count > MOST_EMULATED) {
            throw new IllegalArgumentException("1 to " + MOST_EMULATED + " GPUs can be emulated, got " + count);
        }
        return options().emulated(count);
    }

    /** The driver's information about the device. */
    public DeviceInfo info() {
        return context.info();
    }

    /** Whether this GPU is emulated on the CPU by the reference executor: see {@link #emulated()}. */
    public boolean isEmulated() {
        return modules.images() instanceof EmulatedImages;
    }

    /** The device's name. */
    public String name() {
        return info().name();
    }

    /** The most capable target that kernels are compiled for on it. */
    public Target target() {
        return info().target();
    }

    /** How much memory it has, and how much of it is free now. */
    public DeviceMemory memory() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(JAVA_LONG, 2);
            context.call("cuMemGetInfo", api -> api.cuMemGetInfo(out.asSlice(0, 8), out.asSlice(8, 8)));
            return new DeviceMemory(out.get(JAVA_LONG, 0), out.get(JAVA_LONG, 8));
        }
    }

    /**
     * A CUdevice_attribute by its number in cuda.h, such as 38, the bytes of the L2 cache.
     *
     * @throws CudaException if the driver does not know it
     */
    public int attribute(int attribute) {
        return context.attribute(attribute);
    }

    @Override
    public <A> Buffer<A> allocate(ArrayType<A> type, long count) {
        Objects.requireNonNull(type, "type");
        return allocator.now(type, count);
    }

    @Override
    public <A> Buffer<A> wrap(long address, ArrayType<A> type, long count) {
        Objects.requireNonNull(type, "type");
        return new Buffer<>(this, type, address, Allocator.bytes(type, count));
    }

    /**
     * Page-locked host memory.
     *
     * @param bytes at least 1
     * @throws CudaException if the host has not so much that can be page-locked: the message says what it has
     */
    public PinnedMemory pinned(long bytes) {
        return allocator.pinned(bytes);
    }

    /** Page-locked host memory that stays with the GPU from one use to the next. */
    public PinnedPool pinnedPool() {
        return pinnedPool;
    }

    /** Page-locks host memory of the application's own, such as a mapped file, until the result is closed. */
    public RegisteredMemory register(MemorySegment host) {
        Objects.requireNonNull(host, "host");
        return allocator.register(host);
    }

    /** Whether copies between this GPU and another go directly, over NVLink or PCIe, rather than through the host. */
    public boolean canAccess(Gpu other) {
        Objects.requireNonNull(other, "other");
        return peers.canReach(other.context);
    }

    /** Whether the driver knows host memory, all of it, as page-locked, for this GPU. */
    public boolean isPageLocked(MemorySegment host) {
        Objects.requireNonNull(host, "host");
        return hostCopies.isPageLocked(host);
    }

    /** A new stream, which waits for the legacy default stream, and that for it. */
    public Stream stream() {
        return Stream.create(this, true, streams.incrementAndGet());
    }

    /** A new stream that does not wait for the legacy default stream, nor that for it. */
    public Stream nonBlockingStream() {
        return Stream.create(this, false, streams.incrementAndGet());
    }

    @Override
    public Stream wrapStream(long handle) {
        lease.requireOpen();
        return handle == 0 ? defaultStream : wrapped.computeIfAbsent(handle,
                h -> Stream.borrowed(this, h, "the wrapped stream 0x" + Long.toHexString(h), false));
    }

    @Override
    public Event wrapEvent(long handle) {
        return Event.borrowed(this, handle);
    }

    /** CUDA's legacy default stream, which waits for all streams that are not non-blocking, and they for it. */
    public Stream defaultStream() {
        return defaultStream;
    }

    /** A new event, to be recorded in a stream; without a time, which makes it cheaper. */
    public Event event() {
        return context.taking(() -> new Event(this, false));
    }

    /** A new event that has a time. */
    public Event timedEvent() {
        return context.taking(() -> new Event(this, true));
    }

    /**
     * Makes a kernel ready: emits it, compiles it or takes it from the cache, and loads it. Once, however many threads
     * ask.
     *
     * @throws dev.tilewright.MissingRequirementException if the GPU is not capable enough, NVRTC is not there, or the
     *     driver too old for what it compiles
     * @throws dev.tilewright.BadRequestException if the GPU cannot hold one block of it
     * @throws CompilationException if the emitted source does not compile
     */
    public Kernel load(TileProgram program) {
        Objects.requireNonNull(program, "program");
        return kernel(modules.acquire(program), Optional.empty());
    }

    /**
     * Makes a kernel over arrays ready, such as a builder's: emits it, compiles it or takes it from the cache, and
     * loads it.
     */
    public Kernel load(Launchable kernel) {
        Objects.requireNonNull(kernel, "kernel");
        return kernel(modules.acquire(kernel.program()), Optional.of(kernel));
    }

    /**
     * Makes a kernel ready whose programs follow from its arrays, such as a tile kernel: each is emitted, compiled or
     * taken from the cache, and loaded, when a launch first needs it.
     */
    public ArrayKernel load(KernelTemplate kernel) {
        Objects.requireNonNull(kernel, "kernel");
        return new ArrayKernel(this, kernel);
    }

    /** Makes the application's own CUDA C++ ready: compiles it or takes it from the cache, and loads it. */
    public Kernel load(CudaFunction function) {
        Objects.requireNonNull(function, "function");
        return kernel(modules.acquire(function), Optional.empty());
    }

    @Override
    public Kernel wrapKernel(long function, CudaFunction description) {
        Objects.requireNonNull(description, "description");
        return kernel(modules.borrow(description, function), Optional.empty());
    }

    private Kernel kernel(LoadedModules.Entry entry, Optional<Launchable> launchable) {
        try {
            return new Kernel(this, modules, entry, launchable);
        } catch (RuntimeException e) {
            modules.release(entry);
            throw e;
        }
    }

    /**
     * Runs a launch on host memory and waits for it, as {@link dev.tilewright.reference.Reference#run} does on the CPU:
     * loads its kernel, copies all memory to the GPU, and back what the launch left in it. To launch more than
     * once loads the {@link Kernel} and keeps {@link Buffer}s.
     *
     * @param memory of any kind, which does not overlap: what the launch's buffer numbers stand for. What is read-only
     *     is not copied back
     * @throws IllegalArgumentException if the memory does not suit the launch
     * @throws CudaException if the driver refuses the launch, or its kernel faults
     */
    public void run(Launch launch, List<MemorySegment> memory) {
        NotNull.all("launch, memory", launch, memory);
        HostRun.of(this, launch, memory);
    }

    /** How the cache of compiled kernels fares; all zeros for an emulated GPU, which compiles none. */
    public KernelCacheStats kernelCache() {
        return modules.images().cache();
    }

    /**
     * Waits for everything that was started on it, in all streams; a fault of any launch surfaces here at the latest.
     */
    public void synchronize() {
        LaunchMarks marks = context.launchLogs().marks();
        context.captureGates().synchronization().enter();
        try {
            context.call("cuCtxSynchronize", DriverApi::cuCtxSynchronize);
        } finally {
            context.captureGates().synchronization().leave();
        }
        marks.haveEnded();
    }

    @Override
    public long context() {
        lease.requireOpen();
        return context.handle();
    }

    @Override
    public <T> T inContext(Supplier<T> work) {
        Objects.requireNonNull(work, "work");
        lease.requireOpen();
        long previous = context.enter();
        try {
            return work.get();
        } finally {
            context.leave(previous);
        }
    }

    Context cudaContext() {
        return context;
    }

    TensorMaps tensorMaps() {
        return tensorMaps;
    }

    /** What checks programs before they are first launched; null for nothing. */
    LaunchCheck check() {
        return check;
    }

    Completions completions() {
        return completions;
    }

    Allocator allocator() {
        return allocator;
    }

    Peers peers() {
        return peers;
    }

    HostCopies hostCopies() {
        return hostCopies;
    }

    /**
     * Gives back all that was taken from it and is still open, and lets go of the context. Waits for what was started,
     * and for captures of other threads on the GPU.
     *
     * @throws IllegalStateException if this thread is capturing a stream of the GPU, or another does not end its
     *     capture; nothing is given back then, and this stays open
     * @throws CudaException the first failure; the rest has been given back all the same
     */
    @Override
    public void close() {
        if (lease.isOpen()) {
            context.awaitCaptures();
        }
        lease.close();
    }

    /** {@code GPU 0 (NVIDIA H200)}. */
    @Override
    public String toString() {
        return context.title();
    }
}

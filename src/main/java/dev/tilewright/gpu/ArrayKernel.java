package dev.tilewright.gpu;

import dev.tilewright.NotNull;
import dev.tilewright.gpu.context.Lease;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Launchable;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.array.ArrayArguments;
import dev.tilewright.program.array.ArrayLaunch;
import dev.tilewright.program.array.ArrayShape;
import dev.tilewright.program.array.KernelTemplate;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * A kernel over arrays that is loaded on a GPU: see {@link Gpu#load(KernelTemplate)}. What program a launch needs
 * follows from the shapes of its arrays; each is compiled when it is first needed, and stays loaded until this is
 * closed. Any number of threads launch it at once.
 *
 * {@snippet :
 * try (Gpu gpu = Gpu.open(); ArrayKernel gemm = gpu.load(GEMM)) {
 *     gemm.launch().set("a", a, m, k).set("b", b, k, n).set("c", c, m, n).run();
 * }
 * }
 */
public final class ArrayKernel implements AutoCloseable {
    private final Gpu gpu;
    private final KernelTemplate template;
    private final Map<TileProgram, Kernel> loaded = new HashMap<>();
    private final Lease lease;

    ArrayKernel(Gpu gpu, KernelTemplate template) {
        this.gpu = gpu;
        this.template = template;
        this.lease = Lease.of(this, gpu.cudaContext(), "kernel '" + template.name() + "'", () -> { });
    }

    /** The GPU that it is loaded on. */
    public Gpu gpu() {
        return gpu;
    }

    /** The template that it was loaded from. */
    public KernelTemplate template() {
        return template;
    }

    /** A launch, whose arrays and scalars are to be given by name. */
    public GpuLaunch launch() {
        lease.requireOpen();
        return new GpuLaunch(this);
    }

    /** Others are not kept waiting while one is compiled. */
    private Kernel kernel(TileProgram program) {
        synchronized (loaded) {
            lease.requireOpen();
            if (loaded.containsKey(program)) {
                return loaded.get(program);
            }
        }
        Kernel made = gpu.load(program);
        synchronized (loaded) {
            Kernel kept = lease.isOpen() ? loaded.putIfAbsent(program, made) : made;
            if (kept != null) {
                made.close();
            }
            lease.requireOpen();
            return loaded.get(program);
        }
    }

    /** How many programs have been loaded for its launches so far. */
    public int programs() {
        synchronized (loaded) {
            return loaded.size();
        }
    }

    /** {@code kernel 'gemm' for sm_90a on GPU 0}. */
    @Override
    public String toString() {
        return "kernel '" + template.name() + "' for " + gpu.target() + " on GPU " + gpu.info().ordinal();
    }

    /** Lets go of all its programs. Launches that were started end as they would have. */
    @Override
    public void close() {
        synchronized (loaded) {
            lease.close();
            loaded.values().forEach(Kernel::close);
            loaded.clear();
        }
    }

    /**
     * A launch on the GPU: arrays are the host's, copied there and back, or {@link Buffer}s, which stay there. One
     * thread at a time fills and runs it.
     */
    public static final class GpuLaunch implements ArrayLaunch<GpuLaunch> {
        private static final int ALIGNMENT = 16;

        private final ArrayKernel kernel;
        private final ArrayArguments arguments;
        private final Map<String, Buffer<?>> buffers = new LinkedHashMap<>();
        private Stream stream;

        private GpuLaunch(ArrayKernel kernel) {
            this.kernel = kernel;
            this.arguments = new ArrayArguments(kernel.template);
            this.stream = kernel.gpu.defaultStream();
        }

        @Override
        public List<Launchable.Array> arrays() {
            return kernel.template.arrays();
        }

        @Override
        public GpuLaunch set(String name, MemorySegment memory, ArrayShape shape) {
            NotNull.all("name, memory, shape", name, memory, shape);
            arguments.set(name, memory, shape);
            buffers.remove(name);
            return this;
        }

        /**
         * Gives an array on the GPU, which stays there.
         *
         * @throws IllegalArgumentException if the kernel has no array of this name, or the buffer is too small, of
         *     another type of element, or does not begin at a multiple of 16 bytes
         */
        public GpuLaunch set(String name, Buffer<?> buffer, ArrayShape shape) {
            NotNull.all("name, buffer, shape", name, buffer, shape);
            Launchable.Array array = arguments.require(name, buffer.bytes(), shape);
            if (buffer.address() % ALIGNMENT != 0) {
                throw new IllegalArgumentException("array '" + name + "' begins at address 0x"
                        + Long.toHexString(buffer.address()) + ", and programs move " + ALIGNMENT + " bytes at a time: "
                        + "give a slice that begins at a multiple of " + ALIGNMENT + " bytes, or a copy");
            }
            ArrayBuffers.require("kernel '" + kernel.template.name() + "': array '" + name + "'", array.type(), buffer);
            buffers.put(name, buffer);
            return this;
        }

        /**
         * Gives a dense, row-major array on the GPU, which stays there.
         *
         * @param shape its extents, outermost first
         */
        public GpuLaunch set(String name, Buffer<?> buffer, long... shape) {
            NotNull.all("name, buffer, shape", name, buffer, shape);
            return set(name, buffer, ArrayShape.dense(shape));
        }

        @Override
        public GpuLaunch scalar(String name, Number number) {
            NotNull.all("name, number", name, number);
            arguments.scalar(name, number);
            return this;
        }

        /** Sets the stream that it runs in; by default, the default stream. */
        public GpuLaunch on(Stream where) {
            stream = Objects.requireNonNull(where, "where");
            return this;
        }

        /**
         * The launch filled in, to be started as often as one likes at the cost of the driver's call.
         *
         * @throws IllegalArgumentException if an array or a scalar is missing, or an array is the host's
         */
        public KernelLaunch prepare() {
            arguments.memory().keySet().stream().findFirst().ifPresent(name -> {
                throw new IllegalArgumentException("array '" + name + "' is in the host's memory, and a launch that is "
                        + "prepared takes buffers alone: upload it, with gpu.upload(…), or use run()");
            });
            return filled(described(), buffers);
        }

        private Launch described() {
            return kernel.template.launch(arguments.shapes(), arguments.scalars(), kernel.gpu.name(),
                    kernel.gpu.target(), kernel.gpu.info().multiprocessors());
        }

        private KernelLaunch filled(Launch launch, Map<String, Buffer<?>> all) {
            requireApart(all);
            return kernel.kernel(launch.program()).prepare().fill(launch, arrays().stream()
                    .map(array -> all.get(array.name())).toArray(Buffer<?>[]::new)).on(stream);
        }

        private void requireApart(Map<String, Buffer<?>> all) {
            for (Launchable.Array array : arrays()) {
                Buffer<?> written = all.get(array.name());
                all.forEach((name, other) -> {
                    if (array.isWritten() && !name.equals(array.name())
                            && written.address() < other.address() + other.bytes()
                            && other.address() < written.address() + written.bytes()) {
                        throw new IllegalArgumentException("kernel '" + kernel.template.name() + "': arrays '"
                                + array.name() + "' and '" + name + "' share memory, and '" + array.name()
                                + "' is written: give each a buffer of its own, or declare one array that is read and "
                                + "written");
                    }
                });
            }
        }

        /**
         * Copies the host's arrays to the GPU, runs the kernel, copies back what it writes, and waits.
         *
         * @throws dev.tilewright.gpu.device.CudaException if the driver refuses the launch, or its kernel faults
         */
        @Override
        public void run() {
            Launch launch = described();
            Map<String, MemorySegment> memory = arguments.memory();
            Map<String, Buffer<?>> all = new LinkedHashMap<>(buffers);
            Map<String, Buffer<?>> copies = new LinkedHashMap<>();
            try {
                memory.forEach((name, segment) -> {
                    Buffer<byte[]> copy = kernel.gpu.bytes(segment.byteSize());
                    copies.put(name, copy);
                    stream.upload(segment, copy);
                });
                all.putAll(copies);
                filled(launch, all).start();
                for (Launchable.Array array : arrays()) {
                    if (array.isWritten() && copies.containsKey(array.name())) {
                        stream.download(copies.get(array.name()), memory.get(array.name()));
                    }
                }
                stream.synchronize();
            } finally {
                copies.values().forEach(Buffer::close);
            }
        }

        /** {@code launch of kernel 'gemm' for sm_90a on GPU 0}. */
        @Override
        public String toString() {
            return "launch of " + kernel;
        }
    }
}

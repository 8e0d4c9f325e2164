package dev.tilewright.gpu;

import dev.tilewright.program.Argument;
import dev.tilewright.program.Launch;
import dev.tilewright.program.Parameter;
import java.util.List;
import java.util.Objects;

/**
 * A kernel that is loaded on a GPU: see {@link Gpu#load}. Any number of threads launch it at once, each through
 * {@link KernelLaunch}es of its own. Loading the same kernel again costs next to nothing and gives another object for
 * the same code, which is unloaded when the last of them is closed.
 */
public final class Kernel implements AutoCloseable {
    private final Gpu gpu;
    private final LoadedModules.Entry entry;
    private final Lease lease;

    Kernel(Gpu gpu, LoadedModules modules, LoadedModules.Entry entry) {
        this.gpu = gpu;
        this.entry = entry;
        this.lease = Lease.of(this, gpu.cudaContext(), "kernel '" + entry.signature().name() + "'",
                () -> modules.release(entry));
    }

    /** Where it is loaded. */
    public Gpu gpu() {
        return gpu;
    }

    /** Its name. */
    public String name() {
        return entry.signature().name();
    }

    /** What its launches give, in order. */
    public List<Parameter> parameters() {
        return entry.signature().parameters();
    }

    /** What the compiler made of it. */
    public KernelAttributes attributes() {
        return entry.module().attributes();
    }

    /** Blocks that one multiprocessor holds at once, as the driver says; 0 if not even one fits. */
    public int blocksPerMultiprocessor() {
        return entry.module().blocksPerMultiprocessor();
    }

    /** Blocks that the whole device holds at once: what a kernel whose blocks take many tiles is launched with. */
    public int residentBlocks() {
        return Math.max(1, blocksPerMultiprocessor()) * gpu.info().multiprocessors();
    }

    /** A launch to be filled in: its grid, and an argument for each parameter by name. */
    public KernelLaunch prepare() {
        return new KernelLaunch(this);
    }

    /**
     * A launch that is described already, such as {@link dev.tilewright.builder.TileKernel#launch} makes it.
     *
     * @param launch its grid, cluster and arguments
     * @param buffers the launch's buffers, by their numbers
     * @throws IllegalArgumentException if the launch is of another kernel, a buffer is missing, or one is too small
     */
    public KernelLaunch prepare(Launch launch, Buffer<?>... buffers) {
        Objects.requireNonNull(launch, "launch");
        Objects.requireNonNull(buffers, "buffers");
        if (!launch.program().name().equals(name()) || !launch.program().parameters().equals(parameters())) {
            throw new IllegalArgumentException("the launch is of kernel '" + launch.program().name()
                    + "', the loaded kernel is '" + name() + "'");
        }
        KernelLaunch prepared = prepare();
        if (launch.program().cluster().chosenAtLaunch()) {
            prepared.cluster(launch.cluster());
        }
        prepared.grid(launch.grid());
        for (int i = 0; i < parameters().size(); i++) {
            String name = parameters().get(i).name();
            switch (launch.arguments().get(i)) {
                case Argument.Buffer b -> {
                    Buffer<?> whole = numbered(buffers, b.buffer());
                    prepared.set(name, slice(name, whole, b));
                }
                case Argument.Tensor t -> prepared.set(name, t.map(), numbered(buffers, t.buffer()), t.offset());
                case Argument.Int(long value) -> prepared.set(name, value);
                case Argument.Scalar(long bits) -> prepared.setBits(name, bits);
            }
        }
        return prepared;
    }

    private Buffer<?> numbered(Buffer<?>[] buffers, int number) {
        if (number >= buffers.length) {
            throw new IllegalArgumentException("kernel '" + name() + "' uses buffer " + number + ", got "
                    + buffers.length + " buffers");
        }
        return Objects.requireNonNull(buffers[number], "buffer " + number);
    }

    private Buffer<byte[]> slice(String parameter, Buffer<?> whole, Argument.Buffer argument) {
        try {
            long bytes = argument.extentIn(whole.bytes());
            return whole.as(ArrayType.BYTES).slice(argument.offset(), bytes);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("kernel '" + name() + "': parameter '" + parameter + "' "
                    + e.getMessage());
        }
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

    /** Lets go of it. Launches that were started end as they would have. */
    @Override
    public void close() {
        lease.close();
    }
}

package dev.tilewright.gpu;

import dev.tilewright.program.Launch;
import dev.tilewright.program.SharedLayout;
import dev.tilewright.program.TileProgram;
import dev.tilewright.ptx.Target;
import dev.tilewright.reference.Reference;
import dev.tilewright.reference.ReferenceOptions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;

/**
 * The CPU as a device: its memory is host memory, and launches run through the reference executor, the definition of
 * what a kernel does. New memory holds 0xAB bytes, so that code which relies on zeros is found out; what a GPU would
 * refuse, such as memory of another device or a closed buffer, it refuses too.
 */
public final class ReferenceDriver implements Driver {
    private static final byte FRESH = (byte) 0xAB;
    /** Addresses start well above what could be mistaken for a size or an offset. */
    private long nextAddress = 0x7F00_0000_0000L;
    private final ReferenceOptions options;
    private boolean open = true;

    /** A device of its own, with nothing in its memory, that runs kernels as {@link Reference} does by default. */
    public ReferenceDriver() {
        this(ReferenceOptions.DEFAULT);
    }

    /** A device of its own, with nothing in its memory. @param options how launches run, for instance in a seed's order */
    public ReferenceDriver(ReferenceOptions options) {
        this.options = Objects.requireNonNull(options, "options");
    }

    private record Buffer(ReferenceDriver driver, Arena arena, MemorySegment memory, long pointer)
            implements DeviceBuffer {
        MemorySegment open() {
            if (!arena.scope().isAlive()) {
                throw new IllegalStateException("the device buffer of " + bytes() + " bytes is closed");
            }
            return memory;
        }

        @Override
        public long bytes() {
            return memory.byteSize();
        }

        @Override
        public long address() {
            open();
            return pointer;
        }

        @Override
        public void close() {
            if (arena.scope().isAlive()) {
                arena.close();
            }
        }
    }

    private record Kernel(ReferenceDriver driver, TileProgram program) implements LoadedKernel {
        @Override
        public int residentBlocks() {
            return 8;
        }

        @Override
        public void close() {
            // Nothing is held.
        }
    }

    @Override
    public Backend backend() {
        return Backend.REFERENCE;
    }

    @Override
    public boolean definesResults() {
        return true;
    }

    @Override
    public String name() {
        return "the reference executor";
    }

    @Override
    public Target target() {
        return Target.SM_90A;
    }

    @Override
    public int sharedMemoryPerBlock() {
        return SharedLayout.LARGEST;
    }

    @Override
    public DeviceBuffer allocate(long bytes) {
        requireOpen();
        Transfers.requireSize(bytes);
        HostMemory.requireAvailable(bytes);
        Arena arena = Arena.ofShared();
        try {
            Buffer buffer = new Buffer(this, arena, arena.allocate(bytes, 256).fill(FRESH), nextAddress);
            nextAddress = Math.addExact(nextAddress, Math.ceilDiv(bytes, 256L) * 256 + 256);
            return buffer;
        } catch (OutOfMemoryError e) {
            arena.close();
            throw HostMemory.tooMuch(bytes, e);
        }
    }

    @Override
    public void upload(MemorySegment host, DeviceBuffer to) {
        Objects.requireNonNull(host, "host");
        Objects.requireNonNull(to, "to");
        Transfers.check(host, to);
        memory(to).asSlice(0, host.byteSize()).copyFrom(host);
    }

    @Override
    public void download(DeviceBuffer from, MemorySegment host) {
        Objects.requireNonNull(from, "from");
        Objects.requireNonNull(host, "host");
        Transfers.check(host, from);
        host.copyFrom(memory(from).asSlice(0, host.byteSize()));
    }

    @Override
    public void fill(DeviceBuffer buffer, byte value) {
        Objects.requireNonNull(buffer, "buffer");
        memory(buffer).fill(value);
    }

    @Override
    public void copy(DeviceBuffer from, DeviceBuffer to, long bytes) {
        Objects.requireNonNull(from, "from");
        Objects.requireNonNull(to, "to");
        Transfers.check(from, to, bytes);
        MemorySegment.copy(memory(from), 0, memory(to), 0, bytes);
    }

    @Override
    public LoadedKernel load(TileProgram program) {
        Objects.requireNonNull(program, "program");
        requireOpen();
        return new Kernel(this, program);
    }

    @Override
    public void launch(LoadedKernel kernel, Launch launch, List<DeviceBuffer> buffers) {
        Objects.requireNonNull(kernel, "kernel");
        Objects.requireNonNull(launch, "launch");
        Objects.requireNonNull(buffers, "buffers");
        Launches.check(kernel, launch, buffers);
        if (!(kernel instanceof Kernel own) || own.driver != this) {
            throw new IllegalArgumentException("the kernel belongs to another driver");
        }
        Reference.run(launch, buffers.stream().map(this::memory).toList(), options);
    }

    @Override
    public void synchronize() {
        // Launches have ended when they return.
        requireOpen();
    }

    /** Refuses further use. Buffers are freed by the code that allocated them. */
    @Override
    public void close() {
        open = false;
    }

    private MemorySegment memory(DeviceBuffer buffer) {
        requireOpen();
        if (!(buffer instanceof Buffer own) || own.driver != this) {
            throw new IllegalArgumentException("the buffer belongs to another driver");
        }
        return own.open();
    }

    private void requireOpen() {
        if (!open) {
            throw new IllegalStateException("this driver is closed");
        }
    }

    /** {@code the reference executor}. */
    @Override
    public String toString() {
        return name();
    }
}

package dev.tilewright.gpu;

import dev.tilewright.program.Launch;
import dev.tilewright.program.SharedLayout;
import dev.tilewright.program.TileProgram;
import dev.tilewright.ptx.Target;
import dev.tilewright.reference.ReferenceLaunch;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;

/**
 * A device without hardware: its memory is host memory, and launches run through the reference executor. New memory
 * holds 0xAB bytes, so that code which relies on zeros is found out.
 */
public final class FakeDriver implements Driver {
    private static final byte FRESH = (byte) 0xAB;
    /** Addresses start well above what could be mistaken for a size or an offset. */
    private long nextAddress = 0x7F00_0000_0000L;

    private static final class Buffer implements DeviceBuffer {
        private final Arena arena = Arena.ofShared();
        private final MemorySegment memory;
        private final long address;

        Buffer(long bytes, long address) {
            this.memory = arena.allocate(bytes, 256).fill(FRESH);
            this.address = address;
        }

        @Override
        public long bytes() {
            return memory.byteSize();
        }

        @Override
        public long address() {
            return address;
        }

        @Override
        public void close() {
            if (arena.scope().isAlive()) {
                arena.close();
            }
        }
    }

    private record Kernel(TileProgram program) implements LoadedKernel {
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
        Buffer buffer = new Buffer(bytes, nextAddress);
        nextAddress += Math.ceilDiv(bytes, 256) * 256L + 256;
        return buffer;
    }

    @Override
    public void upload(MemorySegment host, DeviceBuffer to) {
        memory(to).asSlice(0, host.byteSize()).copyFrom(host);
    }

    @Override
    public void download(DeviceBuffer from, MemorySegment host) {
        host.copyFrom(memory(from).asSlice(0, host.byteSize()));
    }

    @Override
    public void fill(DeviceBuffer buffer, byte value) {
        memory(buffer).fill(value);
    }

    @Override
    public LoadedKernel load(TileProgram program) {
        return new Kernel(Objects.requireNonNull(program, "program"));
    }

    @Override
    public void launch(LoadedKernel kernel, Launch launch, List<DeviceBuffer> buffers) {
        Launches.check(kernel, launch, buffers);
        ReferenceLaunch.run(launch, buffers.stream().map(FakeDriver::memory).toList());
    }

    @Override
    public void synchronize() {
        // Launches have ended when they return.
    }

    @Override
    public void close() {
        // Buffers are freed by whoever allocated them.
    }

    private static MemorySegment memory(DeviceBuffer buffer) {
        if (!(buffer instanceof Buffer own)) {
            throw new IllegalArgumentException("the buffer belongs to another driver");
        }
        return own.memory;
    }
}

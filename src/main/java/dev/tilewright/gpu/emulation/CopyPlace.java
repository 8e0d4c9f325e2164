package dev.tilewright.gpu.emulation;

import dev.tilewright.gpu.emulation.state.DeviceFault;
import dev.tilewright.gpu.emulation.state.Memory;
import java.lang.foreign.MemorySegment;

/** Where a copy reads or writes: looked up when the copy is asked for, touched when it is done. */
sealed interface CopyPlace {

    /**
     * The bytes.
     *
     * @throws DeviceFault if they are not there
     */
    MemorySegment bytes(long count);

    /** In memory that the driver knows. */
    record Known(Memory memory, long offset) implements CopyPlace {
        @Override
        public MemorySegment bytes(long count) {
            return memory.segment().asSlice(offset, count);
        }
    }

    /** In host memory that the driver does not know. */
    record Pageable(long address) implements CopyPlace {
        @Override
        public MemorySegment bytes(long count) {
            return MemorySegment.ofAddress(address).reinterpret(count);
        }
    }

    /** What pageable memory held when the copy was asked for. */
    record Staged(MemorySegment staging) implements CopyPlace {
        @Override
        public MemorySegment bytes(long count) {
            return staging.asSlice(0, count);
        }
    }
}

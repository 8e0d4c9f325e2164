package dev.tilewright.gpu.streaming;

import java.lang.foreign.MemorySegment;

/** Host memory to write. */
final class MemoryTarget extends HostTarget {
    private final MemorySegment memory;

    MemoryTarget(MemorySegment memory) {
        if (memory.isReadOnly()) {
            throw new IllegalArgumentException("the result cannot be written to read-only memory");
        }
        this.memory = memory;
    }

    @Override
    void requireBytes(long bytes) {
        if (memory.byteSize() != bytes) {
            throw new IllegalArgumentException("the result has " + bytes + " bytes, the memory for it "
                    + memory.byteSize());
        }
    }

    @Override
    MemorySegment memory() {
        return memory;
    }

    @Override
    public String toString() {
        return "memory of " + memory.byteSize() + " bytes";
    }

    @Override
    Writer open() {
        return new Writer() {
            @Override
            public void write(long at, MemorySegment from) {
                try {
                    MemoryCopy.copy(from, 0, memory, at, from.byteSize());
                } catch (IllegalStateException e) {
                    throw MemoryCopy.inWords(e, memory, "the result");
                }
            }

            @Override
            public void commit() {
                // It is there already.
            }

            @Override
            public void close() {
                // The memory is the application's.
            }
        };
    }
}

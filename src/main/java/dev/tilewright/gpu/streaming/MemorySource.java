package dev.tilewright.gpu.streaming;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;

/** Host memory to read. */
final class MemorySource extends HostSource {
    private final MemorySegment memory;

    MemorySource(MemorySegment memory) {
        this.memory = memory;
    }

    @Override
    public long bytes() {
        return memory.byteSize();
    }

    @Override
    MemorySegment memory() {
        return memory;
    }

    @Override
    Reader open() throws IOException {
        MappedFile file = MappedFile.of(memory);
        FileChannel channel = file == null ? null : file.open();
        if (channel != null) {
            return new FileSource(null, channel, file.position(), memory.byteSize()).reader(channel, true);
        }
        return new Reader() {
            @Override
            public void read(long at, MemorySegment to) {
                try {
                    MemoryCopy.copy(memory, at, to, 0, to.byteSize());
                } catch (IllegalStateException e) {
                    throw MemoryCopy.inWords(e, memory, "the source");
                }
            }

            @Override
            public void close() {
                // The memory is the application's.
            }
        };
    }

    @Override
    public String toString() {
        return "memory of " + memory.byteSize() + " bytes";
    }
}

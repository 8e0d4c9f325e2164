package dev.tilewright.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Buffers that are one memory on the device are one memory in the copies. */
class BufferCopiesTest {

    @Test
    void aBufferThatIsGivenTwiceIsCopiedOnce() {
        byte[] data = new byte[64];
        data[60] = 16;
        try (Arena arena = Arena.ofShared(); Gpu gpu = Gpu.emulated(); Buffer<byte[]> one = gpu.upload(data);
                Buffer<byte[]> other = gpu.upload(new byte[32])) {
            List<MemorySegment> copies = BufferCopies.of(List.of(one, other, one), gpu.defaultStream(), arena);
            assertEquals(List.of(64L, 32L, 64L), copies.stream().map(MemorySegment::byteSize).toList());
            assertEquals(16, copies.get(0).getAtIndex(ValueLayout.JAVA_INT, 15));
            assertEquals(copies.get(0).address(), copies.get(2).address());
            assertTrue(copies.get(0).asOverlappingSlice(copies.get(1)).isEmpty());
        }
    }
}

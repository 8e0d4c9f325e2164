package dev.tilewright.gpu;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * What buffers hold, copied to the host. Buffers that overlap on the device, such as one that is given twice or slices
 * of one allocation, overlap in the copies as well.
 */
final class BufferCopies {
    private static final long ALIGNMENT = 256;

    private BufferCopies() { }

    /** The copies, in the order of the buffers, of what a stream will have left in them. It is waited for. */
    static List<MemorySegment> of(List<Buffer<?>> buffers, Stream stream, Arena arena) {
        MemorySegment[] copies = new MemorySegment[buffers.size()];
        List<Integer> byAddress = new ArrayList<>();
        for (int i = 0; i < copies.length; i++) {
            byAddress.add(i);
        }
        byAddress.sort(Comparator.comparing(i -> buffers.get(i).address(), Long::compareUnsigned));
        for (int first = 0; first < copies.length;) {
            int last = first;
            long start = buffers.get(byAddress.get(first)).address();
            long bytes = buffers.get(byAddress.get(first)).bytes();
            while (last + 1 < copies.length && buffers.get(byAddress.get(last + 1)).address() - start < bytes) {
                last++;
                Buffer<?> more = buffers.get(byAddress.get(last));
                bytes = Math.max(bytes, more.address() - start + more.bytes());
            }
            MemorySegment whole = arena.allocate(Math.max(1, bytes), ALIGNMENT);
            for (int i = first; i <= last; i++) {
                Buffer<?> buffer = buffers.get(byAddress.get(i));
                MemorySegment copy = whole.asSlice(buffer.address() - start, buffer.bytes());
                stream.download(buffer, copy);
                copies[byAddress.get(i)] = copy;
            }
            first = last + 1;
        }
        stream.synchronize();
        return List.of(copies);
    }
}

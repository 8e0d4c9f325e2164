package dev.tilewright.tensormap;

import dev.tilewright.tensormap.sm90.Sm90Fields;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * Points an encoded map at another tensor of the same shape without encoding again, as
 * {@code cuTensorMapReplaceAddress} does: on an H200 that call changes the first 8 bytes and nothing else, refuses
 * null, addresses that are no multiple of 16, and those from 2^57 on (measured).
 */
public final class TensorMapAddress {

    private TensorMapAddress() { }

    /** The address in an encoded map. */
    public static long of(MemorySegment encoded) {
        Objects.requireNonNull(encoded, "encoded");
        return new Sm90Fields(encoded).address();
    }

    /**
     * Replaces the address in place. A copy that is in flight must not use the map meanwhile.
     *
     * @param encoded the 128 bytes, in sm_90's layout
     * @param address the other tensor's first byte: a multiple of 16, of 32 with interleave 32B (which cuda.h demands
     *     and the driver's call does not look at), not null, below 2^57
     * @throws IllegalArgumentException if the segment is not 128 bytes or the address breaks one of these; nothing is
     *     changed then
     */
    public static void rebind(MemorySegment encoded, long address) {
        Objects.requireNonNull(encoded, "encoded");
        if (encoded.byteSize() != TensorMapEncoder.BYTES) {
            throw new IllegalArgumentException("a tensor map is " + TensorMapEncoder.BYTES + " bytes, the segment has "
                    + encoded.byteSize());
        }
        Sm90Fields fields = new Sm90Fields(encoded);
        int step = fields.interleave() == Interleave.B32.cudaValue() ? 32 : 16;
        if (address == 0 || address % step != 0 || address >>> 57 != 0) {
            throw new IllegalArgumentException("a tensor map can be bound to a multiple of " + step
                    + " bytes between 0 and 2^57, got 0x" + Long.toHexString(address));
        }
        fields.address(address);
    }
}

package dev.tilewright.reference;

import dev.tilewright.layout.Swizzle;
import dev.tilewright.reference.ReferenceException.Kind;
import dev.tilewright.tensormap.Interleave;
import dev.tilewright.tensormap.OobFill;
import dev.tilewright.tensormap.TiledTensorMap;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * One box of a tiled tensor map, loaded into shared memory or stored from it, to the byte.
 *
 * <p>Every rule here was measured on an H200 and is held to the recordings in {@code native-tests/recordings}:
 * <ul>
 * <li>element i of dimension d is at coordinate {@code coordinate[d] + i * elementStride[d]}; dimension 0 is never
 * strided; rows lie densely in shared memory, or a swizzle span apart;</li>
 * <li>the swizzle moves 16-byte chunks by their absolute shared address;</li>
 * <li>a load fills what is out of bounds with zeros, or with 0x7FF7 in every 16-bit half; TF32 types are rounded, the
 * fill is not;</li>
 * <li>a store skips what is out of bounds, but cuts dimension 0 at 16-byte chunks: it also writes the elements from
 * the dimension's end up to the next multiple of 16 bytes. It copies TF32 bits unchanged.</li>
 * </ul>
 *
 * <p>Shared memory is a byte array whose index stands for the shared address: index 0 is a multiple of 1024.
 */
public final class TensorBox {
    private static final int CHUNK = 16;
    private static final int SHARED_ALIGNMENT = 128;

    private final TiledTensorMap map;
    private final BoxWalk walk;
    private final Swizzle swizzle;
    private final int elementBytes;
    private final int rowBytes;
    private final int pitch;

    /** @throws IllegalArgumentException if the map is interleaved, which is not modelled yet */
    public TensorBox(TiledTensorMap map) {
        if (map.interleave() != Interleave.NONE) {
            throw new Fault(Kind.NOT_MODELLED, "tensor maps with interleave (here " + map.interleave()
                    + ") are not modelled yet: use one without");
        }
        this.map = map;
        this.walk = new BoxWalk(map);
        this.swizzle = map.swizzle();
        this.elementBytes = map.type().bytes();
        this.rowBytes = map.rowBytes();
        this.pitch = swizzle.rowPitch(rowBytes);
        if (swizzle != Swizzle.NONE && rowBytes > swizzle.span()) {
            throw new Fault(Kind.BAD_SIZE, "a row of the box has " + rowBytes + " bytes, swizzle " + swizzle
                    + " takes at most " + swizzle.span());
        }
    }

    /** Bytes that a load counts on its mbarrier. */
    public int transactionBytes() {
        return map.transactionBytes();
    }

    /** Bytes of shared memory from the box's first to its last, swizzle gaps included. */
    public int sharedBytes() {
        return map.sharedBytes();
    }

    /**
     * Copies a box from the tensor to shared memory. Gaps of the swizzle keep what they held.
     *
     * @param tensor byte 0 is the map's global address
     * @param coordinates elements, one for each dimension, innermost first; may lie out of bounds
     * @param address where the box starts in {@code shared}: a multiple of 128
     * @throws IllegalArgumentException if an address or coordinate breaks a rule or a byte lies outside the arrays
     */
    public void load(MemorySegment tensor, int[] coordinates, byte[] shared, int address) {
        check(tensor.byteSize(), coordinates, shared.length, address, false);
        loadChecked(tensor, coordinates, shared, address);
    }

    /**
     * Copies a box from shared memory to the tensor.
     *
     * @param tensor byte 0 is the map's global address
     * @param coordinates elements, one for each dimension, innermost first; may lie out of bounds
     * @param address where the box starts in {@code shared}: a multiple of 128
     * @throws IllegalArgumentException if an address or coordinate breaks a rule or a byte lies outside the arrays
     */
    public void store(MemorySegment tensor, int[] coordinates, byte[] shared, int address) {
        check(tensor.byteSize(), coordinates, shared.length, address, true);
        storeChecked(tensor, coordinates, shared, address);
    }

    /** Everything that can be wrong with one copy, so that the copy itself can come later and cannot fail. */
    void check(long tensorBytes, int[] coordinates, int sharedLength, int address, boolean store) {
        if (coordinates.length != map.rank()) {
            throw new Fault(Kind.BAD_SIZE, "a tensor of rank " + map.rank() + " takes " + map.rank()
                    + " coordinates, got " + coordinates.length);
        }
        if (address % SHARED_ALIGNMENT != 0) {
            throw new Fault(Kind.MISALIGNED, "the box lies at shared address " + address
                    + ", which must be a multiple of " + SHARED_ALIGNMENT);
        }
        if (address < 0 || address > sharedLength - sharedBytes()) {
            throw new Fault(Kind.OUT_OF_BOUNDS, "a box of " + sharedBytes() + " bytes at shared address " + address
                    + " does not fit in " + sharedLength + " bytes");
        }
        checkCoordinates(tensorBytes, coordinates, store);
    }

    void checkCoordinates(long tensorBytes, int[] coordinates, boolean store) {
        if (coordinates[0] % (CHUNK / elementBytes) != 0) {
            throw new Fault(Kind.MISALIGNED, "coordinate 0 is " + coordinates[0] + ", " + (long) coordinates[0] * elementBytes
                    + " bytes into the row, which must be a multiple of " + CHUNK
                    + ": the hardware faults with ILLEGAL_INSTRUCTION");
        }
        long end = walk.endOfAccess(coordinates, rowLimit(store));
        if (end > tensorBytes) {
            throw new Fault(Kind.OUT_OF_BOUNDS, "the box at coordinates " + Arrays.toString(coordinates)
                    + (store ? " writes" : " reads") + " up to byte " + (end - 1) + " of a tensor whose memory has "
                    + tensorBytes + " bytes" + (store && walk.fits(coordinates, tensorBytes, rowLimit(false))
                    ? " (a store writes rows up to the next multiple of 16 bytes)" : ""));
        }
    }

    /** What a walk over the tensor's bytes is told. */
    @FunctionalInterface
    interface Stretch {
        void bytes(long offset, long count);
    }

    /** The bytes of the tensor that a copy of the box at these coordinates touches, row by row. */
    void forEachRow(int[] coordinates, boolean store, Stretch stretch) {
        BoxWalk.Rows rows = walk.rows(coordinates);
        int first = walk.firstByte(coordinates);
        int end = walk.endByte(coordinates, rowLimit(store));
        while (first < end && rows.next()) {
            if (rows.offset() != BoxWalk.OUTSIDE) {
                stretch.bytes(rows.offset() + first, end - first);
            }
        }
    }

    /** What a box's address should be a multiple of, so that the swizzle's pattern starts with it. */
    int swizzlePeriod() {
        return swizzle == Swizzle.NONE ? SHARED_ALIGNMENT : Math.max(SHARED_ALIGNMENT, swizzle.period());
    }

    void loadChecked(MemorySegment tensor, int[] coordinates, byte[] shared, int address) {
        byte[] row = new byte[rowBytes];
        BoxWalk.Rows rows = walk.rows(coordinates);
        int first = walk.firstByte(coordinates);
        int end = walk.endByte(coordinates, rowLimit(false));
        for (int to = address; rows.next(); to += pitch) {
            long from = rows.offset();
            int count = from == BoxWalk.OUTSIDE ? 0 : Math.max(0, end - first);
            if (count == rowBytes && swizzle == Swizzle.NONE && !map.type().roundsToTf32()) {
                MemorySegment.copy(tensor, ValueLayout.JAVA_BYTE, from, shared, to, rowBytes);
                continue;
            }
            if (count < rowBytes) {
                fill(row);
            }
            if (count > 0) {
                MemorySegment.copy(tensor, ValueLayout.JAVA_BYTE, from + first, row, first, count);
                if (map.type().roundsToTf32()) {
                    roundToTf32(row, first, count);
                }
            }
            for (int chunk = 0; chunk < rowBytes; chunk += CHUNK) {
                System.arraycopy(row, chunk, shared, chunkAddress(to + chunk), Math.min(CHUNK, rowBytes - chunk));
            }
        }
    }

    void storeChecked(MemorySegment tensor, int[] coordinates, byte[] shared, int address) {
        BoxWalk.Rows rows = walk.rows(coordinates);
        int first = walk.firstByte(coordinates);
        int end = walk.endByte(coordinates, rowLimit(true));
        for (int from = address; rows.next(); from += pitch) {
            long to = rows.offset();
            if (to == BoxWalk.OUTSIDE || first >= end) {
                continue;
            }
            if (swizzle == Swizzle.NONE) {
                MemorySegment.copy(shared, from + first, tensor, ValueLayout.JAVA_BYTE, to + first, end - first);
                continue;
            }
            for (int chunk = first; chunk < end; chunk += CHUNK) {
                MemorySegment.copy(shared, chunkAddress(from + chunk), tensor, ValueLayout.JAVA_BYTE, to + chunk,
                        Math.min(CHUNK, end - chunk));
            }
        }
    }

    /** Where a row of the tensor ends for this kind of copy, in bytes from its start. */
    private long rowLimit(boolean store) {
        long bytes = Math.multiplyExact(map.dims().getFirst(), elementBytes);
        return store ? Math.ceilDiv(bytes, (long) CHUNK) * CHUNK : bytes;
    }

    private int chunkAddress(int unswizzled) {
        return (int) swizzle.apply(unswizzled);
    }

    private void fill(byte[] row) {
        if (map.fill() == OobFill.ZERO) {
            Arrays.fill(row, (byte) 0);
            return;
        }
        for (int i = 0; i < row.length; i++) {
            row[i] = (byte) ((i & 1) == 0 ? 0xF7 : 0x7F);
        }
    }

    private static void roundToTf32(byte[] row, int first, int count) {
        MemorySegment words = MemorySegment.ofArray(row);
        ValueLayout.OfInt word = ValueLayout.JAVA_INT_UNALIGNED.withOrder(java.nio.ByteOrder.LITTLE_ENDIAN);
        for (int i = first; i < first + count; i += Integer.BYTES) {
            words.set(word, i, Tf32.round(words.get(word, i)));
        }
    }
}

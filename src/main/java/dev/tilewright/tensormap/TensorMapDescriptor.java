package dev.tilewright.tensormap;

import dev.tilewright.tensormap.sm90.Sm90Fields;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Objects;

/** The 128 bytes of a {@code CUtensorMap} as a value: immutable, equal by content. */
public final class TensorMapDescriptor {

    private final byte[] bytes;

    private TensorMapDescriptor(byte[] bytes) {
        this.bytes = bytes;
    }

    /** @throws IllegalArgumentException if there are not exactly 128 bytes */
    public static TensorMapDescriptor of(byte[] bytes) {
        Objects.requireNonNull(bytes, "bytes");
        requireSize(bytes.length);
        return new TensorMapDescriptor(bytes.clone());
    }

    /**
     * Copies the first 128 bytes of a segment.
     *
     * @throws IllegalArgumentException if it is shorter
     */
    public static TensorMapDescriptor of(MemorySegment segment) {
        Objects.requireNonNull(segment, "segment");
        if (segment.byteSize() < TensorMapEncoder.BYTES) {
            requireSize(segment.byteSize());
        }
        return new TensorMapDescriptor(segment.asSlice(0, TensorMapEncoder.BYTES).toArray(ValueLayout.JAVA_BYTE));
    }

    /**
     * Reads 256 hexadecimal digits, in either case.
     *
     * @throws IllegalArgumentException if there are more or fewer, or other characters among them
     */
    public static TensorMapDescriptor ofHex(String hex) {
        Objects.requireNonNull(hex, "hex");
        if (hex.length() != 2 * TensorMapEncoder.BYTES) {
            throw new IllegalArgumentException("a tensor map is " + 2 * TensorMapEncoder.BYTES
                    + " hexadecimal digits, got " + hex.length() + " characters");
        }
        return new TensorMapDescriptor(HexFormat.of().parseHex(hex));
    }

    private static void requireSize(long size) {
        if (size != TensorMapEncoder.BYTES) {
            throw new IllegalArgumentException("a tensor map has " + TensorMapEncoder.BYTES + " bytes, got " + size);
        }
    }

    /** A copy of the bytes. */
    public byte[] bytes() {
        return bytes.clone();
    }

    /** 256 lower-case hexadecimal digits. */
    public String hex() {
        return HexFormat.of().formatHex(bytes);
    }

    /** The tensor's address. */
    public long address() {
        return new Sm90Fields(MemorySegment.ofArray(bytes)).address();
    }

    /**
     * This map for a tensor elsewhere.
     *
     * @throws IllegalArgumentException as {@link TensorMapAddress#rebind}
     */
    public TensorMapDescriptor withAddress(long address) {
        byte[] copy = bytes.clone();
        TensorMapAddress.rebind(MemorySegment.ofArray(copy), address);
        return new TensorMapDescriptor(copy);
    }

    /** Writes the bytes to the start of a segment of at least 128 bytes. */
    public void copyTo(MemorySegment destination) {
        Objects.requireNonNull(destination, "destination");
        MemorySegment.copy(bytes, 0, destination, ValueLayout.JAVA_BYTE, 0, bytes.length);
    }

    /** The bytes in memory that a kernel launch can take them from: off the heap, aligned as cuda.h asks. */
    public MemorySegment allocate(Arena arena) {
        Objects.requireNonNull(arena, "arena");
        MemorySegment segment = arena.allocate(TensorMapEncoder.BYTES, TensorMapEncoder.ALIGNMENT);
        copyTo(segment);
        return segment;
    }

    /**
     * Decodes the bytes.
     *
     * @throws dev.tilewright.BadRequestException as {@link TensorMapDecoder#decode}
     */
    public DecodedTensorMap decode() {
        return TensorMapDecoder.decode(this);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TensorMapDescriptor d && Arrays.equals(bytes, d.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    /** The hexadecimal digits. */
    @Override
    public String toString() {
        return hex();
    }
}

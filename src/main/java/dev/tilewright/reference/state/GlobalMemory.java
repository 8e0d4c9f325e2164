package dev.tilewright.reference.state;

import dev.tilewright.reference.box.ByteRows;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * An allocation in global memory under its parameter's name. Little-endian, whatever the host is.
 *
 * @param known where it lies among all that the run is given
 */
public record GlobalMemory(String name, MemorySegment segment, long bytes, DeviceAddresses.Known known) {
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(
            ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** Memory that is no allocation of the run's. */
    public GlobalMemory(String name, MemorySegment segment) {
        this(name, segment, DeviceAddresses.Known.NOWHERE);
    }

    public GlobalMemory(String name, MemorySegment segment, DeviceAddresses.Known known) {
        this(name, segment, segment.byteSize(), known);
    }

    /** 1, 2, 4 or 8 bytes, zero-extended. */
    public long get(long offset, int size) {
        return switch (size) {
            case 1 -> segment.get(ValueLayout.JAVA_BYTE, offset) & 0xFFL;
            case 2 -> segment.get(SHORT, offset) & 0xFFFFL;
            case 4 -> segment.get(INT, offset) & 0xFFFF_FFFFL;
            default -> segment.get(LONG, offset);
        };
    }

    /** Writes the low 1, 2, 4 or 8 bytes of a value. */
    public void set(long offset, int size, long value) {
        switch (size) {
            case 1 -> segment.set(ValueLayout.JAVA_BYTE, offset, (byte) value);
            case 2 -> segment.set(SHORT, offset, (short) value);
            case 4 -> segment.set(INT, offset, (int) value);
            default -> segment.set(LONG, offset, value);
        }
    }

    /** Writes 16 bytes. */
    public void setLongs(long offset, long low, long high) {
        segment.set(LONG, offset, low);
        segment.set(LONG, offset + Long.BYTES, high);
    }

    /** Bytes of it as one row. */
    public ByteRows rows(long offset, int count) {
        return ByteRows.of(segment, offset, count);
    }

    public void copyTo(long offset, SharedMemory shared, int address, int count) {
        MemorySegment.copy(segment, ValueLayout.JAVA_BYTE, offset, shared.overwritten(address, count), address, count);
    }

    public void copyFrom(long offset, SharedMemory shared, int address, int count) {
        MemorySegment.copy(shared.at(address, count), address, segment, ValueLayout.JAVA_BYTE, offset, count);
    }
}

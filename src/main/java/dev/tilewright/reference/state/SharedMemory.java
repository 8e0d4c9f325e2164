package dev.tilewright.reference.state;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * A block's shared memory. Byte 0 lies at an address that is a multiple of 1024, so an index into the array stands for
 * the absolute address in everything that alignment and swizzling ask. Little-endian.
 */
public final class SharedMemory {
    private static final VarHandle SHORT = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    /** Bytes after which the swizzle patterns repeat, and bytes within which they move chunks. */
    private static final int PERIOD = 1024;
    private static final int SWIZZLED = 128;

    private final byte[] bytes;

    SharedMemory(int size) {
        bytes = new byte[size];
    }

    /** A stretch by itself, at an address that every swizzle treats alike. @see #homeOf */
    SharedMemory copyOf(int address, int count) {
        int home = homeOf(address);
        // A swizzle may move a chunk within its 128 bytes, behind the last row.
        int end = Math.min(bytes.length, Math.ceilDiv(address + count, SWIZZLED) * SWIZZLED);
        SharedMemory copy = new SharedMemory(home + end - address);
        System.arraycopy(bytes, address, copy.bytes, home, end - address);
        return copy;
    }

    /** Where the stretch at an address lies in its copy. */
    static int homeOf(int address) {
        return address % PERIOD;
    }

    public byte[] bytes() {
        return bytes;
    }

    void fill(byte poison) {
        Arrays.fill(bytes, poison);
    }

    /** 1, 2, 4 or 8 bytes, zero-extended. */
    public long get(int address, int size) {
        return switch (size) {
            case 1 -> bytes[address] & 0xFFL;
            case 2 -> (short) SHORT.get(bytes, address) & 0xFFFFL;
            case 4 -> (int) INT.get(bytes, address) & 0xFFFF_FFFFL;
            default -> (long) LONG.get(bytes, address);
        };
    }

    /** Writes the low 1, 2, 4 or 8 bytes of a value. */
    public void set(int address, int size, long value) {
        switch (size) {
            case 1 -> bytes[address] = (byte) value;
            case 2 -> SHORT.set(bytes, address, (short) value);
            case 4 -> INT.set(bytes, address, (int) value);
            default -> LONG.set(bytes, address, value);
        }
    }
}

package dev.tilewright.reference.state;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * A block's shared memory. Byte 0 lies at an address that is a multiple of 1024, so an index into the array stands for
 * the absolute address in everything that alignment and swizzling ask. Little-endian.
 *
 * <p>When a block starts every byte is the poison: a page gets it when it is first touched, if it is not overwritten then.
 */
public final class SharedMemory {
    private static final VarHandle SHORT = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    /** Bytes after which the swizzle patterns repeat, and bytes within which they move chunks. */
    private static final int PERIOD = 1024;
    private static final int SWIZZLED = 128;

    private static final int SMALLEST_PAGE = 12;

    private final byte[] bytes;
    /** The logarithm of a page's size, so that there are at most 64. */
    private final int page;
    /** A bit for each page that nothing has touched in this block. */
    private long untouched;
    private byte poison;

    SharedMemory(int size) {
        bytes = new byte[size];
        int shift = SMALLEST_PAGE;
        while (size >>> shift >= Long.SIZE) {
            shift++;
        }
        page = shift;
    }

    /** A stretch by itself, at an address that every swizzle treats alike. @see #homeOf */
    SharedMemory copyOf(int address, int count) {
        int home = homeOf(address);
        // A swizzle may move a chunk within its 128 bytes, behind the last row.
        int end = Math.min(bytes.length, Math.ceilDiv(address + count, SWIZZLED) * SWIZZLED);
        SharedMemory copy = new SharedMemory(home + end - address);
        System.arraycopy(at(address, end - address), address, copy.bytes, home, end - address);
        return copy;
    }

    /** Where the stretch at an address lies in its copy. */
    static int homeOf(int address) {
        return address % PERIOD;
    }

    public int size() {
        return bytes.length;
    }

    /** Another block starts. @param with what every byte holds then */
    void restart(byte with) {
        poison = with;
        untouched = -1;
    }

    /** All of it, for one who touches only these bytes. */
    public byte[] at(int address, int count) {
        if (untouched != 0 && count > 0) {
            touch(address >>> page, address + count - 1 >>> page);
        }
        return bytes;
    }

    /** All of it, for one who overwrites all of these bytes and touches no others. */
    public byte[] overwritten(int address, int count) {
        if (untouched != 0 && count > 0) {
            int first = address >>> page;
            int last = address + count - 1 >>> page;
            // Pages that are overwritten as a whole need no poison; the array's last one ends with it.
            if ((address & (1 << page) - 1) != 0) {
                touch(first, first);
            }
            if ((address + count & (1 << page) - 1) != 0 && address + count < bytes.length) {
                touch(last, last);
            }
            untouched &= ~(-1L >>> Long.SIZE - 1 - last & -1L << first);
        }
        return bytes;
    }

    private void touch(int first, int last) {
        for (int p = first; p <= last; p++) {
            if ((untouched >>> p & 1) != 0) {
                untouched &= ~(1L << p);
                Arrays.fill(bytes, p << page, Math.min(bytes.length, p + 1 << page), poison);
            }
        }
    }

    /** 1, 2, 4 or 8 bytes, zero-extended. */
    public long get(int address, int size) {
        return get(at(address, size), address, size);
    }

    /** 1, 2, 4 or 8 of these bytes, zero-extended. */
    public static long get(byte[] bytes, int address, int size) {
        return switch (size) {
            case 1 -> bytes[address] & 0xFFL;
            case 2 -> (short) SHORT.get(bytes, address) & 0xFFFFL;
            case 4 -> (int) INT.get(bytes, address) & 0xFFFF_FFFFL;
            default -> (long) LONG.get(bytes, address);
        };
    }

    /** Writes the low 1, 2, 4 or 8 bytes of a value. */
    public void set(int address, int size, long value) {
        at(address, size);
        switch (size) {
            case 1 -> bytes[address] = (byte) value;
            case 2 -> SHORT.set(bytes, address, (short) value);
            case 4 -> INT.set(bytes, address, (int) value);
            default -> LONG.set(bytes, address, value);
        }
    }
}

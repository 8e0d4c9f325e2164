package dev.tilewright.reference.state;

import dev.tilewright.reference.box.ByteRows;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A block's shared memory. Byte 0 lies at an address that is a multiple of 1024, so an index into the array stands for
 * the absolute address in everything that alignment and swizzling ask. Little-endian.
 *
 * <p>When a block starts every byte is the poison: a page gets it when it is first touched, if it is not overwritten
 * then. What is loaded from global memory that nothing writes may be fetched as late ({@link #lend}).
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
    /** A bit for each page of which somebody wants to have what it holds now. */
    private long wanted;
    private final List<Want> wants = new ArrayList<>();
    private final List<Lent> lent = new ArrayList<>();
    private final boolean eager;
    private byte poison;

    SharedMemory(int size) {
        this(size, false);
    }

    /** @param eager whether poison is written, and what is wanted is taken, at once */
    SharedMemory(int size, boolean eager) {
        this.eager = eager;
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

    /** Somebody wants the bytes as they are now, and has not taken them yet. */
    record Want(long pages, Runnable take) { }

    /**
     * Wants what these bytes are now.
     *
     * @param take is run before anybody touches them, unless the want is withdrawn first; at once if this is eager
     * @return what may be withdrawn as long as it has not been taken
     */
    Want want(int address, int count, Runnable take) {
        Want want = new Want(pages(address >>> page, address + count - 1 >>> page), take);
        if (eager) {
            take.run();
            return want;
        }
        wants.add(want);
        wanted |= want.pages;
        return want;
    }

    /** What was wanted has been taken, or is not wanted any more. */
    void withdraw(Want want) {
        wants.remove(want);
        wanted = 0;
        for (Want other : wants) {
            wanted |= other.pages;
        }
    }

    /** Bytes that are not here yet, and the bytes that they will be. */
    private record Lent(int address, int count, ByteRows rows, Transfer fetch) {

        boolean touches(int from, int bytes) {
            return from < address + count && address < from + bytes;
        }
    }

    /**
     * All of these bytes are from now on those of some rows of global memory, which nothing writes. They are fetched
     * when somebody touches them; who stores them may ask for the rows, and leave them where they are.
     */
    public void lend(int address, int count, ByteRows rows, Transfer fetch) {
        overwritten(address, count);
        lent.add(new Lent(address, count, rows, fetch));
    }

    /** The rows of global memory that these bytes are; null if they are here, or not exactly these. */
    ByteRows lentAt(int address, int count) {
        for (Lent l : lent) {
            if (l.address == address && l.count == count) {
                return l.rows;
            }
        }
        return null;
    }

    /** Whether there are bytes that are rows of global memory. */
    public boolean lends() {
        return !lent.isEmpty();
    }

    /** Fetches what is lent of these bytes. @param overwrites whether what lies within them need not be */
    private void fetch(int address, int count, boolean overwrites) {
        for (int i = lent.size() - 1; i >= 0; i--) {
            Lent l = lent.get(i);
            if (!l.touches(address, count)) {
                continue;
            }
            long in = pages(l.address >>> page, l.address + l.count - 1 >>> page);
            if ((wanted & in) != 0) {
                // Who wants some of it takes it from where it is, as long as that is known.
                takeWhatIsWanted(in);
                i = lent.size();
                continue;
            }
            lent.remove(i);
            if (!overwrites || l.address < address || l.address + l.count > address + count) {
                l.fetch.carryOut(this, l.address);
            }
        }
    }

    private void takeWhatIsWanted(long of) {
        for (int i = wants.size() - 1; i >= 0; i--) {
            Want want = wants.get(i);
            if ((want.pages & of) != 0) {
                withdraw(want);
                want.take.run();
                i = Math.min(i, wants.size());
            }
        }
    }

    private static long pages(int first, int last) {
        return -1L >>> Long.SIZE - 1 - last & -1L << first;
    }

    public int size() {
        return bytes.length;
    }

    /** Another block starts. @param with what every byte holds then */
    void restart(byte with) {
        poison = with;
        untouched = eager ? 0 : -1;
        if (eager) {
            Arrays.fill(bytes, with);
        }
        wanted = 0;
        wants.clear();
        lent.clear();
    }

    /** All of it, for one who touches only these bytes. */
    public byte[] at(int address, int count) {
        if ((untouched | wanted) != 0 && count > 0) {
            touch(address >>> page, address + count - 1 >>> page);
        }
        if (!lent.isEmpty()) {
            fetch(address, count, false);
        }
        return bytes;
    }

    /** All of it, for one who overwrites all of these bytes and touches no others. */
    public byte[] overwritten(int address, int count) {
        if ((untouched | wanted) != 0 && count > 0) {
            int first = address >>> page;
            int last = address + count - 1 >>> page;
            takeWhatIsWanted(pages(first, last) & wanted);
            // Pages that are overwritten as a whole need no poison; the array's last one ends with it.
            if ((address & (1 << page) - 1) != 0) {
                touch(first, first);
            }
            if ((address + count & (1 << page) - 1) != 0 && address + count < bytes.length) {
                touch(last, last);
            }
            untouched &= ~pages(first, last);
        }
        if (!lent.isEmpty()) {
            fetch(address, count, true);
        }
        return bytes;
    }

    private void touch(int first, int last) {
        if ((pages(first, last) & wanted) != 0) {
            takeWhatIsWanted(pages(first, last));
        }
        if ((pages(first, last) & untouched) == 0) {
            return;
        }
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

package dev.tilewright.reference.state;

import dev.tilewright.reference.observe.ExecutionObserver.UnwrittenRead;

/**
 * Which bits of a thread's variables and fragments come from bytes that nothing had written, and from which read. Kept
 * while a run is watched; as long as no such byte is read, there is nothing to keep.
 */
public final class UndefinedValues {
    private final int slots;
    private long[] bits;
    private UnwrittenRead[] origins;
    /** What the thread's last read of shared memory found that was not defined; null for nothing. */
    public UnwrittenRead read;
    /** Which of the first 64 bytes of that read, and where the thread last wrote to shared memory; null for nowhere. */
    public long readBytes;
    public BlockState wroteTo;
    public int wroteAt;

    UndefinedValues(int slots) {
        this.slots = slots;
    }

    /** Forgets everything: another block starts. */
    void restart() {
        bits = null;
        origins = null;
        read = null;
        wroteTo = null;
    }

    /** The thread reads shared memory. @param step that does */
    public void reads(BlockState owner, int address, int bytes, ThreadState by, int step) {
        DefinedBytes defined = owner.defined();
        int first = defined.firstUndefined(address, bytes);
        if (first < 0) {
            read = null;
            return;
        }
        read = defined.origin(first, address + bytes, by, step, owner);
        readBytes = 0;
        for (int i = 0; i < Math.min(Long.SIZE, bytes); i++) {
            readBytes |= defined.isDefined(address + i) ? 0 : 1L << i;
        }
    }

    /** The thread writes to shared memory. @param whole whether nothing of what was there stays */
    public void writes(BlockState owner, int address, int bytes, boolean whole) {
        wroteTo = owner;
        wroteAt = address;
        if (whole) {
            owner.defined().written(address, bytes);
        }
    }

    /** Whether everything that the thread holds is defined. */
    public boolean none() {
        return bits == null;
    }

    /** The bits of a slot that are not defined. */
    public long bits(int slot) {
        return bits == null ? 0 : bits[slot];
    }

    /** Where they come from. */
    public UnwrittenRead origin(int slot) {
        return origins[slot];
    }

    /** @param slot {@link Slots#NONE} where the value is not wanted @param origin of these bits, where there are any */
    public void set(int slot, long undefined, UnwrittenRead origin) {
        if (slot == Slots.NONE || bits == null && undefined == 0) {
            return;
        }
        if (bits == null) {
            bits = new long[slots];
            origins = new UnwrittenRead[slots];
        }
        bits[slot] = undefined;
        origins[slot] = origin;
    }
}

package dev.tilewright.reference.state;

import java.util.Arrays;

/**
 * The cp.async copies of one thread that have not landed, in order, cut into groups. A copy reads its source when it
 * lands, and it lands when the thread waits for its group, or when an arrival that follows it lands; what no thread
 * waits for never lands. Sources: PTX ISA, "cp.async", "cp.async.commit_group", "cp.async.wait_group",
 * "cp.async.mbarrier.arrive".
 *
 * <p>Flat rings, because a kernel may start millions of copies.
 */
public final class CpAsyncQueue {
    private final SharedMemory shared;
    private GlobalMemory[] sources = new GlobalMemory[8];
    private long[] from = new long[8];
    /** Shared address, bytes to write, bytes to read: three ints a copy. */
    private int[] what = new int[3 * 8];
    /** Copies ever started and ever landed; the ring index is the number modulo the ring's size. */
    private int started;
    private int landed;
    /** Copies that were started before the numbers last began at 0 again. */
    private long before;
    /** For each closed group, the number of copies that had been started when it was closed. */
    private int[] groupEnds = new int[8];
    private int groupsClosed;
    private int groupsLanded;

    CpAsyncQueue(SharedMemory shared) {
        this.shared = shared;
    }

    void forget() {
        before = 0;
        started = 0;
        landed = 0;
        groupsClosed = 0;
        groupsLanded = 0;
    }

    public void start(GlobalMemory source, long offset, int address, int bytes, int sourceBytes) {
        if (started - landed == sources.length) {
            grow();
        }
        int i = started++ & sources.length - 1;
        sources[i] = source;
        from[i] = offset;
        what[3 * i] = address;
        what[3 * i + 1] = bytes;
        what[3 * i + 2] = sourceBytes;
    }

    public void commit() {
        if (groupsClosed - groupsLanded == groupEnds.length) {
            groupEnds = unrolled(groupEnds, groupsLanded, 1);
            groupsClosed -= groupsLanded;
            groupsLanded = 0;
        }
        groupEnds[groupsClosed++ & groupEnds.length - 1] = started;
    }

    /** Lands all closed groups but the youngest few. */
    public void waitFor(int pending) {
        while (groupsClosed - groupsLanded > pending) {
            int end = groupEnds[groupsLanded++ & groupEnds.length - 1];
            landTo(end);
        }
    }

    /** Copies that the thread has started. */
    public long startedEver() {
        return before + started;
    }

    /** Lands the first n of the copies that the thread has started, in groups or not. */
    void landUntil(long copies) {
        landTo((int) (copies - before));
    }

    /** Lands the oldest copy, if there is one. @return whether there was */
    public boolean landOne() {
        if (landed == started) {
            return false;
        }
        landTo(landed + 1);
        return true;
    }

    private void landTo(int end) {
        while (end - landed > 0) {
            land(landed++ & sources.length - 1);
        }
    }

    private void land(int i) {
        GlobalMemory source = sources[i];
        long offset = from[i];
        int address = what[3 * i];
        int bytes = what[3 * i + 1];
        int sourceBytes = what[3 * i + 2];
        if (sourceBytes == 16) {
            shared.set(address, 8, source.get(offset, 8));
            shared.set(address + 8, 8, source.get(offset + 8, 8));
        } else if (sourceBytes == bytes) {
            shared.set(address, bytes, source.get(offset, bytes));
        } else {
            Arrays.fill(shared.at(address, bytes), address + sourceBytes, address + bytes, (byte) 0);
            if (sourceBytes > 0) {
                source.copyTo(offset, shared, address, sourceBytes);
            }
        }
    }

    /** Doubles the ring of copies and numbers them from 0 again, group ends included. */
    private void grow() {
        int oldLanded = landed;
        before += oldLanded;
        what = unrolled(what, landed, 3);
        long[] newFrom = new long[2 * from.length];
        GlobalMemory[] newSources = new GlobalMemory[2 * sources.length];
        for (int k = 0; k < sources.length; k++) {
            int i = landed + k & sources.length - 1;
            newFrom[k] = from[i];
            newSources[k] = sources[i];
        }
        from = newFrom;
        sources = newSources;
        started -= oldLanded;
        landed = 0;
        for (int g = groupsLanded; g != groupsClosed; g++) {
            groupEnds[g & groupEnds.length - 1] -= oldLanded;
        }
    }

    /** A ring twice as large with its oldest entry, of {@code width} ints, at the start. */
    private static int[] unrolled(int[] ring, int oldest, int width) {
        int entries = ring.length / width;
        int[] result = new int[2 * ring.length];
        for (int k = 0; k < entries; k++) {
            System.arraycopy(ring, (oldest + k & entries - 1) * width, result, k * width, width);
        }
        return result;
    }
}

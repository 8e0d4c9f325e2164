package dev.tilewright.reference.state;

import dev.tilewright.reference.observe.ExecutionObserver.UnwrittenRead;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/**
 * Which bytes of a block's shared memory something has written since the block began, and which of these were written
 * with what came from bytes that nothing had written. Kept while a run is watched.
 */
public final class DefinedBytes {
    private final BitSet defined = new BitSet();
    /** Of bytes that were written and are not defined: the read that the value came from. */
    private final Map<Integer, UnwrittenRead> origins = new HashMap<>();

    /** Forgets everything: another block starts. */
    void restart() {
        defined.clear();
        origins.clear();
    }

    public void written(int address, int bytes) {
        defined.set(address, address + bytes);
        if (!origins.isEmpty()) {
            for (int at = address; at < address + bytes; at++) {
                origins.remove(at);
            }
        }
    }

    /** A byte has been written with an undefined value. @param origin the read that it came from */
    public void writtenUndefined(int address, UnwrittenRead origin) {
        defined.clear(address);
        origins.put(address, origin);
    }

    /** The first byte from an address on, of this many, that is not defined; -1 if all are. */
    public int firstUndefined(int address, int bytes) {
        int end = address + bytes;
        if (bytes > Long.SIZE) {
            int first = defined.nextClearBit(address);
            return first < end ? first : -1;
        }
        // For a few bytes, a search that would go through all that is defined behind them costs more than they do.
        int at = address;
        while (at < end && defined.get(at)) {
            at++;
        }
        return at < end ? at : -1;
    }

    public boolean isDefined(int address) {
        return defined.get(address);
    }

    /**
     * The read that an undefined byte's value came from: the one that reads it now, if nothing has written the byte.
     *
     * @param owner the block whose shared memory this is
     * @param end of the bytes that are read
     */
    public UnwrittenRead origin(int address, int end, ThreadState by, int step, BlockState owner) {
        UnwrittenRead origin = origins.get(address);
        if (origin != null) {
            return origin;
        }
        int stop = address + 1;
        while (stop < end && !defined.get(stop) && !origins.containsKey(stop)) {
            stop++;
        }
        return new UnwrittenRead(by.block.index(), by.index, step, owner.index(), address, stop - address);
    }
}

package dev.tilewright.gpu;

import dev.tilewright.gpu.cuda.DriverApi;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * Host memory that this process has had page-locked through the runtime, and the contexts whose copies it has been used
 * for since: what is in flight must end before the memory is given back. Safe for use by several threads.
 */
final class PageLocked {
    /** By address. Ranges of one driver do not overlap. */
    private static final NavigableMap<Long, PageLocked> RANGES = new ConcurrentSkipListMap<>();

    private final DriverApi api;
    private final long address;
    private final long bytes;
    private final Set<Context> users = ConcurrentHashMap.newKeySet();
    private volatile boolean ended;

    private PageLocked(DriverApi api, long address, long bytes) {
        this.api = api;
        this.address = address;
        this.bytes = bytes;
    }

    /** Notes memory that is page-locked from now on. */
    static PageLocked add(DriverApi api, long address, long bytes) {
        PageLocked range = new PageLocked(api, address, bytes);
        RANGES.put(address, range);
        return range;
    }

    /** What holds all of these bytes, or null. */
    static PageLocked find(DriverApi api, long address, long bytes) {
        Map.Entry<Long, PageLocked> below = RANGES.floorEntry(address);
        if (below == null) {
            return null;
        }
        PageLocked range = below.getValue();
        return range.api == api && address - range.address + bytes <= range.bytes ? range : null;
    }

    /** Refuses memory that is not page-locked any more. */
    void requireOpen() {
        if (ended) {
            throw new IllegalStateException("the " + bytes + " bytes of page-locked memory at 0x"
                    + Long.toHexString(address) + " are closed");
        }
    }

    /** Refuses to {@link #forget} in a capture. */
    void requireCanEnd() {
        users.forEach(user -> user.captureGates().synchronization().requireNoneOfThisThread());
    }

    /** Notes that a context copies from or to it. */
    void usedBy(Context context) {
        users.add(context);
    }

    /** It is not to be found any more. */
    void forget() {
        ended = true;
        RANGES.remove(address, this);
    }

    /**
     * Waits for what uses it, before it is given back. A GPU that is closed by now has waited.
     *
     * @throws CudaException if something that was started before has failed
     */
    void awaitUsers() {
        for (Context user : users) {
            if (!user.isClosed() && !user.isLost()) {
                CaptureGate gate = user.captureGates().synchronization();
                gate.enter();
                try {
                    user.call("cuCtxSynchronize", DriverApi::cuCtxSynchronize);
                } finally {
                    gate.leave();
                }
            }
        }
    }
}

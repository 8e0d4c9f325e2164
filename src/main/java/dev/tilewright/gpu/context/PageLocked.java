package dev.tilewright.gpu.context;

import dev.tilewright.gpu.concurrent.UseCount;
import dev.tilewright.gpu.cuda.DriverApi;
import dev.tilewright.gpu.device.CudaException;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * Host memory that this process has had page-locked through the runtime, and the contexts whose copies it has been used
 * for since: what is in flight must end before the memory is given back. Safe for use by several threads.
 */
public final class PageLocked {
    /** By address. Ranges of one driver do not overlap. */
    private static final NavigableMap<Long, PageLocked> RANGES = new ConcurrentSkipListMap<>();

    private final DriverApi api;
    private final long address;
    private final long bytes;
    private final Set<Context> users = ConcurrentHashMap.newKeySet();
    private final UseCount uses = new UseCount();

    private PageLocked(DriverApi api, long address, long bytes) {
        this.api = api;
        this.address = address;
        this.bytes = bytes;
    }

    /** Notes memory that is page-locked from now on. */
    public static PageLocked add(DriverApi api, long address, long bytes) {
        PageLocked range = new PageLocked(api, address, bytes);
        RANGES.put(address, range);
        return range;
    }

    /** What holds all of these bytes, or null. */
    public static PageLocked find(DriverApi api, long address, long bytes) {
        Map.Entry<Long, PageLocked> below = RANGES.floorEntry(address);
        if (below == null) {
            return null;
        }
        PageLocked range = below.getValue();
        return range.api == api && address - range.address + bytes <= range.bytes ? range : null;
    }

    /** Refuses memory that is not page-locked any more. */
    public void requireOpen() {
        if (uses.haveEnded()) {
            throw closed();
        }
    }

    private IllegalStateException closed() {
        return new IllegalStateException("the " + bytes + " bytes of page-locked memory at 0x"
                + Long.toHexString(address) + " are closed");
    }

    /** A call of a context that copies from or to it: it is not given back before the copy has ended. */
    public Context.Call using(Context context, Context.Call call) {
        return api -> uses.during(() -> {
            users.add(context);
            return call.on(api);
        }, () -> {
            throw closed();
        });
    }

    /** Refuses to {@link #giveBack} in a capture. */
    public void requireCanEnd() {
        users.forEach(user -> user.captureGates().synchronization().requireNoneOfThisThread());
    }

    /**
     * Refuses all that would use it from now on, waits for what does, and has it given back. It is found until then, so
     * that it is not taken for other code's.
     *
     * @throws CudaException if something that was started before has failed
     */
    public void giveBack(Context context, String name, Context.Call call) {
        uses.refuse();
        uses.awaitEnd();
        try {
            context.release(name, api -> {
                for (Context user : users) {
                    // Graphs look whether it is open in a call that is counted there.
                    user.calls().awaitEnd();
                    user.awaitWork();
                }
                return call.on(api);
            });
        } finally {
            RANGES.remove(address, this);
        }
    }
}

package dev.tilewright.gpu.context;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.tilewright.gpu.cuda.DriverApi;
import dev.tilewright.gpu.device.CudaError;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The GPUs whose memory one GPU reaches directly, over NVLink or PCIe. Copies between others go through the host, which
 * the driver does by itself. Access is enabled with the first copy, once for each pair. Safe for use by several
 * threads.
 */
public final class Peers {
    private final Context context;
    /** By CUcontext. */
    private final ConcurrentMap<Long, Boolean> reached = new ConcurrentHashMap<>();

    public Peers(Context context) {
        this.context = context;
    }

    /** Whether the devices can be connected. A device reaches itself. */
    public boolean canReach(Context other) {
        if (other.api() != context.api()) {
            return false;
        }
        if (other.device() == context.device()) {
            return true;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment can = arena.allocate(JAVA_LONG);
            context.call("cuDeviceCanAccessPeer",
                    api -> api.cuDeviceCanAccessPeer(can, context.device(), other.device()));
            return can.get(JAVA_INT, 0) != 0;
        }
    }

    /** Sees to it that copies to and from another GPU go the direct way, if there is one. */
    public void reach(Context other) {
        reached.computeIfAbsent(other.handle(), _ -> enable(other));
    }

    private boolean enable(Context other) {
        if (!canReach(other)) {
            return false;
        }
        int result = context.result(api -> api.cuCtxEnablePeerAccess(other.handle(), 0));
        if (result == DriverApi.SUCCESS || result == DriverApi.PEER_ACCESS_ALREADY_ENABLED) {
            return true;
        }
        CudaError error = CudaError.of(context.api(), result);
        if (error.isSticky()) {
            throw context.failure("cuCtxEnablePeerAccess", result);
        }
        // Such as too many peers: the copy works all the same, through the host.
        return false;
    }
}

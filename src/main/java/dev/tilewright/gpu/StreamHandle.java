package dev.tilewright.gpu;

import dev.tilewright.gpu.concurrent.CaptureGate;
import dev.tilewright.gpu.concurrent.LaunchLog;
import dev.tilewright.gpu.context.Context;
import dev.tilewright.gpu.context.Lease;

/**
 * The driver's stream, and calls that use it: it is not given back while one is made, and none on the legacy default
 * stream meets a capture.
 */
final class StreamHandle {
    private final Context context;
    private final long handle;
    /** Of the default stream alone: keeps it apart from captures. */
    private final CaptureGate gate;
    /** Whether it is ours to destroy. */
    private final boolean owned;
    private final Lease lease;

    /** @param owner with whose end it is given back @param owned whether it is ours to destroy */
    StreamHandle(Stream owner, Context context, long handle, LaunchLog log, CaptureSlot capture, boolean owned) {
        this.context = context;
        this.handle = handle;
        this.owned = owned;
        context.launchLogs().add(log);
        this.gate = isLegacy() ? context.captureGates().defaultStream() : null;
        this.lease = owned ? Lease.of(owner, context, log.stream(), () -> {
            context.launchLogs().retire(log);
            // A capture ends in all its streams before one of them goes.
            capture.outside(() -> context.release("cuStreamDestroy", api -> api.cuStreamDestroy(handle)));
        }) : Lease.none(context, log.stream());
    }

    /** The CUstream, even of a stream that is closed. */
    long raw() {
        return handle;
    }

    /** Whether a CUstream is the legacy default stream: NULL or CU_STREAM_LEGACY, cuda.h. */
    static boolean isLegacy(long handle) {
        return handle == 0 || handle == 1;
    }

    boolean isLegacy() {
        return isLegacy(handle);
    }

    boolean isOwned() {
        return owned;
    }

    Lease lease() {
        return lease;
    }

    /** Before a call that uses the stream; unlike {@link #gated}, allocates nothing. */
    void enterGate() {
        if (gate != null) {
            gate.enter();
        }
    }

    /** After a call that uses the stream: each {@link #enterGate} is followed by one. */
    void leaveGate() {
        if (gate != null) {
            gate.leave();
        }
    }

    /** Runs code that makes calls that use the stream. */
    void gated(Runnable work) {
        enterGate();
        try {
            work.run();
        } finally {
            leaveGate();
        }
    }

    /** Makes a call that uses the stream. */
    void call(String name, Context.Call call) {
        gated(() -> context.call(name, call));
    }

    /** A call that uses the stream, which is not given back while it is made. */
    Context.Call using(Context.Call call) {
        return api -> lease.whileOpen(() -> call.on(api));
    }

    /** A call that uses the stream, or another if it is closed. */
    Context.Call using(Context.Call call, Context.Call otherwise) {
        return api -> lease.whileOpen(() -> call.on(api), () -> otherwise.on(api));
    }

    /** A call that uses a buffer, too. */
    Context.Call using(Context.Call call, Buffer<?> buffer) {
        return using(api -> buffer.whileOpen(() -> call.on(api)));
    }

    /** Gives it back, if it is ours, after calls of other threads that use it have ended. */
    void close() {
        if (owned) {
            lease.close();
        }
    }
}

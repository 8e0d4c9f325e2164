package dev.tilewright.gpu;

import dev.tilewright.gpu.concurrent.CallsInProgress;
import dev.tilewright.gpu.concurrent.LaunchMarks;
import dev.tilewright.gpu.context.Context;
import dev.tilewright.gpu.cuda.DriverApi;
import java.lang.foreign.MemorySegment;

/**
 * Starts a launch that is filled in, or adds it to the capture of its stream. What that takes is looked up once, so a
 * start allocates nothing.
 */
final class LaunchStart {
    private static final boolean BLOCKING = Boolean.getBoolean(KernelLaunch.BLOCKING_PROPERTY);

    private final KernelLaunch launch;
    private final Context context;
    private final DriverApi api;
    private final CallsInProgress calls;
    private final long function;
    private final MemorySegment config;
    private final MemorySegment pointers;
    /** Where the driver says which context is current. */
    private final MemorySegment current;

    /** @param current room for a CUcontext */
    LaunchStart(KernelLaunch launch, Context context, MemorySegment current) {
        this.launch = launch;
        this.context = context;
        this.api = context.api();
        this.calls = context.calls();
        this.function = launch.functionHandle();
        this.config = launch.configMemory();
        this.pointers = launch.pointers();
        this.current = current;
    }

    /** Starts it. @param stream the one that the launch's configuration names */
    void in(Stream stream) {
        if (stream.captureSlot().isSpecial()) {
            specially(stream);
        } else {
            long previous = context.enter(current);
            boolean launched;
            try {
                launched = launch(stream);
            } finally {
                context.leave(previous);
            }
            if (!launched) {
                specially(stream);
            }
        }
    }

    /** In the default stream, or in a capture. */
    private void specially(Stream stream) {
        stream.cuStream().enterGate();
        try {
            long previous = context.enter(current);
            try {
                boolean launched = false;
                while (!launched) {
                    GraphCapture capture = stream.captureSlot().get();
                    launched = capture == null ? launch(stream) : capture.launch(launch, stream);
                }
            } finally {
                context.leave(previous);
            }
        } finally {
            stream.cuStream().leaveGate();
        }
    }

    /** @return false if the stream is being captured: nothing was done */
    private boolean launch(Stream stream) {
        int call = calls.begin();
        try {
            // A capture that is not seen here has not begun, and waits for the calls that are counted.
            if (stream.captureSlot().get() != null) {
                return false;
            }
            launch.requireOpen();
            int result = api.cuLaunchKernelEx(config, function, pointers, 0);
            if (result != DriverApi.SUCCESS) {
                context.check("cuLaunchKernelEx of " + launch, result);
            }
        } finally {
            calls.end(call);
        }
        stream.log().started(launch);
        if (BLOCKING) {
            waitForEnd(stream);
        }
        return true;
    }

    private void waitForEnd(Stream stream) {
        LaunchMarks marks = LaunchMarks.of(stream.log());
        if (stream.captureSlot().enter()) {
            try {
                context.check("cuStreamSynchronize after " + launch,
                        stream.cuStream().using(on -> on.cuStreamSynchronize(stream.cuStream().raw())).on(api));
            } finally {
                stream.captureSlot().leave();
            }
            marks.haveEnded();
        }
    }
}

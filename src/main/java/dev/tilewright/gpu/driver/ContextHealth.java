package dev.tilewright.gpu.driver;

import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Remembers the first fault that lost a context, so that every later failure can name the cause. Safe for use by
 * several threads.
 *
 * <p>A fault outlives its context: cuda.h says that the process must be relaunched, and so it was measured (H200,
 * driver 580: after ILLEGAL_ADDRESS or LAUNCH_FAILED, destroying or resetting the context succeeds, and the next reports
 * the same error). So there is one for each device of a process.
 */
public final class ContextHealth {

    private static final ConcurrentMap<Integer, ContextHealth> OF_DEVICE = new ConcurrentHashMap<>();

    private final AtomicReference<Fault> first = new AtomicReference<>();

    /**
     * What lost a context.
     *
     * @param call the call that reported it; kernels run asynchronously, so the kernel may have been launched before
     * @param error what it reported
     */
    public record Fault(String call, CudaError error) { }

    /** What is remembered of a device's contexts in this process. */
    public static ContextHealth ofDevice(int ordinal) {
        return OF_DEVICE.computeIfAbsent(ordinal, n -> new ContextHealth());
    }

    /**
     * Lets success pass and throws anything else.
     *
     * @param call what was called, as the message shall name it: {@code cuLaunchKernelEx of copy_2d}
     * @param result the CUresult
     * @throws CudaException if the result is not success
     */
    public void check(String call, int result) {
        if (result != CudaError.SUCCESS) {
            throw failure(call, CudaError.of(result));
        }
    }

    /** The exception for a failed call, after remembering it if it is the first to say that the context is lost. */
    public CudaException failure(String call, CudaError error) {
        boolean lostByThis = error.isSticky() && first.compareAndSet(null, new Fault(call, error));
        return new CudaException(call, error, lostByThis ? Optional.empty() : fault());
    }

    /** The fault that lost this context, if one did. */
    public Optional<Fault> fault() {
        return Optional.ofNullable(first.get());
    }
}

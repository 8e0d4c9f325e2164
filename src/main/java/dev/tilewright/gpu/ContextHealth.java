package dev.tilewright.gpu;

import dev.tilewright.gpu.cuda.DriverApi;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/**
 * Remembers the first fault that lost a context, so that every later failure can name the cause. Safe for use by
 * several threads.
 *
 * <p>A fault outlives its context: cuda.h says that the process must be relaunched, and so it was measured (H200,
 * driver 580: after ILLEGAL_ADDRESS or LAUNCH_FAILED, destroying or resetting the context succeeds, and the next
 * reports the same error). So there is one for each device of a process.
 */
final class ContextHealth {

    /** By driver, of which a process has one, and tests many; and by device. */
    private static final Map<DriverApi, ConcurrentMap<Integer, ContextHealth>> OF_DEVICE =
            Collections.synchronizedMap(new WeakHashMap<>());

    private final CallsInProgress calls = new CallsInProgress();
    private final AtomicReference<CudaException.Fault> first = new AtomicReference<>();

    /** What is remembered of a device's contexts in this process. */
    static ContextHealth of(DriverApi api, int ordinal) {
        return OF_DEVICE.computeIfAbsent(api, _ -> new ConcurrentHashMap<>())
                .computeIfAbsent(ordinal, _ -> new ContextHealth());
    }

    /** The calls that are being made on the device, by whichever of its contexts. */
    CallsInProgress calls() {
        return calls;
    }

    /**
     * Lets success pass and throws anything else.
     *
     * @param call what was called, as the message shall name it: {@code cuLaunchKernelEx of copy_2d}
     * @param result the CUresult
     * @throws CudaException if the result is not success
     */
    void check(String call, int result) {
        if (result != CudaError.SUCCESS) {
            throw failure(call, CudaError.of(result));
        }
    }

    /** The exception for a failed call, after remembering it if it is the first to say that the context is lost. */
    CudaException failure(String call, CudaError error) {
        return failure(call, error, List::of);
    }

    /** The same. @param suspects the launches that are not known to have ended: one of them has caused a fault */
    CudaException failure(String call, CudaError error, Supplier<List<String>> suspects) {
        if (error.isSticky() && first.get() == null) {
            CudaException.Fault fault = new CudaException.Fault(call, error, suspects.get());
            if (first.compareAndSet(null, fault)) {
                return new CudaException(call, error, fault.launches());
            }
        }
        return new CudaException(call, error, fault());
    }

    /** The fault that lost this context, if one did. */
    Optional<CudaException.Fault> fault() {
        return Optional.ofNullable(first.get());
    }
}

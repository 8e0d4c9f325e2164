package dev.tilewright.gpu.driver;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Remembers the first fault that lost a context, so that every later failure in it can name the cause. One for each
 * context, kept by whoever keeps the context; safe for use by several threads.
 */
public final class ContextHealth {

    private final AtomicReference<Fault> first = new AtomicReference<>();

    /**
     * What lost a context.
     *
     * @param call the call that reported it; kernels run asynchronously, so the kernel may have been launched before
     * @param error what it reported
     */
    public record Fault(String call, CudaError error) { }

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

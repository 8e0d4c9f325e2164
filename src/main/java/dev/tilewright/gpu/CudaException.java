package dev.tilewright.gpu;

import java.util.Optional;

/**
 * A driver call that failed. If an earlier fault had already lost the context, that fault is what the message is
 * about: the present call is not to blame.
 */
public final class CudaException extends RuntimeException {

    private final String call;
    private final CudaError error;
    private final Optional<Fault> earlier;

    /**
     * What lost a context.
     *
     * @param call the call that reported it; kernels run asynchronously, so the kernel may have been launched before
     * @param error what it reported
     */
    public record Fault(String call, CudaError error) { }

    CudaException(String call, CudaError error, Optional<Fault> earlier) {
        super(earlier.map(fault -> afterwards(call, error, fault)).orElseGet(() -> alone(call, error)));
        this.call = call;
        this.error = error;
        this.earlier = earlier;
    }

    /**
     * Lets success pass and throws anything else; for calls that belong to no context.
     *
     * @param call what was called, as the message shall name it
     * @param result the CUresult
     */
    public static void check(String call, int result) {
        if (result != CudaError.SUCCESS) {
            throw new CudaException(call, CudaError.of(result), Optional.empty());
        }
    }

    private static String alone(String call, CudaError error) {
        return call + " failed: " + error
                + (error.isSticky() ? "; the context is lost, and this process can run nothing more on the GPU" : "");
    }

    private static String afterwards(String call, CudaError error, Fault fault) {
        return call + " cannot run: the context was lost before, when " + fault.call() + " reported " + fault.error()
                + (error.equals(fault.error()) ? "" : " (this call got " + error + ")");
    }

    /** The call that failed. */
    public String call() {
        return call;
    }

    /** What it returned. */
    public CudaError error() {
        return error;
    }

    /** The fault that had lost the context before this call, if one had. */
    public Optional<Fault> earlierFault() {
        return earlier;
    }

    /** Whether the context is lost: by this call, or before it. */
    public boolean contextIsLost() {
        return earlier.isPresent() || error.isSticky();
    }
}

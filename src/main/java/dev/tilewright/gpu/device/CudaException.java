package dev.tilewright.gpu.device;

import dev.tilewright.NotNull;
import dev.tilewright.gpu.concurrent.LaunchLog;
import java.util.List;
import java.util.Optional;

/**
 * A driver call that failed. If an earlier fault had already lost the context, that fault is what the message is
 * about: the present call is not to blame.
 */
public class CudaException extends RuntimeException {

    /** Launches that a message names before it only counts them. */
    private static final int MOST_LAUNCHES = 8;

    private final String call;
    private final CudaError error;
    private final Optional<Fault> earlier;

    /**
     * The error that lost a context.
     *
     * @param call the call that reported it; kernels run asynchronously, so the kernel may have been launched before
     * @param error what it reported
     * @param launches the launches that had not been seen to end by then, the oldest of each stream first, in words:
     *     one of them has caused it; empty if none is known
     * @param cause what the launch did, where that is known, as of an emulated GPU: the reference executor names the
     *     block, the thread and the step
     */
    public record Fault(String call, CudaError error, List<String> launches, Optional<Throwable> cause) {
        public Fault {
            NotNull.all("call, error, launches, cause", call, error, launches, cause);
            launches = List.copyOf(launches);
        }
    }

    /**
     * The driver's answer to a call.
     *
     * @param call what was called, as the message shall name it
     * @param earlier the fault that had lost the context before, if one had
     */
    public CudaException(String call, CudaError error, Optional<Fault> earlier) {
        NotNull.all("call, error, earlier", call, error, earlier);
        super(earlier.map(fault -> afterwards(call, error, fault)).orElseGet(() -> alone(call, error)),
                earlier.flatMap(Fault::cause).orElse(null));
        this.call = call;
        this.error = error;
        this.earlier = earlier;
    }

    /** An exception with its own message. */
    public CudaException(String call, CudaError error, String message, Optional<Fault> earlier) {
        NotNull.all("call, error, message, earlier", call, error, message, earlier);
        super(message);
        this.call = call;
        this.error = error;
        this.earlier = earlier;
    }

    /** The call that reports a fault first. */
    public CudaException(Fault fault) {
        NotNull.all("fault", fault);
        super(alone(fault.call, fault.error) + blame(fault), fault.cause.orElse(null));
        this.call = fault.call;
        this.error = fault.error;
        this.earlier = Optional.empty();
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

    /** Which launch it was, as far as that can be known. */
    private static String blame(Fault fault) {
        List<String> launches = fault.launches;
        String why = fault.cause.map(cause -> ": " + cause.getMessage()).orElse("");
        if (launches.isEmpty()) {
            return why;
        }
        if (launches.size() == 1) {
            return "; the launch that did it: " + launches.getFirst() + why;
        }
        int shown = Math.min(launches.size(), MOST_LAUNCHES);
        return "; one of these launches, which were not known to have ended, did it: "
                + String.join(", ", launches.subList(0, shown))
                + (shown < launches.size() ? " and " + (launches.size() - shown) + " more" : "") + " (-D"
                + LaunchLog.BLOCKING_PROPERTY + "=true waits for each launch, and names the one)";
    }

    private static String alone(String call, CudaError error) {
        return call + " failed: " + error
                + (error.isSticky() ? "; the context is lost, and this process can run nothing more on the GPU" : "");
    }

    private static String afterwards(String call, CudaError error, Fault fault) {
        return call + " cannot run: the context was lost before, when " + fault.call() + " reported " + fault.error()
                + (error.equals(fault.error()) ? "" : " (this call got " + error + ")") + blame(fault);
    }

    /** The call that failed. */
    public String call() {
        return call;
    }

    /** The error that the call returned. */
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

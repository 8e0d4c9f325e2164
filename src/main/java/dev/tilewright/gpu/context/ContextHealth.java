package dev.tilewright.gpu.context;

import dev.tilewright.gpu.concurrent.CallsInProgress;
import dev.tilewright.gpu.concurrent.CaptureGates;
import dev.tilewright.gpu.cuda.DeviceLoss;
import dev.tilewright.gpu.cuda.DriverApi;
import dev.tilewright.gpu.device.CudaError;
import dev.tilewright.gpu.device.CudaException;
import java.lang.ref.WeakReference;
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
public final class ContextHealth {

    /** By driver, of which a process has one, and tests many; and by device. */
    private static final Map<DriverApi, ConcurrentMap<Integer, ContextHealth>> OF_DEVICE =
            Collections.synchronizedMap(new WeakHashMap<>());

    /** The fault that lost the device, where the driver can tell. */
    private final Supplier<Optional<DeviceLoss>> loss;
    private final CallsInProgress calls = new CallsInProgress();
    private final CaptureGates captureGates = new CaptureGates();
    private final AtomicReference<CudaException.Fault> first = new AtomicReference<>();

    /** @param loss the fault that lost the device, where the driver can tell */
    public ContextHealth(Supplier<Optional<DeviceLoss>> loss) {
        this.loss = loss;
    }

    /** What is remembered of a device's contexts in this process. */
    public static ContextHealth of(DriverApi api, int ordinal) {
        // Not to be kept by what is kept for it.
        WeakReference<DriverApi> driver = new WeakReference<>(api);
        return OF_DEVICE.computeIfAbsent(api, _ -> new ConcurrentHashMap<>()).computeIfAbsent(ordinal, _ ->
                new ContextHealth(() -> Optional.ofNullable(driver.get()).flatMap(known -> known.loss(ordinal))));
    }

    /** The calls that are being made on the device, by whichever of its contexts. */
    public CallsInProgress calls() {
        return calls;
    }

    CaptureGates captureGates() {
        return captureGates;
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
        return failure(call, error, List::of);
    }

    /**
     * The exception for a failed call, which names the launches that may have caused it.
     *
     * @param suspects the launches that are not known to have ended: one of them has caused a fault
     */
    public CudaException failure(String call, CudaError error, Supplier<List<String>> suspects) {
        if (error.isSticky() && first.get() == null) {
            Optional<DeviceLoss> known = loss.get();
            CudaException.Fault fault = new CudaException.Fault(call, error, launches(known, suspects.get()),
                    known.map(DeviceLoss::cause));
            if (first.compareAndSet(null, fault)) {
                return new CudaException(fault);
            }
        }
        return new CudaException(call, error, fault());
    }

    /** Where the device tells which launch it was, that one, on its stream if only one such can be meant. */
    private static List<String> launches(Optional<DeviceLoss> loss, List<String> suspects) {
        String known = loss.map(DeviceLoss::launch).orElse("");
        if (known.isEmpty()) {
            return suspects;
        }
        List<String> same = suspects.stream().filter(suspect -> suspect.contains(known)).distinct().toList();
        return same.size() == 1 ? same : List.of(known);
    }

    /** The fault that lost this context, if one did. */
    public Optional<CudaException.Fault> fault() {
        return Optional.ofNullable(first.get());
    }
}

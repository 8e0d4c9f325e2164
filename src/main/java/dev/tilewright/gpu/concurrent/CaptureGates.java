package dev.tilewright.gpu.concurrent;

import dev.tilewright.gpu.cuda.DriverApi;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * What has to wait for captures on a device: {@link dev.tilewright.gpu.Gpu}s of one context share it.
 *
 * @param defaultStream the legacy default stream: waits for captures of ordinary streams
 * @param synchronization waiting for all streams: waits for every capture
 */
public record CaptureGates(CaptureGate defaultStream, CaptureGate synchronization) {

    /** By driver, of which a process has one, and tests many; and by device. */
    private static final Map<DriverApi, ConcurrentMap<Integer, CaptureGates>> OF_DEVICE =
            Collections.synchronizedMap(new WeakHashMap<>());

    private CaptureGates() {
        this(new CaptureGate("the default stream waits for all ordinary streams, and one of them",
                "use another stream, or capture one from Gpu.nonBlockingStream()"),
                new CaptureGate("this waits for all streams, and one of them", "wait after the capture"));
    }

    /** Those of a device. */
    public static CaptureGates of(DriverApi api, int ordinal) {
        return OF_DEVICE.computeIfAbsent(api, _ -> new ConcurrentHashMap<>())
                .computeIfAbsent(ordinal, _ -> new CaptureGates());
    }
}

package dev.tilewright.gpu.concurrent;

/**
 * What has to wait for captures on a device: {@link dev.tilewright.gpu.Gpu}s of one context share it.
 *
 * @param defaultStream the legacy default stream: waits for captures of ordinary streams
 * @param synchronization waiting for all streams: waits for every capture
 */
public record CaptureGates(CaptureGate defaultStream, CaptureGate synchronization) {

    /** The gates of a device. */
    public CaptureGates() {
        this(new CaptureGate("the default stream waits for all ordinary streams, and one of them",
                "use another stream, or capture one from Gpu.nonBlockingStream()"),
                new CaptureGate("this waits for all streams, and one of them", "wait after the capture"));
    }
}

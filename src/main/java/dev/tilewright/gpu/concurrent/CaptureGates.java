package dev.tilewright.gpu.concurrent;

import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * What has to wait for captures on a device: {@link dev.tilewright.gpu.Gpu}s of one context share it.
 *
 * @param defaultStream the legacy default stream: waits for captures of ordinary streams
 * @param synchronization waiting for all streams: waits for every capture
 * @param capturedEvents held during each driver call that uses an event last recorded in a capture, or ends a capture.
 *     Driver 580 does not keep these apart: one thread recording such an event while another ends that capture crashed
 *     it in every run (H200). It is the last lock that is taken, behind the event's own and the capture's: only
 *     the driver call runs while it is held.
 */
public record CaptureGates(CaptureGate defaultStream, CaptureGate synchronization, Lock capturedEvents) {

    /** The gates of a device. */
    public CaptureGates() {
        this(new CaptureGate("the default stream waits for all ordinary streams, and one of them",
                "use another stream, or capture one from Gpu.nonBlockingStream()"),
                new CaptureGate("this waits for all streams, and one of them", "wait after the capture"),
                new ReentrantLock());
    }

    /** Makes a call while no other thread uses an event of a capture or ends one. */
    public <T> T withCapturedEvents(Supplier<T> call) {
        capturedEvents.lock();
        try {
            return call.get();
        } finally {
            capturedEvents.unlock();
        }
    }
}

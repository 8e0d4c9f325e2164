package dev.tilewright.gpu.cuda;

import java.lang.foreign.MemorySegment;

/**
 * Streams and events. Creating them needs a current context; the handle 0 is the legacy default stream. A part of
 * {@link DriverApi}.
 */
public interface StreamApi {

    /** {@code cuStreamCreateWithPriority}: a CUstream; flag 1 is one that does not wait for the default stream. */
    int cuStreamCreate(MemorySegment stream, int flags, int priority);

    /** Lets go of a stream, when what is in it has ended; does not wait. */
    int cuStreamDestroy(long stream);

    /** Waits for what is in a stream. */
    int cuStreamSynchronize(long stream);

    /** 0 if all in the stream has ended, 600 (not ready) if not. */
    int cuStreamQuery(long stream);

    /** Makes what follows on the stream wait for an event as it is recorded now. */
    int cuStreamWaitEvent(long stream, long event, int flags);

    /** Collects what follows on the stream into a graph, by a CUstreamCaptureMode. */
    int cuStreamBeginCapture(long stream, int mode);

    /** Ends the capture: a CUgraph. */
    int cuStreamEndCapture(long stream, MemorySegment graph);

    /**
     * {@code cuStreamGetCaptureInfo_v2}: the CUstreamCaptureStatus (32 bits), and the nodes that the next one will
     * depend on: a pointer to CUgraphNodes (valid until the next call on the stream) and a 64-bit count. {@code id}
     * and {@code graph} may be NULL.
     */
    int cuStreamGetCaptureInfo(long stream, MemorySegment status, MemorySegment id, MemorySegment graph,
            MemorySegment dependencies, MemorySegment dependencyCount);

    /** A CUevent; flag 1: waiting threads sleep, flag 2: no times. */
    int cuEventCreate(MemorySegment event, int flags);

    /** Lets go of an event; does not wait. */
    int cuEventDestroy(long event);

    /** Sets the event to what is in the stream now. */
    int cuEventRecord(long event, long stream);

    /** 0 if what the event stands for has ended, 600 (not ready) if not. */
    int cuEventQuery(long event);

    /** Waits for what the event stands for. */
    int cuEventSynchronize(long event);

    /** Milliseconds between two recorded events, as a 32-bit float. */
    int cuEventElapsedTime(MemorySegment milliseconds, long begin, long end);
}

package dev.tilewright.gpu.cuda;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.tilewright.gpu.host.NativeLibrary;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** {@link StreamApi} as {@code libcuda.so.1} has it. Each function is looked for when it is first called. */
interface LibCudaStream extends StreamApi {

    final class StreamCreate {
        private static final MethodHandle HANDLE = LibCuda.find("cuStreamCreateWithPriority", "5.5", ADDRESS,
                JAVA_INT, JAVA_INT);

        private StreamCreate() { }
    }

    @Override
    default int cuStreamCreate(MemorySegment stream, int flags, int priority) {
        try {
            return (int) StreamCreate.HANDLE.invokeExact(stream, flags, priority);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    final class StreamDestroy {
        private static final MethodHandle HANDLE = LibCuda.find("cuStreamDestroy_v2", "4.0", JAVA_LONG);

        private StreamDestroy() { }
    }

    @Override
    default int cuStreamDestroy(long stream) {
        try {
            return (int) StreamDestroy.HANDLE.invokeExact(stream);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    final class StreamSynchronize {
        private static final MethodHandle HANDLE = LibCuda.find("cuStreamSynchronize", "2.0", JAVA_LONG);

        private StreamSynchronize() { }
    }

    @Override
    default int cuStreamSynchronize(long stream) {
        try {
            return (int) StreamSynchronize.HANDLE.invokeExact(stream);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    final class StreamQuery {
        private static final MethodHandle HANDLE = LibCuda.find("cuStreamQuery", "2.0", JAVA_LONG);

        private StreamQuery() { }
    }

    @Override
    default int cuStreamQuery(long stream) {
        try {
            return (int) StreamQuery.HANDLE.invokeExact(stream);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    final class StreamWaitEvent {
        private static final MethodHandle HANDLE = LibCuda.find("cuStreamWaitEvent", "3.2", JAVA_LONG, JAVA_LONG,
                JAVA_INT);

        private StreamWaitEvent() { }
    }

    @Override
    default int cuStreamWaitEvent(long stream, long event, int flags) {
        try {
            return (int) StreamWaitEvent.HANDLE.invokeExact(stream, event, flags);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    final class StreamBeginCapture {
        private static final MethodHandle HANDLE = LibCuda.find("cuStreamBeginCapture_v2", "10.1", JAVA_LONG,
                JAVA_INT);

        private StreamBeginCapture() { }
    }

    @Override
    default int cuStreamBeginCapture(long stream, int mode) {
        try {
            return (int) StreamBeginCapture.HANDLE.invokeExact(stream, mode);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    final class StreamEndCapture {
        private static final MethodHandle HANDLE = LibCuda.find("cuStreamEndCapture", "10.0", JAVA_LONG, ADDRESS);

        private StreamEndCapture() { }
    }

    @Override
    default int cuStreamEndCapture(long stream, MemorySegment graph) {
        try {
            return (int) StreamEndCapture.HANDLE.invokeExact(stream, graph);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    final class StreamGetCaptureInfo {
        private static final MethodHandle HANDLE = LibCuda.find("cuStreamGetCaptureInfo_v2", "11.3", JAVA_LONG,
                ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS);

        private StreamGetCaptureInfo() { }
    }

    @Override
    default int cuStreamGetCaptureInfo(long stream, MemorySegment status, MemorySegment id, MemorySegment graph,
            MemorySegment dependencies, MemorySegment dependencyCount) {
        try {
            return (int) StreamGetCaptureInfo.HANDLE.invokeExact(stream, status, id, graph, dependencies,
                    dependencyCount);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    final class EventCreate {
        private static final MethodHandle HANDLE = LibCuda.find("cuEventCreate", "2.0", ADDRESS, JAVA_INT);

        private EventCreate() { }
    }

    @Override
    default int cuEventCreate(MemorySegment event, int flags) {
        try {
            return (int) EventCreate.HANDLE.invokeExact(event, flags);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    final class EventDestroy {
        private static final MethodHandle HANDLE = LibCuda.find("cuEventDestroy_v2", "4.0", JAVA_LONG);

        private EventDestroy() { }
    }

    @Override
    default int cuEventDestroy(long event) {
        try {
            return (int) EventDestroy.HANDLE.invokeExact(event);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    final class EventRecord {
        private static final MethodHandle HANDLE = LibCuda.find("cuEventRecord", "2.0", JAVA_LONG, JAVA_LONG);

        private EventRecord() { }
    }

    @Override
    default int cuEventRecord(long event, long stream) {
        try {
            return (int) EventRecord.HANDLE.invokeExact(event, stream);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    final class EventQuery {
        private static final MethodHandle HANDLE = LibCuda.find("cuEventQuery", "2.0", JAVA_LONG);

        private EventQuery() { }
    }

    @Override
    default int cuEventQuery(long event) {
        try {
            return (int) EventQuery.HANDLE.invokeExact(event);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    final class EventSynchronize {
        private static final MethodHandle HANDLE = LibCuda.find("cuEventSynchronize", "2.0", JAVA_LONG);

        private EventSynchronize() { }
    }

    @Override
    default int cuEventSynchronize(long event) {
        try {
            return (int) EventSynchronize.HANDLE.invokeExact(event);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    final class EventElapsedTime {
        private static final MethodHandle HANDLE = LibCuda.find("cuEventElapsedTime", "2.0", ADDRESS, JAVA_LONG,
                JAVA_LONG);

        private EventElapsedTime() { }
    }

    @Override
    default int cuEventElapsedTime(MemorySegment milliseconds, long begin, long end) {
        try {
            return (int) EventElapsedTime.HANDLE.invokeExact(milliseconds, begin, end);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }
}

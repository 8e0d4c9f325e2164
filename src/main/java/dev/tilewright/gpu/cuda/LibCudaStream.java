package dev.tilewright.gpu.cuda;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.tilewright.gpu.host.NativeLibrary;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** {@link StreamApi} as {@code libcuda.so.1} has it. Each function is looked for when it is first called. */
interface LibCudaStream extends StreamApi {

    interface StreamCreate {
        MethodHandle HANDLE = LibCuda.find("cuStreamCreateWithPriority", "5.5", ADDRESS, JAVA_INT, JAVA_INT);
    }

    @Override
    default int cuStreamCreate(MemorySegment stream, int flags, int priority) {
        return LibCuda.call(StreamCreate.HANDLE, stream, flags, priority);
    }

    interface StreamDestroy {
        MethodHandle HANDLE = LibCuda.find("cuStreamDestroy_v2", "4.0", JAVA_LONG);
    }

    @Override
    default int cuStreamDestroy(long stream) {
        return LibCuda.call(StreamDestroy.HANDLE, stream);
    }

    interface StreamSynchronize {
        MethodHandle HANDLE = LibCuda.find("cuStreamSynchronize", "2.0", JAVA_LONG);
    }

    @Override
    default int cuStreamSynchronize(long stream) {
        return LibCuda.call(StreamSynchronize.HANDLE, stream);
    }

    interface StreamQuery {
        MethodHandle HANDLE = LibCuda.find("cuStreamQuery", "2.0", JAVA_LONG);
    }

    @Override
    default int cuStreamQuery(long stream) {
        return LibCuda.call(StreamQuery.HANDLE, stream);
    }

    interface StreamWaitEvent {
        MethodHandle HANDLE = LibCuda.find("cuStreamWaitEvent", "3.2", JAVA_LONG, JAVA_LONG, JAVA_INT);
    }

    @Override
    default int cuStreamWaitEvent(long stream, long event, int flags) {
        try {
            return (int) StreamWaitEvent.HANDLE.invokeExact(stream, event, flags);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    interface StreamBeginCapture {
        MethodHandle HANDLE = LibCuda.find("cuStreamBeginCapture_v2", "10.1", JAVA_LONG, JAVA_INT);
    }

    @Override
    default int cuStreamBeginCapture(long stream, int mode) {
        try {
            return (int) StreamBeginCapture.HANDLE.invokeExact(stream, mode);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    interface StreamEndCapture {
        MethodHandle HANDLE = LibCuda.find("cuStreamEndCapture", "10.0", JAVA_LONG, ADDRESS);
    }

    @Override
    default int cuStreamEndCapture(long stream, MemorySegment graph) {
        try {
            return (int) StreamEndCapture.HANDLE.invokeExact(stream, graph);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    interface StreamGetCaptureInfo {
        MethodHandle HANDLE = LibCuda.find("cuStreamGetCaptureInfo_v2", "11.3", JAVA_LONG,
                ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS);
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

    interface EventCreate {
        MethodHandle HANDLE = LibCuda.find("cuEventCreate", "2.0", ADDRESS, JAVA_INT);
    }

    @Override
    default int cuEventCreate(MemorySegment event, int flags) {
        return LibCuda.call(EventCreate.HANDLE, event, flags);
    }

    interface EventDestroy {
        MethodHandle HANDLE = LibCuda.find("cuEventDestroy_v2", "4.0", JAVA_LONG);
    }

    @Override
    default int cuEventDestroy(long event) {
        return LibCuda.call(EventDestroy.HANDLE, event);
    }

    interface EventRecord {
        MethodHandle HANDLE = LibCuda.find("cuEventRecord", "2.0", JAVA_LONG, JAVA_LONG);
    }

    @Override
    default int cuEventRecord(long event, long stream) {
        return LibCuda.call(EventRecord.HANDLE, event, stream);
    }

    interface EventQuery {
        MethodHandle HANDLE = LibCuda.find("cuEventQuery", "2.0", JAVA_LONG);
    }

    @Override
    default int cuEventQuery(long event) {
        return LibCuda.call(EventQuery.HANDLE, event);
    }

    interface EventSynchronize {
        MethodHandle HANDLE = LibCuda.find("cuEventSynchronize", "2.0", JAVA_LONG);
    }

    @Override
    default int cuEventSynchronize(long event) {
        return LibCuda.call(EventSynchronize.HANDLE, event);
    }

    interface EventElapsedTime {
        MethodHandle HANDLE = LibCuda.find("cuEventElapsedTime", "2.0", ADDRESS, JAVA_LONG, JAVA_LONG);
    }

    @Override
    default int cuEventElapsedTime(MemorySegment milliseconds, long begin, long end) {
        return LibCuda.call(EventElapsedTime.HANDLE, milliseconds, begin, end);
    }
}

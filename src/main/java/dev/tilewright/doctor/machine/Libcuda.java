package dev.tilewright.doctor.machine;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.gpu.cuda.DeviceApi;
import dev.tilewright.gpu.cuda.LibCuda;
import dev.tilewright.gpu.device.CudaError;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.IntFunction;

/**
 * The driver's library, {@code libcuda.so.1}, and what it answers when it is asked to start.
 *
 * @param loaded whether it was loaded
 * @param why if it was not, why; else empty
 * @param file the file that was loaded, after links; empty if that is unknown
 * @param stubs stubs to link with that lie on this machine: files of a toolkit that are no driver
 * @param version the newest CUDA that the driver knows, such as {@code 13.0}; empty if it does not say
 * @param startResult the CUresult of cuInit; 0 if it was not called
 * @param startError that result in words; empty if it is success
 */
public record Libcuda(boolean loaded, String why, String file, List<String> stubs, String version, int startResult,
        String startError) {

    /** {@code CUDA_ERROR_STUB_LIBRARY}: what is loaded is a stub. */
    public static final int STUB_LIBRARY = 34;

    public Libcuda {
        stubs = List.copyOf(stubs);
    }

    /** Whether what was loaded is a stub, which only a linker has a use for. */
    public boolean isStub() {
        return startResult == STUB_LIBRARY || file.contains("/stubs/");
    }

    /** Whether the driver can be used. */
    public boolean isStarted() {
        return loaded && startResult == CudaError.SUCCESS;
    }

    /** Starts it. @param errors a CUresult in words */
    static Libcuda look(LibCuda.Presence presence, DeviceApi api, String file, List<String> stubs,
            IntFunction<String> errors) {
        if (!presence.present()) {
            return new Libcuda(false, presence.why(), "", stubs, "", CudaError.SUCCESS, "");
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment number = arena.allocate(JAVA_INT);
            int result = api.cuDriverGetVersion(number);
            int version = result == CudaError.SUCCESS ? number.get(JAVA_INT, 0) : 0;
            int start = api.cuInit(0);
            return new Libcuda(true, "", file, stubs, version == 0 ? "" : version / 1000 + "." + version % 1000 / 10,
                    start, start == CudaError.SUCCESS ? "" : errors.apply(start));
        } catch (MissingRequirementException e) {
            return new Libcuda(false, e.getMessage(), file, stubs, "", CudaError.SUCCESS, "");
        }
    }
}

package dev.tilewright.gpu.cuda;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.gpu.host.NativeLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * The few driver functions that JCuda lacks, or that must work before JCuda may be loaded: the only class that binds
 * {@code libcuda.so.1}. Names, parameters and results are those of {@code cuda.h}; every function returns its CUresult,
 * for the caller to judge. Handles and device addresses are plain longs, and
 * structures are segments that the caller keeps, so that a launch allocates nothing.
 *
 * <p>A function that cannot be called throws {@link MissingRequirementException}: no driver, a driver that is too old
 * for it (with the CUDA version that brought it), or a Java that may not call native code (with the flag to add).
 */
public final class LibCuda {

    private static final String NAME = "libcuda.so.1";

    private LibCuda() { }

    /**
     * Whether the driver's library can be called.
     *
     * @param present whether it was loaded
     * @param why if it was not, why, in one sentence; else empty
     */
    public record Presence(boolean present, String why) { }

    /** The library, looked for once, when it is first asked about. */
    private static final class Library {
        private static final NativeLibrary LOADED;
        private static final Presence PRESENCE;

        static {
            NativeLibrary loaded = null;
            String why = "";
            try {
                loaded = NativeLibrary.open(NAME);
            } catch (MissingRequirementException e) {
                why = absence(e.getMessage());
            }
            LOADED = loaded;
            PRESENCE = new Presence(loaded != null, why);
        }

        /** The loader's words for "not found" mean that no driver is installed; any others are worth passing on. */
        private static String absence(String reason) {
            if (reason.startsWith(NAME + ": cannot open shared object file")) {
                return "no NVIDIA driver (" + NAME + ") on this machine";
            }
            return reason.contains(NAME) ? "the NVIDIA driver's library does not load: " + reason : reason;
        }
    }

    /** Whether the driver's library can be called, and if not why. Never throws. */
    public static Presence presence() {
        return Library.PRESENCE;
    }

    private static final class Init {
        private static final MethodHandle HANDLE = find("cuInit", "2.0", JAVA_INT);
    }

    /** {@code cuInit}. Takes a third of a second the first time in a process. */
    public static int cuInit(int flags) {
        try {
            return (int) Init.HANDLE.invokeExact(flags);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    private static final class DriverGetVersion {
        private static final MethodHandle HANDLE = find("cuDriverGetVersion", "2.2", ADDRESS);
    }

    /** The newest CUDA that the driver knows, as {@link #cuDriverGetVersion} counts; 0 where there is none. */
    public static int driverVersion() {
        if (!presence().present()) {
            return 0;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment version = arena.allocate(JAVA_INT);
            return cuDriverGetVersion(version) == 0 ? version.get(JAVA_INT, 0) : 0;
        } catch (MissingRequirementException e) {
            return 0;
        }
    }

    /** {@code cuDriverGetVersion}: 1000 times the major number plus 10 times the minor, as 32 bits. */
    public static int cuDriverGetVersion(MemorySegment version) {
        try {
            return (int) DriverGetVersion.HANDLE.invokeExact(version);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    private static final class DeviceGetCount {
        private static final MethodHandle HANDLE = find("cuDeviceGetCount", "2.0", ADDRESS);
    }

    /** {@code cuDeviceGetCount}, as 32 bits. */
    public static int cuDeviceGetCount(MemorySegment count) {
        try {
            return (int) DeviceGetCount.HANDLE.invokeExact(count);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    private static final class DeviceGet {
        private static final MethodHandle HANDLE = find("cuDeviceGet", "2.0", ADDRESS, JAVA_INT);
    }

    /** {@code cuDeviceGet}: the CUdevice, as 32 bits. */
    public static int cuDeviceGet(MemorySegment device, int ordinal) {
        try {
            return (int) DeviceGet.HANDLE.invokeExact(device, ordinal);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    private static final class DeviceGetName {
        private static final MethodHandle HANDLE = find("cuDeviceGetName", "2.0", ADDRESS, JAVA_INT, JAVA_INT);
    }

    /** {@code cuDeviceGetName}: a C string of at most {@code bytes} bytes. */
    public static int cuDeviceGetName(MemorySegment name, int bytes, int device) {
        try {
            return (int) DeviceGetName.HANDLE.invokeExact(name, bytes, device);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    private static final class DeviceGetAttribute {
        private static final MethodHandle HANDLE = find("cuDeviceGetAttribute", "2.0", ADDRESS, JAVA_INT, JAVA_INT);
    }

    /** {@code cuDeviceGetAttribute}: the value of a CUdevice_attribute, as 32 bits. */
    public static int cuDeviceGetAttribute(MemorySegment value, int attribute, int device) {
        try {
            return (int) DeviceGetAttribute.HANDLE.invokeExact(value, attribute, device);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    private static final class DeviceTotalMem {
        private static final MethodHandle HANDLE = find("cuDeviceTotalMem_v2", "3.2", ADDRESS, JAVA_INT);
    }

    /** {@code cuDeviceTotalMem_v2}: bytes, as 64 bits. */
    public static int cuDeviceTotalMem(MemorySegment bytes, int device) {
        try {
            return (int) DeviceTotalMem.HANDLE.invokeExact(bytes, device);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    private static final class GetErrorName {
        private static final MethodHandle HANDLE = find("cuGetErrorName", "6.0", JAVA_INT, ADDRESS);
    }

    /** {@code cuGetErrorName}: a pointer to the driver's own C string. */
    public static int cuGetErrorName(int error, MemorySegment pointer) {
        try {
            return (int) GetErrorName.HANDLE.invokeExact(error, pointer);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    private static final class GetErrorString {
        private static final MethodHandle HANDLE = find("cuGetErrorString", "6.0", JAVA_INT, ADDRESS);
    }

    /** {@code cuGetErrorString}: a pointer to the driver's own C string. */
    public static int cuGetErrorString(int error, MemorySegment pointer) {
        try {
            return (int) GetErrorString.HANDLE.invokeExact(error, pointer);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    private static final class TensorMapEncodeTiled {
        private static final MethodHandle HANDLE = find("cuTensorMapEncodeTiled", "12.0", ADDRESS, JAVA_INT, JAVA_INT,
                JAVA_LONG, ADDRESS, ADDRESS, ADDRESS, ADDRESS, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT);
    }

    /**
     * {@code cuTensorMapEncodeTiled}. Needs a current context; without one it returns 201, CUDA_ERROR_INVALID_CONTEXT,
     * and in a lost one the error that lost it.
     *
     * @param map 128 bytes at an address that is a multiple of 64, written
     * @param dataType an integer of CUtensorMapDataType; the other enums likewise
     * @param dims 64-bit element counts, innermost first, {@code rank} of them
     * @param strides 64-bit byte strides of the dimensions from the second on
     * @param box 32-bit element counts
     * @param elementStrides 32-bit
     */
    public static int cuTensorMapEncodeTiled(MemorySegment map, int dataType, int rank, long globalAddress,
            MemorySegment dims, MemorySegment strides, MemorySegment box, MemorySegment elementStrides,
            int interleave, int swizzle, int l2Promotion, int oobFill) {
        try {
            return (int) TensorMapEncodeTiled.HANDLE.invokeExact(map, dataType, rank, globalAddress, dims, strides, box,
                    elementStrides, interleave, swizzle, l2Promotion, oobFill);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    private static final class TensorMapEncodeIm2col {
        private static final MethodHandle HANDLE = find("cuTensorMapEncodeIm2col", "12.0", ADDRESS, JAVA_INT, JAVA_INT,
                JAVA_LONG, ADDRESS, ADDRESS, ADDRESS, ADDRESS, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT,
                JAVA_INT, JAVA_INT);
    }

    /**
     * {@code cuTensorMapEncodeIm2col}: as {@link #cuTensorMapEncodeTiled}, with an im2col box.
     *
     * @param lower signed 32-bit, {@code rank - 2} of them; {@code upper} likewise
     * @param channels channels per pixel
     * @param pixels pixels per column
     */
    public static int cuTensorMapEncodeIm2col(MemorySegment map, int dataType, int rank, long globalAddress,
            MemorySegment dims, MemorySegment strides, MemorySegment lower, MemorySegment upper, int channels,
            int pixels, MemorySegment elementStrides, int interleave, int swizzle, int l2Promotion, int oobFill) {
        try {
            return (int) TensorMapEncodeIm2col.HANDLE.invokeExact(map, dataType, rank, globalAddress, dims, strides,
                    lower, upper, channels, pixels, elementStrides, interleave, swizzle, l2Promotion, oobFill);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    private static final class LaunchKernelEx {
        private static final MethodHandle HANDLE =
                find("cuLaunchKernelEx", "11.8", ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG);
    }

    /**
     * {@code cuLaunchKernelEx}. Needs a current context.
     *
     * @param config a CUlaunchConfig: see {@link LaunchConfig}
     * @param function the CUfunction
     * @param parameters an array of pointers to the kernel's arguments, or {@link MemorySegment#NULL} for none
     */
    public static int cuLaunchKernelEx(MemorySegment config, long function, MemorySegment parameters) {
        try {
            return (int) LaunchKernelEx.HANDLE.invokeExact(config, function, parameters, 0L);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    /**
     * A function's handle. One that cannot be called has a handle too, which throws the reason whenever it is called:
     * so every handle is a constant, and no failure hides in a class that did not initialise.
     *
     * @param since the CUDA version whose driver first had it
     */
    private static MethodHandle find(String name, String since, MemoryLayout... parameters) {
        FunctionDescriptor type = FunctionDescriptor.of(JAVA_INT, parameters);
        if (Library.LOADED == null) {
            return refusing(Library.PRESENCE.why(), type.toMethodType());
        }
        return Library.LOADED.function(name, type).orElseGet(() -> refusing("this NVIDIA driver has no function " + name
                + ", which came with CUDA " + since + ": update the driver", type.toMethodType()));
    }

    private static MethodHandle refusing(String why, MethodType type) {
        try {
            MethodHandle refuse = MethodHandles.lookup().findStatic(LibCuda.class, "refuse",
                    MethodType.methodType(int.class, String.class));
            return MethodHandles.dropArguments(MethodHandles.insertArguments(refuse, 0, why), 0, type.parameterList());
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    private static int refuse(String why) {
        throw new MissingRequirementException(why);
    }
}

package dev.tilewright.gpu.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.gpu.host.NativeLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.List;

/**
 * The CUDA driver of this machine, {@code libcuda.so.1}, bound through {@code java.lang.foreign}: the only one that
 * calls it.
 *
 * <p>A function that cannot be called throws {@link MissingRequirementException}: no driver, a driver that is too old
 * for it (with the CUDA version that brought it), or a Java that may not call native code (with the flag to add).
 */
public final class LibCuda
        implements DriverApi, LibCudaDevice, LibCudaMemory, LibCudaStream, LibCudaModule, LibCudaGraph {

    private static final String NAME = "libcuda.so.1";
    private static final LibCuda INSTANCE = new LibCuda();

    private LibCuda() { }

    /** The driver, present or not. */
    public static LibCuda get() {
        return INSTANCE;
    }

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

    /** The newest CUDA that the driver knows, as {@link #cuDriverGetVersion} counts; 0 where there is none. */
    public static int driverVersion() {
        if (!presence().present()) {
            return 0;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment version = arena.allocate(JAVA_INT);
            return INSTANCE.cuDriverGetVersion(version) == SUCCESS ? version.get(JAVA_INT, 0) : 0;
        } catch (MissingRequirementException e) {
            return 0;
        }
    }

    /**
     * A function's handle. One that cannot be called has a handle too, which throws the reason whenever it is called:
     * so every handle is a constant, and no failure hides in a class that did not initialise.
     *
     * @param since the CUDA version whose driver first had it
     */
    static MethodHandle find(String name, String since, MemoryLayout... parameters) {
        return find(name, since, parameters, new Linker.Option[0]);
    }

    /** A handle of a function that returns at once, whatever it is given: the JVM need not make way for it. */
    static MethodHandle findQuick(String name, String since, MemoryLayout... parameters) {
        return find(name, since, parameters, Linker.Option.critical(false));
    }

    private static MethodHandle find(String name, String since, MemoryLayout[] parameters, Linker.Option... options) {
        FunctionDescriptor type = FunctionDescriptor.of(JAVA_INT, parameters);
        if (Library.LOADED == null) {
            return refusing(Library.PRESENCE.why(), type.toMethodType());
        }
        return Library.LOADED.function(name, type, options)
                .orElseGet(() -> refusing("this NVIDIA driver has no function " + name
                + ", which came with CUDA " + since + ": update the driver", type.toMethodType()));
    }

    /**
     * Links the functions that the first kernel's way takes, in its order, while the driver initialises: linking one
     * takes about as long as a hundred calls of it.
     */
    public static void linkAhead() {
        MethodHandles.Lookup lookup = MethodHandles.lookup();
        for (Class<?> function : List.of(LibCudaDevice.DeviceGetCount.class, LibCudaDevice.DeviceGet.class,
                LibCudaDevice.DeviceGetName.class, LibCudaDevice.DeviceTotalMem.class,
                LibCudaDevice.DeviceGetAttribute.class, LibCudaDevice.DevicePrimaryCtxRetain.class,
                LibCudaDevice.CtxGetCurrent.class, LibCudaDevice.CtxSetCurrent.class,
                LibCudaModule.ModuleLoadData.class, LibCudaModule.ModuleGetFunction.class,
                LibCudaModule.FuncGetAttribute.class, LibCudaModule.FuncSetAttribute.class,
                LibCudaModule.OccupancyMaxActiveBlocksPerMultiprocessor.class, LibCudaMemory.MemAlloc.class,
                LibCudaMemory.PointerGetAttribute.class, LibCudaMemory.MemcpyHtoDAsync.class,
                LibCudaMemory.MemcpyDtoHAsync.class, LibCudaModule.LaunchKernelEx.class,
                LibCudaStream.StreamSynchronize.class, LibCudaStream.StreamCreate.class, LibCudaMemory.MemFree.class,
                LibCudaModule.ModuleUnload.class, LibCudaStream.StreamDestroy.class)) {
            try {
                lookup.ensureInitialized(function);
            } catch (IllegalAccessException e) {
                throw new AssertionError(e);
            }
        }
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

    // One for each form that several functions have. The handle is a constant wherever they are compiled into a caller.

    static int call(MethodHandle handle, MemorySegment a) {
        try {
            return (int) handle.invokeExact(a);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    static int call(MethodHandle handle, long a) {
        try {
            return (int) handle.invokeExact(a);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    static int call(MethodHandle handle, MemorySegment a, int b) {
        try {
            return (int) handle.invokeExact(a, b);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    static int call(MethodHandle handle, long a, long b) {
        try {
            return (int) handle.invokeExact(a, b);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    static int call(MethodHandle handle, MemorySegment a, int b, int c) {
        try {
            return (int) handle.invokeExact(a, b, c);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    static int call(MethodHandle handle, MemorySegment a, long b, long c) {
        try {
            return (int) handle.invokeExact(a, b, c);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    static int call(MethodHandle handle, long a, long b, long c, long d) {
        try {
            return (int) handle.invokeExact(a, b, c, d);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }
}

package dev.tilewright.gpu.nvml;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.gpu.host.NativeLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;

/**
 * The management library of NVIDIA's driver, {@code libnvidia-ml.so.1}: the only class that calls it. Functions and
 * results are those of nvml.h. What it cannot answer is empty: no two drivers know the same.
 */
public final class LibNvml {

    /** {@code NVML_SUCCESS}. */
    public static final int SUCCESS = 0;

    /** What {@link #call} gives for a function that this library does not have. */
    public static final int NO_FUNCTION = -1;

    private static final int TEXT_BYTES = 256;
    private static final String NAME = "libnvidia-ml.so.1";

    private final NativeLibrary library;

    private LibNvml(NativeLibrary library) {
        this.library = library;
    }

    /**
     * What came of opening it.
     *
     * @param library the library, initialised; empty if it cannot be used
     * @param why why it cannot be used; else empty
     */
    public record Opening(Optional<LibNvml> library, String why) { }

    private static final class Library {
        private static final Opening OPENING = open();

        private static Opening open() {
            try {
                LibNvml nvml = new LibNvml(NativeLibrary.open(NAME));
                int result = nvml.call("nvmlInit_v2");
                return result == SUCCESS ? new Opening(Optional.of(nvml), "")
                        : new Opening(Optional.empty(), "nvmlInit_v2 failed: " + nvml.error(result));
            } catch (MissingRequirementException e) {
                return new Opening(Optional.empty(), e.getMessage());
            }
        }
    }

    /** The library of this machine, opened and initialised when it is first asked for. Never throws. */
    public static Opening opening() {
        return Library.OPENING;
    }

    /**
     * Calls a function of ints and pointers.
     *
     * @return its nvmlReturn_t; {@link #NO_FUNCTION} if this library has none of that name
     */
    public int call(String function, Object... arguments) {
        MemoryLayout[] types = Arrays.stream(arguments).map(a -> a instanceof Integer ? JAVA_INT : ADDRESS)
                .toArray(MemoryLayout[]::new);
        Optional<MethodHandle> handle = library.function(function, FunctionDescriptor.of(JAVA_INT, types));
        if (handle.isEmpty()) {
            return NO_FUNCTION;
        }
        try {
            return (int) handle.get().invokeWithArguments(arguments);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    /** The 32 bits that a function writes behind its other arguments; empty if it does not. */
    public OptionalInt number(String function, Object... arguments) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(JAVA_INT);
            return call(function, and(arguments, out)) == SUCCESS ? OptionalInt.of(out.get(JAVA_INT, 0))
                    : OptionalInt.empty();
        }
    }

    /** The C string that a function writes behind its other arguments, followed by its room; empty if it does not. */
    public String text(String function, Object... arguments) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(TEXT_BYTES);
            return call(function, and(arguments, out, TEXT_BYTES)) == SUCCESS ? out.getString(0) : "";
        }
    }

    /** The handle, such as an nvmlDevice_t, that a function writes behind its other arguments; empty if it does not. */
    public Optional<MemorySegment> handle(String function, Object... arguments) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment out = arena.allocate(ADDRESS);
            return call(function, and(arguments, out)) == SUCCESS ? Optional.of(out.get(ADDRESS, 0))
                    : Optional.empty();
        }
    }

    /** The driver's version, such as {@code 580.95.05}; empty if unknown. */
    public String driverVersion() {
        return text("nvmlSystemGetDriverVersion");
    }

    private static Object[] and(Object[] arguments, Object... more) {
        return Stream.concat(Arrays.stream(arguments), Arrays.stream(more)).toArray();
    }

    /** {@code Driver Not Loaded (9)}. */
    private String error(int result) {
        return library.function("nvmlErrorString", FunctionDescriptor.of(ADDRESS, JAVA_INT)).map(function -> {
            try {
                return NativeLibrary.text((MemorySegment) function.invokeExact(result)) + " (" + result + ")";
            } catch (Throwable t) {
                throw NativeLibrary.rethrow(t);
            }
        }).orElse("nvmlReturn_t " + result);
    }
}

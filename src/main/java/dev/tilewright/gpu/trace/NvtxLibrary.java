package dev.tilewright.gpu.trace;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.gpu.host.NativeLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * NVTX, through which a program names ranges of time for Nsight Systems and other tools. Its C functions are in
 * {@code libnvtx3interop.so.1} with CUDA 13, and in {@code libnvToolsExt.so.1} before (NVTX itself is C++ headers
 * only); either loads the tool that NVTX_INJECTION64_PATH names, and does nothing without one.
 *
 * <p>Ranges are those of nvtxRangeStartA, which belong to the process and not, as those of nvtxRangePushA do, to a
 * thread of the operating system: a virtual thread may end a range on another one.
 */
public final class NvtxLibrary {
    /** The system property that names the library's file. */
    public static final String PROPERTY = "tilewright.nvtx.library";

    private static final List<String> NAMES = List.of("libnvtx3interop.so.1", "libnvToolsExt.so.1");

    private final MethodHandle start;
    private final MethodHandle end;

    private static final class OfProcess {
        private static final Optional<NvtxLibrary> FOUND = find(candidates());
    }

    private NvtxLibrary(MethodHandle start, MethodHandle end) {
        this.start = start;
        this.end = end;
    }

    /** The one of this process, looked for once; empty where there is none, or native code may not be called. */
    public static Optional<NvtxLibrary> ofProcess() {
        return OfProcess.FOUND;
    }

    /** Where it may be: what the property says, else what the loader finds, and the toolkit's folders. */
    private static List<String> candidates() {
        String given = System.getProperty(PROPERTY);
        if (given != null) {
            return List.of(given);
        }
        List<String> all = new ArrayList<>(NAMES);
        String[] toolkits = {System.getenv("CUDA_HOME"), System.getenv("CUDA_PATH"), "/usr/local/cuda"};
        for (String toolkit : toolkits) {
            if (toolkit != null) {
                NAMES.stream().map(name -> Path.of(toolkit, "lib64", name)).filter(Files::exists)
                        .forEach(file -> all.add(file.toString()));
            }
        }
        return all;
    }

    /** The first of these libraries that loads and has the functions. */
    static Optional<NvtxLibrary> find(List<String> candidates) {
        for (String candidate : candidates) {
            try {
                NativeLibrary library = NativeLibrary.open(candidate);
                Optional<MethodHandle> start = library.function("nvtxRangeStartA",
                        FunctionDescriptor.of(JAVA_LONG, ADDRESS));
                Optional<MethodHandle> end = library.function("nvtxRangeEnd", FunctionDescriptor.ofVoid(JAVA_LONG));
                if (start.isPresent() && end.isPresent()) {
                    return Optional.of(new NvtxLibrary(start.get(), end.get()));
                }
            } catch (MissingRequirementException e) {
                // The next one, or none.
            }
        }
        return Optional.empty();
    }

    /** Begins a range. @return what {@link #end} takes */
    public long start(String name) {
        Objects.requireNonNull(name, "name");
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocateFrom(name);
            return (long) start.invokeExact(text);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    /** Ends a range. */
    public void end(long range) {
        try {
            end.invokeExact(range);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }
}

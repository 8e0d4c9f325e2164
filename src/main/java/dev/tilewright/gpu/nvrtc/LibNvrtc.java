package dev.tilewright.gpu.nvrtc;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.gpu.host.NativeLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * One libnvrtc, bound by hand: the only class that calls it. Functions and result codes are those of {@code nvrtc.h},
 * unchanged from CUDA 12.0 to 13. JCuda's JNvrtc is not used because it is tied to libnvrtc.so.12.
 *
 * <p>libnvrtc opens {@code libnvrtc-builtins.so.M.N} by bare name when it first compiles, and finds it only if the
 * dynamic loader would or if it is already in the process. So the one beside it is loaded before that.
 */
public final class LibNvrtc {

    /** {@code NVRTC_SUCCESS}. */
    public static final int SUCCESS = 0;

    private static final ConcurrentMap<Path, LibNvrtc> OPEN = new ConcurrentHashMap<>();

    private final Path file;
    private final NvrtcVersion version;
    private final MethodHandle getNumSupportedArchs;
    private final MethodHandle getSupportedArchs;
    private final MethodHandle createProgram;
    private final MethodHandle destroyProgram;
    private final MethodHandle compileProgram;
    private final MethodHandle getErrorString;
    private final TextGetter log;
    private final TextGetter ptx;
    private final TextGetter cubin;

    /** The two calls by which NVRTC gives out a text or an image: its size, then its bytes. */
    private record TextGetter(MethodHandle size, MethodHandle bytes) { }

    private LibNvrtc(Path file) {
        this.file = file;
        NativeLibrary library = NativeLibrary.open(file.toString());
        this.version = readVersion(find(library, "nvrtcVersion", ADDRESS, ADDRESS));
        if (version.compareTo(NvrtcVersion.OLDEST) < 0) {
            throw new MissingRequirementException(
                    file + " is NVRTC " + version + ", and " + NvrtcVersion.OLDEST + " or newer is needed");
        }
        loadBuiltins();
        this.getNumSupportedArchs = find(library, "nvrtcGetNumSupportedArchs", ADDRESS);
        this.getSupportedArchs = find(library, "nvrtcGetSupportedArchs", ADDRESS);
        this.createProgram = find(library, "nvrtcCreateProgram", ADDRESS, ADDRESS, ADDRESS, JAVA_INT, ADDRESS, ADDRESS);
        this.destroyProgram = find(library, "nvrtcDestroyProgram", ADDRESS);
        this.compileProgram = find(library, "nvrtcCompileProgram", ADDRESS, JAVA_INT, ADDRESS);
        this.getErrorString = find(library, "nvrtcGetErrorString", FunctionDescriptor.of(ADDRESS, JAVA_INT));
        this.log = getter(library, "nvrtcGetProgramLog");
        this.ptx = getter(library, "nvrtcGetPTX");
        this.cubin = getter(library, "nvrtcGetCUBIN");
    }

    /**
     * Loads a libnvrtc and its builtins; once for each file in a process.
     *
     * @throws MissingRequirementException if either cannot be loaded, or is too old
     */
    public static LibNvrtc open(Path file) {
        return OPEN.computeIfAbsent(file.toAbsolutePath(), LibNvrtc::new);
    }

    public NvrtcVersion version() {
        return version;
    }

    /** Compute capabilities that it compiles for, times ten: 80, 90, 100. */
    public List<Integer> supportedArchitectures() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment count = arena.allocate(JAVA_INT);
            check("nvrtcGetNumSupportedArchs", (int) getNumSupportedArchs.invokeExact(count));
            MemorySegment numbers = arena.allocate(JAVA_INT, count.get(JAVA_INT, 0));
            check("nvrtcGetSupportedArchs", (int) getSupportedArchs.invokeExact(numbers));
            return Arrays.stream(numbers.toArray(JAVA_INT)).boxed().toList();
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    /**
     * Compiles one program in the calling thread, which needs a deep stack: see {@link DeepStack}.
     *
     * @param source CUDA C++
     * @param name the file name that complaints give
     * @param options as on NVRTC's command line
     */
    public Compiler.Outcome compile(String source, String name, List<String> options) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment handle = arena.allocate(ADDRESS);
            check("nvrtcCreateProgram", (int) createProgram.invokeExact(handle, arena.allocateFrom(source),
                    arena.allocateFrom(name), 0, MemorySegment.NULL, MemorySegment.NULL));
            MemorySegment program = handle.get(ADDRESS, 0);
            try {
                MemorySegment arguments = arena.allocate(ADDRESS, Math.max(1, options.size()));
                for (int i = 0; i < options.size(); i++) {
                    arguments.setAtIndex(ADDRESS, i, arena.allocateFrom(options.get(i)));
                }
                int result = (int) compileProgram.invokeExact(program, options.size(), arguments);
                return new Compiler.Outcome(result, errorString(result), text(read(log, program)),
                        result == SUCCESS ? read(cubin, program) : new byte[0], text(read(ptx, program)));
            } finally {
                int ignored = (int) destroyProgram.invokeExact(handle);
            }
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    /** Empty where NVRTC has nothing to give out, as for the PTX of a source that did not parse. */
    private byte[] read(TextGetter getter, MemorySegment program) throws Throwable {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment size = arena.allocate(JAVA_LONG);
            if ((int) getter.size.invokeExact(program, size) != SUCCESS || size.get(JAVA_LONG, 0) == 0) {
                return new byte[0];
            }
            MemorySegment bytes = arena.allocate(size.get(JAVA_LONG, 0));
            return (int) getter.bytes.invokeExact(program, bytes) == SUCCESS ? bytes.toArray(JAVA_BYTE) : new byte[0];
        }
    }

    /** Without the NUL at the end, which NVRTC counts in a text's size; some logs have more than one. */
    private static String text(byte[] bytes) {
        int length = bytes.length;
        while (length > 0 && bytes[length - 1] == 0) {
            length--;
        }
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }

    private String errorString(int result) throws Throwable {
        return NativeLibrary.text((MemorySegment) getErrorString.invokeExact(result));
    }

    private void check(String call, int result) throws Throwable {
        if (result != SUCCESS) {
            throw new IllegalStateException(call + " of " + file + " failed: " + errorString(result) + " (" + result
                    + ")");
        }
    }

    private static NvrtcVersion readVersion(MethodHandle nvrtcVersion) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment major = arena.allocate(JAVA_INT);
            MemorySegment minor = arena.allocate(JAVA_INT);
            int result = (int) nvrtcVersion.invokeExact(major, minor);
            if (result != SUCCESS) {
                throw new IllegalStateException("nvrtcVersion failed (" + result + ")");
            }
            return new NvrtcVersion(major.get(JAVA_INT, 0), minor.get(JAVA_INT, 0));
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
    }

    private void loadBuiltins() {
        Path builtins = LibraryFolder.builtinsBeside(file, version).orElseThrow(() -> new MissingRequirementException(
                file + " lacks libnvrtc-builtins.so." + version + " beside it, without which it compiles nothing"));
        NativeLibrary.open(builtins.toString());
    }

    private TextGetter getter(NativeLibrary library, String name) {
        return new TextGetter(find(library, name + "Size", ADDRESS, ADDRESS), find(library, name, ADDRESS, ADDRESS));
    }

    private MethodHandle find(NativeLibrary library, String name, MemoryLayout... parameters) {
        return find(library, name, FunctionDescriptor.of(JAVA_INT, parameters));
    }

    private MethodHandle find(NativeLibrary library, String name, FunctionDescriptor type) {
        return library.function(name, type).orElseThrow(() -> new MissingRequirementException(
                file + " has no function " + name + ": it is not NVRTC " + NvrtcVersion.OLDEST + " or newer"));
    }
}

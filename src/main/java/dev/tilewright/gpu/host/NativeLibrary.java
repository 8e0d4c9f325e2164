package dev.tilewright.gpu.host;

import dev.tilewright.MissingRequirementException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Optional;

/**
 * A shared library that has been opened, and the handles of its functions. It tells apart the three ways in which
 * that fails (the file cannot be loaded, a function is not in it, Java may not call native code) because each asks for
 * something else of the user.
 *
 * <p>A library stays loaded until the process ends: handles made from it never dangle.
 */
public final class NativeLibrary {

    private static final Linker LINKER = Linker.nativeLinker();

    /** {@code RTLD_LAZY} of glibc's {@code dlfcn.h}. */
    private static final int RTLD_LAZY = 1;

    private final SymbolLookup symbols;

    private NativeLibrary(SymbolLookup symbols) {
        this.symbols = symbols;
    }

    /**
     * Loads a library.
     *
     * @param name a path, or a bare name such as {@code libcuda.so.1} that the dynamic loader looks for
     * @throws MissingRequirementException if it cannot be loaded, with the dynamic loader's own words, or if this
     *     process may not call native code, with the flag that allows it
     */
    public static NativeLibrary open(String name) {
        try {
            return new NativeLibrary(SymbolLookup.libraryLookup(name, Arena.global()));
        } catch (IllegalArgumentException e) {
            throw new MissingRequirementException(whyNotLoaded(name).orElse(name + ": cannot be loaded"), e);
        } catch (IllegalCallerException e) {
            throw nativeAccessDenied(e);
        }
    }

    /**
     * Whether this process may call native code. Where no flag allows or forbids it, the JVM prints a warning and
     * allows it from then on.
     */
    public static boolean isPermitted() {
        try {
            return MemorySegment.NULL.reinterpret(0).byteSize() == 0;
        } catch (IllegalCallerException e) {
            return false;
        }
    }

    /** What follows {@code --enable-native-access=} on the command line that allows it. */
    public static String moduleToPermit() {
        Module module = NativeLibrary.class.getModule();
        return module.isNamed() ? module.getName() : "ALL-UNNAMED";
    }

    /**
     * The handle of a function, or empty if the library has no function of this name.
     *
     * @throws MissingRequirementException if this process may not call native code
     */
    public Optional<MethodHandle> function(String name, FunctionDescriptor type, Linker.Option... options) {
        try {
            return symbols.find(name).map(address -> LINKER.downcallHandle(address, type, options));
        } catch (IllegalCallerException e) {
            throw nativeAccessDenied(e);
        }
    }

    /** Copies a C string that a library owns; {@code null} for a null pointer. */
    public static String text(MemorySegment pointer) {
        return pointer.equals(MemorySegment.NULL) ? null : pointer.reinterpret(Long.MAX_VALUE).getString(0);
    }

    /**
     * What a wrapper around {@link MethodHandle#invokeExact} throws for what came out of it: exceptions as they are,
     * and nothing else can come out of a native call.
     */
    public static RuntimeException rethrow(Throwable thrown) {
        if (thrown instanceof RuntimeException e) {
            return e;
        }
        if (thrown instanceof Error e) {
            throw e;
        }
        return new IllegalStateException(thrown);
    }

    private static MissingRequirementException nativeAccessDenied(IllegalCallerException cause) {
        return new MissingRequirementException("this Java may not call native code: add --enable-native-access="
                + moduleToPermit() + " to the java command", cause);
    }

    /** SymbolLookup does not say why a library did not load; the loader does when it is asked again. */
    private static Optional<String> whyNotLoaded(String name) {
        Optional<MemorySegment> dlopen = LINKER.defaultLookup().find("dlopen");
        Optional<MemorySegment> dlerror = LINKER.defaultLookup().find("dlerror");
        if (dlopen.isEmpty() || dlerror.isEmpty()) {
            return Optional.empty();
        }
        MethodHandle open = LINKER.downcallHandle(dlopen.get(),
                FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.JAVA_INT));
        MethodHandle error = LINKER.downcallHandle(dlerror.get(), FunctionDescriptor.of(ValueLayout.ADDRESS));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment handle = (MemorySegment) open.invokeExact(arena.allocateFrom(name), RTLD_LAZY);
            if (!handle.equals(MemorySegment.NULL)) {
                return Optional.empty();
            }
            return Optional.ofNullable(text((MemorySegment) error.invokeExact()));
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }
}

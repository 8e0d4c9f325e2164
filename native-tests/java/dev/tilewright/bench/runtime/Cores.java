package dev.tilewright.bench.runtime;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.tilewright.gpu.host.NativeLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.BitSet;
import java.util.List;

/**
 * The processor's cores that this process may run on, and threads that are held on one of them, so that none is moved
 * while it is timed and all sides have had the same. Facts from Linux's {@code sched_setaffinity(2)}.
 */
final class Cores {
    private static final int SET_BYTES = 128;
    private static final FunctionDescriptor FORM = FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS);
    private static final MethodHandle GET = function("sched_getaffinity");
    private static final MethodHandle SET = function("sched_setaffinity");
    private static final int THIS_THREAD = 0;

    private Cores() { }

    private static MethodHandle function(String name) {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), FORM);
    }

    /** The cores that the calling thread may run on, by their numbers. */
    static List<Integer> allowed() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment set = arena.allocate(SET_BYTES);
            call("sched_getaffinity", GET, set);
            return BitSet.valueOf(set.asByteBuffer()).stream().boxed().toList();
        }
    }

    /** Lets the calling thread run on no other core from now on. @param core one of {@link #allowed} */
    static void pin(int core) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment set = arena.allocate(SET_BYTES);
            BitSet one = new BitSet();
            one.set(core);
            MemorySegment.copy(MemorySegment.ofArray(one.toByteArray()), 0, set, 0, core / Byte.SIZE + 1);
            call("sched_setaffinity", SET, set);
        }
    }

    private static void call(String name, MethodHandle function, MemorySegment set) {
        int result;
        try {
            result = (int) function.invokeExact(THIS_THREAD, (long) SET_BYTES, set);
        } catch (Throwable t) {
            throw NativeLibrary.rethrow(t);
        }
        if (result != 0) {
            throw new IllegalStateException(name + " fails on this machine: the cores of a thread cannot be chosen");
        }
    }
}

package dev.tilewright.gpu;

import dev.tilewright.Counted;
import dev.tilewright.gpu.compile.CudaFunction;
import dev.tilewright.gpu.compile.PointerExtent;
import dev.tilewright.gpu.module.KernelSignature;
import dev.tilewright.program.expression.Parameter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/**
 * Whether the buffers of a launch have the bytes that a {@link CudaFunction} is declared to reach. As pointers and
 * integers are set in any order, that is known when all are there: before a start, if any was set since the last.
 * Allocates nothing.
 */
final class LaunchExtents {
    private final KernelSignature signature;
    private final PointerExtent[] extents;
    private final int[] pointers;
    private final int[][] factors;

    LaunchExtents(KernelSignature signature) {
        this.signature = signature;
        this.extents = signature.extents().toArray(PointerExtent[]::new);
        this.pointers = new int[extents.length];
        this.factors = new int[extents.length][];
        List<String> names = signature.parameters().stream().map(Parameter::name).toList();
        for (int i = 0; i < extents.length; i++) {
            pointers[i] = names.indexOf(extents[i].pointer());
            factors[i] = extents[i].times().stream().mapToInt(names::indexOf).toArray();
        }
    }

    boolean isEmpty() {
        return extents.length == 0;
    }

    /**
     * @param buffers by parameter, where they are set
     * @param values the arguments, by parameter: of an integer, 64 bits
     * @throws IllegalArgumentException if one is too small
     */
    void check(Buffer<?>[] buffers, MemorySegment[] values) {
        for (int i = 0; i < extents.length; i++) {
            long needed = extents[i].bytes();
            for (int factor : factors[i]) {
                needed = product(needed, values[factor].get(ValueLayout.JAVA_LONG, 0));
            }
            if (needed > buffers[pointers[i]].bytes()) {
                throw new IllegalArgumentException("kernel '" + signature.name() + "': parameter '"
                        + extents[i].pointer() + "' needs "
                        + (needed == Long.MAX_VALUE ? "more than 2^63 bytes" : Counted.of(needed, "byte"))
                        + " of memory ("
                        + extents[i] + "), got a buffer of " + Counted.of(buffers[pointers[i]].bytes(), "byte"));
            }
        }
    }

    /** At most the largest long; 0 where nothing is counted. */
    private static long product(long bytes, long count) {
        if (count <= 0) {
            return 0;
        }
        return Math.multiplyHigh(bytes, count) != 0 || bytes * count < 0 ? Long.MAX_VALUE : bytes * count;
    }
}

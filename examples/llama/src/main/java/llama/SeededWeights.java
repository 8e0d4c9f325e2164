package llama;

import dev.tilewright.layout.FloatBits;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.stream.LongStream;

/**
 * Weights that are made from a seed, as none are shipped: what a model of them says has no meaning. Element {@code i}
 * of a tensor depends on the seed, the tensor's name and {@code i} alone. Matrices have the deviation
 * {@code 1 / sqrt(columns)}, so that rows keep their size from layer to layer; weights of norms are near 1.
 */
record SeededWeights(long seed) implements Weights {
    private static final long GOLDEN = 0x9E3779B97F4A7C15L;
    private static final int RUN = 1 << 16;
    /** Four numbers of 16 bits, less their mean, over the deviation of their sum. */
    private static final double MEAN = 4 * 32767.5;
    private static final double DEVIATION = 65536 / Math.sqrt(3);

    @Override
    public MemorySegment bf16(String name, long... shape) {
        long count = Weights.count(shape);
        MemorySegment elements = Arena.ofAuto().allocate(2 * count, 16);
        long start = mixed(seed ^ mixed(name.hashCode()));
        double middle = shape.length == 1 ? 1 : 0;
        double deviation = shape.length == 1 ? 0.1 : 1 / Math.sqrt(shape[shape.length - 1]);
        LongStream.range(0, Math.ceilDiv(count, RUN)).parallel().forEach(run -> {
            for (long i = run * RUN; i < Math.min(count, (run + 1) * RUN); i++) {
                elements.setAtIndex(ValueLayout.JAVA_SHORT, i, (short) FloatBits.toBf16(
                        (float) (middle + deviation * normal(start + i * GOLDEN))));
            }
        });
        return elements;
    }

    /** Near enough to a normal distribution: the sum of four numbers that are evenly spread. */
    private static double normal(long state) {
        long bits = mixed(state);
        return ((bits & 0xFFFF) + (bits >>> 16 & 0xFFFF) + (bits >>> 32 & 0xFFFF) + (bits >>> 48) - MEAN) / DEVIATION;
    }

    /** The finaliser of SplitMix64. */
    static long mixed(long state) {
        long z = (state ^ state >>> 30) * 0xBF58476D1CE4E5B9L;
        z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
        return z ^ z >>> 31;
    }
}

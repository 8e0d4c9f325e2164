package dev.tilewright.program.array;

import dev.tilewright.NotNull;
import dev.tilewright.program.Launchable;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;

/**
 * A launch that is given arrays and scalars by name, and run: on the CPU and on a GPU with the same words. It may be
 * run any number of times; what is set again replaces what was.
 *
 * @param <S> the launch itself
 */
public interface ArrayLaunch<S extends ArrayLaunch<S>> {

    /** The arrays that it takes. */
    List<Launchable.Array> arrays();

    /**
     * Gives an array in memory of any kind.
     *
     * @param shape where its elements lie
     * @throws IllegalArgumentException if the kernel has no array of this name, the memory does not hold the shape, or
     *     is read-only and the kernel writes it
     */
    S set(String name, MemorySegment memory, ArrayShape shape);

    /**
     * Gives a dense, row-major array in memory of any kind.
     *
     * @param shape its extents, outermost first
     */
    default S set(String name, MemorySegment memory, long... shape) {
        requireGiven("memory", name, memory, shape);
        return set(name, memory, ArrayShape.dense(shape));
    }

    /**
     * Gives a row-major array of f32.
     *
     * @param shape its extents, outermost first
     */
    default S set(String name, float[] elements, long... shape) {
        requireGiven("elements", name, elements, shape);
        JavaElements.FLOATS.requireFor(arrays(), name);
        return set(name, MemorySegment.ofArray(elements), shape);
    }

    /**
     * Gives a row-major array of f64.
     *
     * @param shape its extents, outermost first
     */
    default S set(String name, double[] elements, long... shape) {
        requireGiven("elements", name, elements, shape);
        JavaElements.DOUBLES.requireFor(arrays(), name);
        return set(name, MemorySegment.ofArray(elements), shape);
    }

    /**
     * Gives a row-major array of 32-bit integers.
     *
     * @param shape its extents, outermost first
     */
    default S set(String name, int[] elements, long... shape) {
        requireGiven("elements", name, elements, shape);
        JavaElements.INTS.requireFor(arrays(), name);
        return set(name, MemorySegment.ofArray(elements), shape);
    }

    /**
     * Gives a row-major array of 64-bit integers.
     *
     * @param shape its extents, outermost first
     */
    default S set(String name, long[] elements, long... shape) {
        requireGiven("elements", name, elements, shape);
        JavaElements.LONGS.requireFor(arrays(), name);
        return set(name, MemorySegment.ofArray(elements), shape);
    }

    /**
     * Gives a row-major array of 16-bit integers, or the bits of f16 or bf16.
     *
     * @param shape outermost first
     */
    default S set(String name, short[] elements, long... shape) {
        requireGiven("elements", name, elements, shape);
        JavaElements.SHORTS.requireFor(arrays(), name);
        return set(name, MemorySegment.ofArray(elements), shape);
    }

    /**
     * Gives a row-major array of 8-bit elements, or of the bytes of any.
     *
     * @param shape outermost first
     */
    default S set(String name, byte[] elements, long... shape) {
        requireGiven("elements", name, elements, shape);
        return set(name, MemorySegment.ofArray(elements), shape);
    }

    private static void requireGiven(String what, String name, Object array, long... shape) {
        NotNull.all("name, shape", name, shape);
        Objects.requireNonNull(array, () -> what + " of array '" + name + "'");
    }

    /**
     * Gives a scalar: rounded to nearest where its type is floating point; a number that an integer type can hold.
     *
     * @throws IllegalArgumentException if the kernel has no scalar of this name, or its type has no such number
     */
    S scalar(String name, Number number);

    /**
     * Runs the kernel, and returns when its results are where they belong.
     *
     * @throws IllegalArgumentException if an array or a scalar is missing, or the kernel cannot work on such arrays
     */
    void run();
}

package dev.tilewright.gpu;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.ToIntFunction;

/**
 * The Java arrays that device memory is copied from and to. 16-bit floating point, which Java has no array for, comes
 * as {@code short[]}, its bits; 8-bit types as {@code byte[]}.
 *
 * @param <A> the array's class, such as {@code float[]}
 */
public final class ArrayType<A> {
    /** {@code byte[]}: 1 byte an element. */
    public static final ArrayType<byte[]> BYTES =
            new ArrayType<>("byte", 1, byte[]::new, a -> a.length, MemorySegment::ofArray);
    /** {@code short[]}: 2 bytes an element; also the bits of f16 and bf16. */
    public static final ArrayType<short[]> SHORTS =
            new ArrayType<>("short", 2, short[]::new, a -> a.length, MemorySegment::ofArray);
    /** {@code int[]}: 4 bytes an element. */
    public static final ArrayType<int[]> INTS =
            new ArrayType<>("int", 4, int[]::new, a -> a.length, MemorySegment::ofArray);
    /** {@code long[]}: 8 bytes an element. */
    public static final ArrayType<long[]> LONGS =
            new ArrayType<>("long", 8, long[]::new, a -> a.length, MemorySegment::ofArray);
    /** {@code float[]}: 4 bytes an element. */
    public static final ArrayType<float[]> FLOATS =
            new ArrayType<>("float", 4, float[]::new, a -> a.length, MemorySegment::ofArray);
    /** {@code double[]}: 8 bytes an element. */
    public static final ArrayType<double[]> DOUBLES =
            new ArrayType<>("double", 8, double[]::new, a -> a.length, MemorySegment::ofArray);

    private final String name;
    private final int elementBytes;
    private final IntFunction<A> maker;
    private final ToIntFunction<A> length;
    private final Function<A, MemorySegment> memory;

    private ArrayType(String name, int elementBytes, IntFunction<A> maker, ToIntFunction<A> length,
            Function<A, MemorySegment> memory) {
        this.name = name;
        this.elementBytes = elementBytes;
        this.maker = maker;
        this.length = length;
        this.memory = memory;
    }

    /** Bytes of one element. */
    public int elementBytes() {
        return elementBytes;
    }

    /**
     * A new array.
     *
     * @param count its elements
     */
    public A newArray(int count) {
        return maker.apply(count);
    }

    /** How many elements an array has. */
    public int length(A array) {
        Objects.requireNonNull(array, "array");
        return length.applyAsInt(array);
    }

    /** The array's memory: what is written there is in the array. */
    public MemorySegment memory(A array) {
        Objects.requireNonNull(array, "array");
        return memory.apply(array);
    }

    /**
     * The memory of a part of an array.
     *
     * @param from its first element
     * @param count its elements
     * @throws IndexOutOfBoundsException if the array does not have them
     */
    public MemorySegment memory(A array, int from, int count) {
        Objects.requireNonNull(array, "array");
        Objects.checkFromIndexSize(from, count, length(array));
        return memory(array).asSlice((long) from * elementBytes, (long) count * elementBytes);
    }

    /** The element's name: {@code float}. */
    @Override
    public String toString() {
        return name;
    }
}

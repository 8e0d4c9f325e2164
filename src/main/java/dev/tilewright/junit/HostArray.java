package dev.tilewright.junit;

import dev.tilewright.Counted;
import dev.tilewright.NotNull;
import dev.tilewright.layout.ElementType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * Host memory with its type and shape, so that an assertion can name the element that differs: dense, row-major,
 * little-endian.
 *
 * {@snippet lang=java :
 * HostArray.of(new float[64 * 32], 64, 32);
 * HostArray.of(mapped, ElementType.BF16, 4096, 4096);
 * }
 *
 * @param memory of any kind; assertions copy it and leave it as it is
 * @param type what its elements are
 * @param shape its dimensions, outermost first; their product is the number of elements
 */
public record HostArray(MemorySegment memory, ElementType type, List<Long> shape) {

    /** @throws IllegalArgumentException if the memory has another size than an array of this type and shape */
    public HostArray {
        NotNull.all("memory, type, shape", memory, type, shape);
        shape = List.copyOf(shape);
        if (shape.stream().anyMatch(extent -> extent < 0) || bytes(type, shape) != memory.byteSize()) {
            throw new IllegalArgumentException("an array of shape " + shape + " of " + type + " does not have "
                    + Counted.of(memory.byteSize(), "byte"));
        }
    }

    private static long bytes(ElementType type, List<Long> shape) {
        long bytes = type.bytes();
        for (long extent : shape) {
            bytes = Math.multiplyExact(bytes, extent);
        }
        return bytes;
    }

    /**
     * Any memory.
     *
     * @param shape the array's dimensions, outermost first; none for one dimension of all elements
     */
    public static HostArray of(MemorySegment memory, ElementType type, long... shape) {
        NotNull.all("memory, type, shape", memory, type, shape);
        return new HostArray(memory, type, shape.length == 0 ? List.of(memory.byteSize() / type.bytes())
                : Arrays.stream(shape).boxed().toList());
    }

    /** An array of f32; without a shape of one dimension. */
    public static HostArray of(float[] array, long... shape) {
        Objects.requireNonNull(array, "array");
        return of(MemorySegment.ofArray(array), ElementType.F32, shape);
    }

    /** An array of f64; without a shape of one dimension. */
    public static HostArray of(double[] array, long... shape) {
        Objects.requireNonNull(array, "array");
        return of(MemorySegment.ofArray(array), ElementType.F64, shape);
    }

    /** An array of i64; without a shape of one dimension. */
    public static HostArray of(long[] array, long... shape) {
        Objects.requireNonNull(array, "array");
        return of(MemorySegment.ofArray(array), ElementType.I64, shape);
    }

    /** An array of i32; without a shape of one dimension. */
    public static HostArray of(int[] array, long... shape) {
        Objects.requireNonNull(array, "array");
        return of(MemorySegment.ofArray(array), ElementType.I32, shape);
    }

    /** An array of i16; without a shape of one dimension. For the bits of f16 and bf16 there is the first method. */
    public static HostArray of(short[] array, long... shape) {
        Objects.requireNonNull(array, "array");
        return of(MemorySegment.ofArray(array), ElementType.I16, shape);
    }

    /** An array of u8; without a shape of one dimension. */
    public static HostArray of(byte[] array, long... shape) {
        Objects.requireNonNull(array, "array");
        return of(MemorySegment.ofArray(array), ElementType.U8, shape);
    }

    /** How many elements there are. */
    public long count() {
        return memory.byteSize() / type.bytes();
    }

    /** The bits of an element, in the low end. @param index from 0, row by row */
    long bits(long index) {
        long at = index * type.bytes();
        return switch (type.bytes()) {
            case 1 -> memory.get(ValueLayout.JAVA_BYTE, at) & 0xFFL;
            case 2 -> memory.get(ValueLayout.JAVA_SHORT_UNALIGNED, at) & 0xFFFFL;
            case 4 -> memory.get(ValueLayout.JAVA_INT_UNALIGNED, at) & 0xFFFF_FFFFL;
            default -> memory.get(ValueLayout.JAVA_LONG_UNALIGNED, at);
        };
    }

    /** {@code f32 [64, 32]}. */
    @Override
    public String toString() {
        return type + shape.stream().map(Object::toString).collect(Collectors.joining(", ", " [", "]"));
    }
}

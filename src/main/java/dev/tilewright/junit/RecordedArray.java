package dev.tilewright.junit;

import dev.tilewright.io.Npy;
import dev.tilewright.io.NpyReader;
import dev.tilewright.layout.ElementType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.commons.codec.digest.DigestUtils;

/**
 * The contents of a buffer before a recorded launch; a recording describes them in a few words, from which they are
 * made again.
 */
public final class RecordedArray {
    private static final long ALIGNMENT = 256;
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final byte UNWRITTEN = (byte) 0xCD;

    private final String words;
    private final ElementType type;
    private final List<Long> shape;
    private final Function<Arena, MemorySegment> maker;

    private RecordedArray(String words, ElementType type, List<Long> shape, Function<Arena, MemorySegment> maker) {
        this.words = words;
        this.type = type;
        this.shape = List.copyOf(shape);
        this.maker = maker;
    }

    /**
     * Random bits.
     *
     * @param seed the same for the same bits
     * @param shape dimensions, outermost first
     */
    public static RecordedArray drawn(ElementType type, long seed, long... shape) {
        Objects.requireNonNull(type, "type");
        List<Long> extents = extents(shape);
        return new RecordedArray("seed " + seed, type, extents, arena -> {
            MemorySegment memory = empty(type, extents, arena);
            SplittableRandom random = new SplittableRandom(seed);
            long at = 0;
            for (; at + 8 <= memory.byteSize(); at += 8) {
                memory.set(WORD, at, random.nextLong());
            }
            for (; at < memory.byteSize(); at++) {
                memory.set(ValueLayout.JAVA_BYTE, at, (byte) random.nextInt());
            }
            return memory;
        });
    }

    /**
     * An array of a .npy file. The recording has the file's name and its content's hash.
     *
     * @throws dev.tilewright.BadRequestException if it cannot be read
     */
    public static RecordedArray file(Path file) {
        Objects.requireNonNull(file, "file");
        try (Arena arena = Arena.ofConfined()) {
            Npy array = NpyReader.open(file, arena);
            String hash = DigestUtils.sha256Hex(array.data().toArray(ValueLayout.JAVA_BYTE));
            return new RecordedArray("file " + file.getFileName() + " sha256 " + hash, array.type(), array.shape(),
                    into -> empty(array.type(), array.shape(), into)
                            .copyFrom(NpyReader.open(file, into).data()));
        }
    }

    /** Memory for a result: every byte is 0xCD. */
    public static RecordedArray result(ElementType type, long... shape) {
        Objects.requireNonNull(type, "type");
        List<Long> extents = extents(shape);
        return new RecordedArray("unwritten", type, extents, arena -> empty(type, extents, arena).fill(UNWRITTEN));
    }

    private static List<Long> extents(long... shape) {
        Objects.requireNonNull(shape, "shape");
        if (shape.length == 0 || Arrays.stream(shape).anyMatch(extent -> extent < 0)) {
            throw new IllegalArgumentException("a shape has one or more extents of at least 0, got "
                    + Arrays.toString(shape));
        }
        return Arrays.stream(shape).boxed().toList();
    }

    private static MemorySegment empty(ElementType type, List<Long> shape, Arena arena) {
        return arena.allocate(shape.stream().reduce((long) type.bytes(), Math::multiplyExact), ALIGNMENT);
    }

    MemorySegment memory(Arena arena) {
        return maker.apply(arena);
    }

    ElementType type() {
        return type;
    }

    List<Long> shape() {
        return shape;
    }

    /** {@code f32 [64, 32], seed 42}. */
    @Override
    public String toString() {
        return type + shape.stream().map(Object::toString).collect(Collectors.joining(", ", " [", "]")) + ", " + words;
    }
}

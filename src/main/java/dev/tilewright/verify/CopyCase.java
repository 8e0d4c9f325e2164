package dev.tilewright.verify;

import dev.tilewright.builder.GridPolicy;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.TileKernel;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Launch;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Collectors;

/**
 * One array to move through one kernel: everything that decides the result.
 *
 * @param changes options that replace the preset's own, by name
 * @param shape the array's dimensions, outermost first
 * @param tilesPerBlock how many tiles each block takes
 * @param scalarBits the step's scalar
 * @param seed what the array's contents are drawn from
 */
public record CopyCase(Preset preset, Map<String, String> changes, ElementType type, List<Long> shape,
        int tilesPerBlock, long scalarBits, long seed) {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt HALF_WORD =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    /**
     * Floats on which arithmetic goes wrong first: infinities, NaNs, subnormals, the largest, zeros, halfway points.
     */
    private static final int[] AWKWARD = {0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001, 0xFFC12345, 0x00000001,
        0x807FFFFF, 0x7F7FFFFF, 0x80000000, 0x00000000, 0x3F801000, 0x7C007E00, 0x7FF00000, 0x7FF80001};

    public CopyCase {
        changes = Map.copyOf(changes);
        shape = List.copyOf(shape);
    }

    /** The kernel. */
    public TileKernel kernel() {
        return preset.build(type, shape.size(), changes);
    }

    /** The launch that moves the array. */
    public Launch launch() {
        return launchOf(kernel());
    }

    /** The same with a kernel that is there already. @param kernel what {@link #kernel} gives */
    Launch launchOf(TileKernel kernel) {
        return kernel.launch(shape, scalarBits, GridPolicy.tilesEach(tilesPerBlock));
    }

    /** Whether the other case runs the same kernel: what differs is given at launch. */
    boolean sharesKernelWith(CopyCase other) {
        return preset.equals(other.preset) && changes.equals(other.changes) && type == other.type
                && shape.size() == other.shape.size();
    }

    /** The same array through another grid. */
    CopyCase withTilesPerBlock(int tiles) {
        return new CopyCase(preset, changes, type, shape, tiles, scalarBits, seed);
    }

    /** Bytes of the array. */
    public long bytes() {
        return shape.stream().reduce((long) type.bytes(), Math::multiplyExact);
    }

    /** The array: random bits, every type's awkward values among them. */
    public MemorySegment data(Arena arena) {
        MemorySegment data = arena.allocate(bytes(), 64);
        SplittableRandom random = new SplittableRandom(seed);
        long at = 0;
        for (; at + 8 <= data.byteSize(); at += 8) {
            data.set(WORD, at, random.nextLong());
            if (random.nextInt(8) == 0) {
                data.set(HALF_WORD, at + 4 * random.nextInt(2), AWKWARD[random.nextInt(AWKWARD.length)]);
            }
        }
        for (; at < data.byteSize(); at++) {
            data.set(ValueLayout.JAVA_BYTE, at, (byte) random.nextInt());
        }
        return data;
    }

    /** What it takes to name the case again. */
    @Override
    public String toString() {
        return preset.name() + preset.mechanism().options().stream().filter(o -> changes.containsKey(o.name()))
                .map(o -> " " + o + " " + changes.get(o.name())).collect(Collectors.joining())
                + " on " + type + " " + shape + ", " + tilesPerBlock + " tiles a block, scalar bits 0x"
                + Long.toHexString(scalarBits) + ", data seed " + seed;
    }
}

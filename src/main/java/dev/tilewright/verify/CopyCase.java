package dev.tilewright.verify;

import dev.tilewright.BadRequestException;
import dev.tilewright.builder.ElementwiseKernel;
import dev.tilewright.builder.GridPolicy;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.Schedule;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Launch;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * One array to move through one kernel: everything that decides the result.
 *
 * @param changes what is chosen instead of the preset's own
 * @param shape the array's dimensions, outermost first
 * @param tilesPerBlock how many tiles each block takes
 * @param scalarBits the step's scalar
 * @param seed what the array's contents are drawn from
 */
public record CopyCase(Preset preset, Schedule changes, ElementType type, List<Long> shape,
        int tilesPerBlock, long scalarBits, long seed) implements VerifyCase {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt HALF_WORD =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    /**
     * Floats on which arithmetic goes wrong first: infinities, NaNs, subnormals, the largest, zeros, halfway points.
     */
    private static final int[] AWKWARD = {0x7F800000, 0xFF800000, 0x7FC00000, 0x7F800001, 0xFFC12345, 0x00000001,
        0x807FFFFF, 0x7F7FFFFF, 0x80000000, 0x00000000, 0x3F801000, 0x7C007E00, 0x7FF00000, 0x7FF80001};

    /** @throws BadRequestException if the changes have a grid, which {@code tilesPerBlock} says */
    public CopyCase {
        if (changes.grid().isPresent()) {
            throw new BadRequestException("the grid of a copy is its tiles, got '" + changes.gridText() + "'");
        }
        shape = List.copyOf(shape);
    }

    /** The kernel. */
    public ElementwiseKernel kernel() {
        return preset.build(type, shape.size(), changes);
    }

    /** The launch that moves the array. */
    public Launch launch() {
        return launchOf(kernel());
    }

    /**
     * The launch that moves the array, with a kernel that is there already.
     *
     * @param kernel what {@link #kernel} gives
     */
    Launch launchOf(ElementwiseKernel kernel) {
        return kernel.launch(shape, scalarBits, GridPolicy.tilesEach(tilesPerBlock));
    }

    /** What differs may be given at launch. */
    @Override
    public boolean sharesKernelWith(VerifyCase other) {
        return other instanceof CopyCase copy && preset.equals(copy.preset) && changes.equals(copy.changes)
                && type == copy.type && shape.size() == copy.shape.size();
    }

    /** The array, its image, and what the kernel needs besides; computed directly by {@link DirectStep}. */
    @Override
    public CaseWork work() {
        ElementwiseKernel kernel = kernel();
        Launch launch = launchOf(kernel);
        return new CaseWork(launch, List.of(CaseBuffer.input("source", type, shape, this::fill),
                CaseBuffer.result("result", type, shape), CaseBuffer.workspace(kernel.workspaceBytes(launch))),
                Optional.of(buffers -> DirectStep.apply(kernel.step(), type, scalarBits, buffers.get(0),
                buffers.get(1))));
    }

    @Override
    public String family() {
        return CopyKind.NAME + " " + preset.name();
    }

    /** What is emitted for the preset as it is. */
    @Override
    public String file() {
        return "kernels/" + preset.name() + ".cu";
    }

    @Override
    public CaseLine line() {
        return new CaseLine(CopyKind.NAME).with("preset", preset.name()).with("type", type).with("shape", shape)
                .with("tiles", tilesPerBlock).with("scalar", "0x" + Long.toHexString(scalarBits)).with("seed", seed)
                .with(changes);
    }

    /** Without one of its options, of a smaller array, through fewer tiles a block, with simpler numbers. */
    @Override
    public List<CopyCase> smaller() {
        List<CopyCase> all = new ArrayList<>();
        changes.options().keySet().forEach(option -> all.add(
                new CopyCase(preset, changes.without(option), type, shape, tilesPerBlock, scalarBits, seed)));
        if (shape.size() > 1) {
            all.add(ofShape(shape.subList(1, shape.size())));
        }
        for (int d = 0; d < shape.size(); d++) {
            long extent = shape.get(d);
            long perChunk = Math.max(1, 16 / type.bytes());
            for (long less : new long[] {1, extent / 2, extent / 2 / perChunk * perChunk, extent - perChunk,
                    extent - 1}) {
                if (less > 0 && less < extent) {
                    List<Long> smaller = new ArrayList<>(shape);
                    smaller.set(d, less);
                    all.add(ofShape(smaller));
                }
            }
        }
        if (tilesPerBlock > 1) {
            all.add(withTilesPerBlock(1));
            all.add(withTilesPerBlock(tilesPerBlock - 1));
        }
        if (scalarBits != 0) {
            all.add(with(0, seed));
        }
        if (seed != 0) {
            all.add(with(scalarBits, 0));
        }
        return all;
    }

    private CopyCase ofShape(List<Long> other) {
        return new CopyCase(preset, changes, type, other, tilesPerBlock, scalarBits, seed);
    }

    /** This case with other numbers. */
    CopyCase with(long otherScalarBits, long otherSeed) {
        return new CopyCase(preset, changes, type, shape, tilesPerBlock, otherScalarBits, otherSeed);
    }

    /** This case through another grid. */
    CopyCase withTilesPerBlock(int tiles) {
        return new CopyCase(preset, changes, type, shape, tiles, scalarBits, seed);
    }

    /** Bytes of the array. */
    public long bytes() {
        return bytes(type, shape);
    }

    /** Bytes of a dense array. */
    static long bytes(ElementType type, List<Long> shape) {
        return shape.stream().reduce((long) type.bytes(), Math::multiplyExact);
    }

    /** The array: random bits, every type's awkward values among them. */
    public MemorySegment data(Arena arena) {
        return data(type, shape, seed, arena);
    }

    /** An array of such contents. @param seed what they are drawn from */
    static MemorySegment data(ElementType type, List<Long> shape, long seed, Arena arena) {
        MemorySegment data = arena.allocate(bytes(type, shape), 64);
        fill(data, seed);
        return data;
    }

    private void fill(MemorySegment data) {
        fill(data, seed);
    }

    private static void fill(MemorySegment data, long seed) {
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
    }

    /** The line, which names the case again. */
    @Override
    public String toString() {
        return line().toString();
    }
}

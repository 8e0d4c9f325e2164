package dev.tilewright.verify;

import dev.tilewright.BadRequestException;
import dev.tilewright.builder.ElementwiseKernel;
import dev.tilewright.builder.GridPolicy;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.Schedule;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Scalars;
import dev.tilewright.program.expression.Parameter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.LongFunction;

/**
 * The smallest cases of a preset that together go through all that its kernel does: two blocks that use every stage of
 * the ring more than twice, and a third with one tile; ragged along every dimension. Where a kernel for matrices takes
 * a single row of any length, that is a second case; where threads copy by themselves, and go another way for tiles
 * that lie wholly in the matrix, rows that have room for one are a third. Where blocks share what they are given, one
 * more case gives each of them as much as a block has that shares nothing.
 */
public final class SmallCase {
    private static final int BLOCKS = 3;
    /** Rows of a matrix: whole chunks of 16 bytes, as tensor maps want, and no multiple of a usual tile's. */
    private static final int ROW_BYTES = 144;
    /** Extents between the outermost and the innermost dimension. */
    private static final long MIDDLE = 5;
    private static final int CHUNK_BYTES = 16;
    /** Rows that every kernel makes many tiles of: blocks that get all of them share them. */
    private static final int SLAB_ROWS = 1 << 14;
    /** What makes a row's length a multiple of nothing. */
    private static final long BEYOND = 37;

    private SmallCase() { }

    /**
     * The preset's cases; the first is {@link #of}.
     *
     * @param changes what is chosen instead of the preset's own
     * @throws BadRequestException if they do not go together
     */
    public static List<CopyCase> all(Preset preset, Schedule changes, ElementType type) {
        CopyCase first = of(preset, changes, type);
        int rank = first.shape().size();
        if (rank == 1) {
            return List.of(first);
        }
        List<CopyCase> cases = new ArrayList<>(List.of(first));
        try {
            cases.add(smallest(preset, changes, type, length -> {
                List<Long> row = new ArrayList<>(Collections.nCopies(rank - 1, 1L));
                row.add(length);
                return row;
            }, BEYOND));
        } catch (BadRequestException e) {
            // Rows of such a length are not for this kernel.
        }
        ElementwiseKernel kernel = first.kernel();
        long across = kernel.tile().getLast();
        if (across * type.bytes() > ROW_BYTES
                && kernel.program().parameters().stream().noneMatch(Parameter.TensorMap.class::isInstance)) {
            cases.add(smallest(preset, changes, type,
                    outermost -> shape(rank, outermost, across + CHUNK_BYTES / type.bytes()),
                    kernel.tile().getFirst()));
        }
        // More than one block takes all tiles only where blocks share them.
        int sharing = blocks(kernel, shape(rank, SLAB_ROWS, (long) ROW_BYTES / type.bytes()),
                Scalars.ofBits(first.scalarBits()), Integer.MAX_VALUE);
        if (sharing > 1) {
            int tilesEach = sharing * first.tilesPerBlock();
            cases.add(new CopyCase(preset, changes, type,
                    shape(rank, (long) tilesEach * kernel.tile().getFirst() + 1, (long) ROW_BYTES / type.bytes()),
                    tilesEach, first.scalarBits(), 1));
        }
        return List.copyOf(cases);
    }

    /**
     * The preset's first case.
     *
     * @param changes what is chosen instead of the preset's own
     * @throws BadRequestException if they do not go together
     */
    public static CopyCase of(Preset preset, Schedule changes, ElementType type) {
        int rank = preset.build(type, 2, changes).tile().size();
        return smallest(preset, changes, type, outermost -> shape(rank, outermost, (long) ROW_BYTES / type.bytes()),
                rank == 1 ? BEYOND : 0);
    }

    /**
     * The smallest case with that many blocks.
     *
     * @param shapes the array's shape, for a number that it grows with
     * @param beyond what is added to the smallest such number
     */
    private static CopyCase smallest(Preset preset, Schedule changes, ElementType type,
            LongFunction<List<Long>> shapes, long beyond) {
        ElementwiseKernel kernel = preset.build(type, 2, changes);
        int tilesEach = tilesEach(kernel);
        long scalar = !kernel.scalars().isEmpty() ? Scalars.parse(type, "3") : 0;
        return new CopyCase(preset, changes, type,
                shapes.apply(extent(kernel, shapes, Scalars.ofBits(scalar)) + beyond), tilesEach, scalar, 1);
    }

    /**
     * Arrays that are small in the same way, for a builder's kernel that is no preset.
     *
     * @param shape of its sources
     * @param scalars 3 for each of its step
     * @param grid of the launch
     */
    record Small(List<Long> shape, Scalars scalars, GridPolicy grid) { }

    /** The first case of a kernel, as {@link #of(Preset, Schedule, ElementType)} has it for a preset. */
    static Small of(ElementwiseKernel kernel) {
        int rank = kernel.tile().size();
        LongFunction<List<Long>> shapes =
                outermost -> shape(rank, outermost, Math.max(1, (long) ROW_BYTES / kernel.type().bytes()));
        Scalars scalars = kernel.scalars().stream().map(Parameter.Scalar::name)
                .reduce(Scalars.NONE, (given, name) -> given.and(name, 3), (a, _) -> a);
        return new Small(shapes.apply(extent(kernel, shapes, scalars) + (rank == 1 ? BEYOND : 0)), scalars,
                GridPolicy.tilesEach(tilesEach(kernel)));
    }

    /** More than twice as many as fit into its ring. */
    private static int tilesEach(ElementwiseKernel kernel) {
        return 2 * kernel.stages() + 1;
    }

    /** The least number with that many blocks. */
    private static long extent(ElementwiseKernel kernel, LongFunction<List<Long>> shapes, Scalars scalars) {
        int tilesEach = tilesEach(kernel);
        long low = 1;
        long high = 1;
        while (blocks(kernel, shapes.apply(high), scalars, tilesEach) < BLOCKS) {
            low = high;
            high *= 2;
        }
        while (high - low > 1) {
            long middle = (low + high) / 2;
            if (blocks(kernel, shapes.apply(middle), scalars, tilesEach) < BLOCKS) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return high;
    }

    private static int blocks(ElementwiseKernel kernel, List<Long> shape, Scalars scalars, int tilesEach) {
        return kernel.launch(shape, scalars, GridPolicy.tilesEach(tilesEach)).blocks();
    }

    private static List<Long> shape(int rank, long outermost, long row) {
        List<Long> shape = new ArrayList<>(List.of(outermost));
        if (rank > 1) {
            shape.addAll(Collections.nCopies(rank - 2, MIDDLE));
            shape.add(row);
        }
        return shape;
    }
}

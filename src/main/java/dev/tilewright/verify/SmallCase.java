package dev.tilewright.verify;

import dev.tilewright.BadRequestException;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.PresetOption;
import dev.tilewright.builder.Scalars;
import dev.tilewright.builder.Spread;
import dev.tilewright.builder.TileKernel;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Parameter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/**
 * The smallest case of a preset that goes through all that its kernel does: two blocks that use every stage of the ring
 * more than twice, and a third with one tile; ragged along every dimension.
 */
public final class SmallCase {
    /** What all builders take where nobody chooses. */
    private static final int DEFAULT_STAGES = 4;
    private static final int BLOCKS = 3;
    /** Rows of a matrix: whole chunks of 16 bytes, as tensor maps want, and no multiple of a usual tile's. */
    private static final int ROW_BYTES = 144;
    /** Extents between the outermost and the innermost dimension. */
    private static final long MIDDLE = 5;
    /** What a one-dimensional array has beyond the first element of the last block. */
    private static final long BEYOND = 37;

    private SmallCase() {
    }

    /**
     * The preset's case.
     *
     * @param changes options that replace the preset's own
     * @throws BadRequestException if they do not go together
     */
    public static CopyCase of(Preset preset, Map<PresetOption, String> changes, ElementType type) {
        TileKernel kernel = preset.build(type, 2, changes);
        int rank = rank(preset, changes, kernel);
        String stages = changes.getOrDefault(PresetOption.STAGES, preset.choices().get(PresetOption.STAGES));
        int tilesEach = 2 * (stages == null ? DEFAULT_STAGES : Integer.parseInt(stages.trim())) + 1;
        long scalar = kernel.step().hasScalar() ? Scalars.parse(type, "3") : 0;
        long low = 1;
        long high = 1;
        while (blocks(kernel, shape(rank, high, type), scalar, tilesEach) < BLOCKS) {
            low = high;
            high *= 2;
        }
        while (high - low > 1) {
            long middle = (low + high) / 2;
            if (blocks(kernel, shape(rank, middle, type), scalar, tilesEach) < BLOCKS) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return new CopyCase(preset, changes, type, shape(rank, rank == 1 ? high + BEYOND : high, type), tilesEach, scalar, 1);
    }

    private static int blocks(TileKernel kernel, List<Long> shape, long scalar, int tilesEach) {
        return kernel.launch(shape, scalar, Spread.tilesEach(tilesEach)).blocks();
    }

    private static List<Long> shape(int rank, long outermost, ElementType type) {
        List<Long> shape = new ArrayList<>(List.of(outermost));
        if (rank > 1) {
            shape.addAll(Collections.nCopies(rank - 2, MIDDLE));
            shape.add((long) ROW_BYTES / type.bytes());
        }
        return shape;
    }

    private static int rank(Preset preset, Map<PresetOption, String> changes, TileKernel kernel) {
        for (Parameter parameter : kernel.program().parameters()) {
            if (parameter instanceof Parameter.TensorMap map) {
                return map.rank();
            }
        }
        String tile = changes.getOrDefault(PresetOption.TILE, preset.choices().get(PresetOption.TILE));
        return tile == null ? 1 : tile.split("[xX,]", -1).length;
    }
}

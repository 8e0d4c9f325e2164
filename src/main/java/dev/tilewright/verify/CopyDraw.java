package dev.tilewright.verify;

import dev.tilewright.BadRequestException;
import dev.tilewright.builder.ElementwiseKernel;
import dev.tilewright.builder.Option;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.Schedule;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Launch;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** Draws one kernel and random cases of it: preset, options, element type, ragged shapes, scalars, data. */
final class CopyDraw {
    private static final int MATRIX = 2;
    /** Shapes that are tried for one kernel. */
    private static final int SHAPES = 100;
    /** Tiles of a case times threads of a block, at most: the reference takes a fifth of a second for that. */
    private static final long MOST_TURNS = 1 << 18;

    private final List<Preset> presets;
    private final SplittableRandom random;
    /** The kernel for arrays of each rank. */
    private final Map<Integer, ElementwiseKernel> kernels = new HashMap<>();

    /** @param presets at least one @param random what decides the cases */
    CopyDraw(List<Preset> presets, SplittableRandom random) {
        this.presets = presets;
        this.random = random;
    }

    /** This many cases, which share a kernel: where few shapes suit it, the same ones with other data. */
    List<CopyCase> cases(int count) {
        while (true) {
            Preset preset = presets.get(random.nextInt(presets.size()));
            ElementType type = ElementType.values()[random.nextInt(ElementType.values().length)];
            Schedule changes = changes(preset, type);
            kernels.clear();
            try {
                int tileRank = preset.build(type, MATRIX, changes).tile().size();
                List<CopyCase> found = new ArrayList<>();
                for (int i = 0; i < SHAPES && found.size() < count; i++) {
                    // The rank is a part of what some kernels are made of.
                    int rank = found.isEmpty() ? rank(tileRank) : found.getFirst().shape().size();
                    CopyCase next = new CopyCase(preset, changes, type, shape(type, rank), 1 + random.nextInt(10),
                            random.nextLong(), random.nextLong());
                    if (isAccepted(next)) {
                        found.add(next);
                    }
                }
                for (int i = 0; !found.isEmpty() && found.size() < count; i++) {
                    found.add(found.get(i).with(random.nextLong(), random.nextLong()));
                }
                if (!found.isEmpty()) {
                    return found;
                }
            } catch (BadRequestException e) {
                // A combination that the builder refuses, such as too many stages of a large tile: draw again.
            }
        }
    }

    private int rank(int tileRank) {
        return tileRank == 1 ? 1 + random.nextInt(3) : tileRank + random.nextInt(2);
    }

    private Schedule changes(Preset preset, ElementType type) {
        Schedule changes = Schedule.DEFAULT;
        for (Option<?, ?> option : preset.mechanism().options()) {
            if (random.nextInt(3) == 0) {
                changes = changes.with(option.name(), option.sample(random, type));
            }
        }
        return changes;
    }

    /** Mechanisms differ in the arrays that they take; and small tiles of large arrays take the reference seconds. */
    private boolean isAccepted(CopyCase drawn) {
        try {
            ElementwiseKernel kernel = kernels.computeIfAbsent(drawn.shape().size(), _ -> drawn.kernel());
            Launch launch = drawn.launchOf(kernel);
            return (long) launch.blocks() * drawn.tilesPerBlock() * kernel.program().threads() <= MOST_TURNS;
        } catch (BadRequestException e) {
            return false;
        }
    }

    /** A shape that is a multiple of nothing, but for some with rows of whole 16-byte chunks: some take no others. */
    private List<Long> shape(ElementType type, int rank) {
        List<Long> shape = new ArrayList<>();
        long elements = 1;
        for (int d = 1; d < rank; d++) {
            long extent = 1 + random.nextInt(rank <= 2 ? 150 : 11);
            shape.add(extent);
            elements *= extent;
        }
        long row = 1 + random.nextLong(Math.max(8, 60_000 / elements));
        long perChunk = 16 / type.bytes();
        shape.add(random.nextInt(4) == 0 ? Math.ceilDiv(row, perChunk) * perChunk : row);
        return shape;
    }
}

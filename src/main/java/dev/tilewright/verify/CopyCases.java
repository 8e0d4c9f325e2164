package dev.tilewright.verify;

import dev.tilewright.BadRequestException;
import dev.tilewright.builder.Option;
import dev.tilewright.builder.Preset;
import dev.tilewright.layout.ElementType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/**
 * Draws random cases, the same ones from the same seed: preset, options, element type, ragged shape, scalar, data. What
 * an option may be, the preset's builder says.
 */
public final class CopyCases {
    private static final int MATRIX = 2;
    /** Shapes that are tried for one kernel. */
    private static final int SHAPES = 100;

    private final List<Preset> presets;
    private final SplittableRandom random;

    /** @param presets what to draw from, at least one */
    public CopyCases(List<Preset> presets, long seed) {
        if (presets.isEmpty()) {
            throw new IllegalArgumentException("there is no preset to draw cases from");
        }
        this.presets = List.copyOf(presets);
        this.random = new SplittableRandom(seed);
    }

    /** The next case; its kernel and launch are known to be valid. */
    public CopyCase next() {
        while (true) {
            Preset preset = presets.get(random.nextInt(presets.size()));
            ElementType type = ElementType.values()[random.nextInt(ElementType.values().length)];
            Map<String, String> changes = changes(preset, type);
            try {
                int tileRank = preset.build(type, MATRIX, changes).tile().size();
                Optional<CopyCase> drawn = Stream.generate(() -> draw(preset, type, changes, tileRank)).limit(SHAPES)
                        .filter(CopyCases::isAccepted).findFirst();
                if (drawn.isPresent()) {
                    return drawn.get();
                }
            } catch (BadRequestException e) {
                // A combination that the builder refuses, such as too many stages of a large tile: draw again.
            }
        }
    }

    private Map<String, String> changes(Preset preset, ElementType type) {
        Map<String, String> changes = new HashMap<>();
        for (Option<?, ?> option : preset.mechanism().options()) {
            if (random.nextInt(3) == 0) {
                changes.put(option.name(), option.sample(random, type));
            }
        }
        return changes;
    }

    private CopyCase draw(Preset preset, ElementType type, Map<String, String> changes, int tileRank) {
        return new CopyCase(preset, changes, type, shape(type, tileRank), 1 + random.nextInt(10), random.nextLong(),
                random.nextLong());
    }

    /** Mechanisms differ in the arrays that they take. */
    private static boolean isAccepted(CopyCase drawn) {
        try {
            drawn.launch();
            return true;
        } catch (BadRequestException e) {
            return false;
        }
    }

    /** A shape that is a multiple of nothing, but for some with rows of whole 16-byte chunks: some take no others. */
    private List<Long> shape(ElementType type, int tileRank) {
        int rank = tileRank == 1 ? 1 + random.nextInt(3) : tileRank + random.nextInt(2);
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

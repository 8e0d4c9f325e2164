package dev.tilewright.verify;

import dev.tilewright.BadRequestException;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.PresetOption;
import dev.tilewright.layout.ElementType;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** Draws random cases, the same ones from the same seed: preset, options, element type, ragged shape, scalar, data. */
public final class CopyCases {
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
            CopyCase drawn = draw();
            try {
                drawn.launch();
                return drawn;
            } catch (BadRequestException e) {
                // A combination that the builder refuses, such as too many stages of a large tile: draw again.
            }
        }
    }

    private CopyCase draw() {
        Preset preset = presets.get(random.nextInt(presets.size()));
        ElementType type = one(ElementType.values());
        Map<PresetOption, String> changes = new EnumMap<>(PresetOption.class);
        for (PresetOption option : preset.mechanism().options()) {
            if (random.nextInt(3) == 0) {
                changes.put(option, value(preset, option, type));
            }
        }
        int tileRank = rank(changes.getOrDefault(PresetOption.TILE, preset.choices().get(PresetOption.TILE)));
        return new CopyCase(preset, changes, type, shape(preset, type, tileRank), 1 + random.nextInt(10),
                random.nextLong(), random.nextLong());
    }

    private String value(Preset preset, PresetOption option, ElementType type) {
        return switch (option) {
            case TILE -> tile(preset, type);
            case STAGES -> Integer.toString(1 + random.nextInt(8));
            case THREADS -> Integer.toString(32 * (1 + random.nextInt(16)));
            case STEP -> one("copy", "scale", "add");
            case SWIZZLE -> one("none", "32B", "64B", "128B");
            case UNSWIZZLE -> one("store", "step");
            case WAIT -> one("parity", "token");
            case COPY_BYTES -> one("4", "8", "16");
        };
    }

    /** Rows of whole 16-byte chunks, in up to as many dimensions as the mechanism has. */
    private String tile(Preset preset, ElementType type) {
        int row = 16 * (1 + random.nextInt(8));
        return switch (preset.mechanism()) {
            case CP_ASYNC -> (random.nextBoolean() ? "" : 1 + random.nextInt(40) + "x") + row + "B";
            case BULK -> 16 * (1 + random.nextInt(600)) + "B";
            case TENSOR_REBIND -> 1 + random.nextInt(40) + "x" + row + "B";
            case TENSOR -> {
                StringBuilder text = new StringBuilder();
                for (int d = random.nextInt(5); d > 0; d--) {
                    text.append(1 + random.nextInt(6)).append('x');
                }
                yield text.append(row).append('B').toString();
            }
        };
    }

    private static int rank(String tile) {
        return tile == null ? 2 : tile.split("x").length;
    }

    /** A shape that is a multiple of nothing, but for the row length where the mechanism insists. */
    private List<Long> shape(Preset preset, ElementType type, int tileRank) {
        int rank = Math.max(1, tileRank + random.nextInt(2));
        List<Long> shape = new ArrayList<>();
        long elements = 1;
        for (int d = 1; d < rank; d++) {
            long extent = 1 + random.nextInt(rank <= 2 ? 150 : 11);
            shape.add(extent);
            elements *= extent;
        }
        long row = 1 + random.nextLong(Math.max(8, 60_000 / elements));
        boolean wholeChunks = (preset.mechanism() == Preset.Mechanism.TENSOR && tileRank > 1
                || preset.mechanism() == Preset.Mechanism.TENSOR_REBIND) || random.nextInt(4) == 0;
        long perChunk = 16 / type.bytes();
        shape.add(wholeChunks ? Math.ceilDiv(row, perChunk) * perChunk : row);
        return shape;
    }

    @SafeVarargs
    private <T> T one(T... choices) {
        return choices[random.nextInt(choices.length)];
    }
}

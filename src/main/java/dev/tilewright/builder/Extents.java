package dev.tilewright.builder;

import dev.tilewright.BadRequestException;
import dev.tilewright.layout.ElementType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.random.RandomGenerator;

/**
 * Extents of a tile in elements, outermost dimension first, each at least 1. The range is about the number of
 * dimensions.
 *
 * @param leastDimensions the fewest dimensions
 * @param mostDimensions the most dimensions
 * @param sampledExtent the largest random extent of a dimension other than the innermost
 * @param sampledChunks the longest random row, in chunks of 16 bytes: every mechanism moves whole ones
 */
record Extents(int leastDimensions, int mostDimensions, int sampledExtent, int sampledChunks)
        implements Values<List<Integer>> {
    private static final int CHUNK = 16;

    @Override
    public String range() {
        return leastDimensions < mostDimensions ? leastDimensions + " to " + mostDimensions + " dimensions"
                : leastDimensions == 1 ? "1 dimension" : leastDimensions + " dimensions";
    }

    @Override
    public boolean admits(List<Integer> tile) {
        return tile.size() >= leastDimensions && tile.size() <= mostDimensions
                && tile.stream().allMatch(extent -> extent >= 1);
    }

    @Override
    public List<Integer> parse(String option, String text, ElementType type) {
        try {
            return Arrays.stream(text.trim().toLowerCase(Locale.ROOT).split("[x,]", -1))
                    .map(part -> extent(option, part.trim(), type)).toList();
        } catch (NumberFormatException e) {
            throw new BadRequestException("--" + option + " takes extents such as 64x64, 64x128B (bytes) or 4096, got '"
                    + text + "'", e);
        }
    }

    private static int extent(String option, String text, ElementType type) {
        if (!text.endsWith("b")) {
            return Integer.parseInt(text);
        }
        int bytes = Integer.parseInt(text.substring(0, text.length() - 1));
        if (bytes % type.bytes() != 0) {
            throw new BadRequestException("--" + option + ": " + bytes + " bytes are no whole number of " + type
                    + " elements");
        }
        return bytes / type.bytes();
    }

    @Override
    public String text(List<Integer> tile) {
        return Shapes.text(tile);
    }

    @Override
    public List<Integer> sample(RandomGenerator random, ElementType type) {
        int dimensions = leastDimensions + random.nextInt(mostDimensions - leastDimensions + 1);
        List<Integer> tile = new ArrayList<>();
        for (int d = 1; d < dimensions; d++) {
            tile.add(1 + random.nextInt(sampledExtent));
        }
        tile.add(CHUNK * (1 + random.nextInt(sampledChunks)) / type.bytes());
        return tile;
    }
}

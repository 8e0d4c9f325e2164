package dev.tilewright.program.expression;

import dev.tilewright.NotNull;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The layout of a block's shared memory: regions in the given order, each at its alignment. */
public record SharedLayout(List<SharedRegion> regions) {

    /** The most dynamic shared memory any block can have: 227 KiB on compute capability 9.0 and 10.0. */
    public static final int LARGEST = 227 * 1024;

    public SharedLayout {
        NotNull.all("regions", regions);
        regions = List.copyOf(regions);
        if (offsets(regions).size() != regions.size()) {
            throw new IllegalArgumentException("two shared regions have the same name: " + regions);
        }
    }

    /** Byte offset of each region, by name. */
    public Map<String, Integer> offsets() {
        return offsets(regions);
    }

    private static Map<String, Integer> offsets(List<SharedRegion> regions) {
        Map<String, Integer> offsets = new LinkedHashMap<>();
        long end = 0;
        for (SharedRegion r : regions) {
            long start = Math.ceilDiv(end, r.alignment()) * r.alignment();
            end = start + r.bytes();
            if (end > Integer.MAX_VALUE) {
                throw new IllegalArgumentException("shared region '" + r.name() + "' would end at byte " + end
                        + ", the largest block has " + LARGEST);
            }
            offsets.put(r.name(), (int) start);
        }
        return offsets;
    }

    /** Bytes of dynamic shared memory that a launch must ask for. */
    public int bytes() {
        if (regions.isEmpty()) {
            return 0;
        }
        SharedRegion last = regions.getLast();
        return offsets().get(last.name()) + last.bytes();
    }

    /** The strictest alignment among the regions, at least 16. */
    public int alignment() {
        return regions.stream().mapToInt(SharedRegion::alignment).reduce(16, Math::max);
    }
}

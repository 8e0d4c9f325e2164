package dev.tilewright.verify;

import dev.tilewright.BadRequestException;
import dev.tilewright.builder.Option;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.TileKernel;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.Launch;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/**
 * Draws random cases, the same ones from the same seed: preset, options, element type, ragged shape, scalar, data. What
 * an option may be, the preset's builder says. Cases that follow each other may share a kernel, which is compiled once
 * for all of them then: sizes, grid, scalar and data are given at launch.
 */
public final class CopyCases {
    private static final int MATRIX = 2;
    /** Shapes that are tried for one kernel. */
    private static final int SHAPES = 100;
    /** Tiles of a case times threads of a block, at most: the reference takes a fifth of a second for that. */
    private static final long MOST_TURNS = 1 << 18;

    private final List<Preset> presets;
    private final SplittableRandom seeds;
    private final int casesEach;
    private final Deque<CopyCase> drawn = new ArrayDeque<>();

    /** Each case with a kernel of its own. @param presets what to draw from, at least one */
    public CopyCases(List<Preset> presets, long seed) {
        this(presets, seed, 1);
    }

    /**
     * @param presets what to draw from, at least one
     * @param casesEach how many cases share a kernel, at least 1; where few shapes suit the kernel, they may be fewer
     */
    public CopyCases(List<Preset> presets, long seed, int casesEach) {
        Objects.requireNonNull(presets, "presets");
        if (presets.isEmpty()) {
            throw new IllegalArgumentException("there is no preset to draw cases from");
        }
        if (casesEach < 1) {
            throw new IllegalArgumentException("at least 1 case must be drawn of each kernel, got " + casesEach);
        }
        this.presets = List.copyOf(presets);
        this.seeds = new SplittableRandom(seed);
        this.casesEach = casesEach;
    }

    /** The next case; its kernel and launch are known to be valid. */
    public CopyCase next() {
        if (drawn.isEmpty()) {
            drawn.addAll(new OfOneKernel(seeds.nextLong()).draw());
        }
        return drawn.remove();
    }

    /** The next cases, those that as many calls of {@link #next} give, drawn on several CPU threads. */
    public List<CopyCase> next(int count) {
        while (drawn.size() < count) {
            long[] next = new long[Math.ceilDiv(count - drawn.size(), casesEach)];
            Arrays.setAll(next, _ -> seeds.nextLong());
            drawn.addAll(Arrays.stream(next).parallel().mapToObj(seed -> new OfOneKernel(seed).draw())
                    .flatMap(List::stream).toList());
        }
        return Stream.generate(drawn::remove).limit(count).toList();
    }

    /** One kernel and its cases; they depend on the seed alone. */
    private final class OfOneKernel {
        private final SplittableRandom random;
        /** The kernel for arrays of each rank. */
        private final Map<Integer, TileKernel> kernels = new HashMap<>();

        OfOneKernel(long seed) {
            random = new SplittableRandom(seed);
        }

        List<CopyCase> draw() {
            while (true) {
                Preset preset = presets.get(random.nextInt(presets.size()));
                ElementType type = ElementType.values()[random.nextInt(ElementType.values().length)];
                Map<String, String> changes = changes(preset, type);
                kernels.clear();
                try {
                    int tileRank = preset.build(type, MATRIX, changes).tile().size();
                    List<CopyCase> found = new ArrayList<>();
                    for (int i = 0; i < SHAPES && found.size() < casesEach; i++) {
                        // The rank is a part of what some kernels are made of.
                        int rank = found.isEmpty() ? rank(tileRank) : found.getFirst().shape().size();
                        CopyCase next = new CopyCase(preset, changes, type, shape(type, rank), 1 + random.nextInt(10),
                                random.nextLong(), random.nextLong());
                        if (isAccepted(next)) {
                            found.add(next);
                        }
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

        private Map<String, String> changes(Preset preset, ElementType type) {
            Map<String, String> changes = new HashMap<>();
            for (Option<?, ?> option : preset.mechanism().options()) {
                if (random.nextInt(3) == 0) {
                    changes.put(option.name(), option.sample(random, type));
                }
            }
            return changes;
        }

        /** Mechanisms differ in the arrays that they take; and small tiles of large arrays take the reference seconds. */
        private boolean isAccepted(CopyCase drawn) {
            try {
                TileKernel kernel = kernels.computeIfAbsent(drawn.shape().size(), _ -> drawn.kernel());
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
}

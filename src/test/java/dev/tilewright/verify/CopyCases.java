package dev.tilewright.verify;

import dev.tilewright.builder.Preset;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/**
 * Draws random cases, the same ones from the same seed: preset, options, element type, ragged shape, scalar, data. What
 * an option may be, the preset's builder says. Cases that follow each other may share a kernel, which is compiled once
 * for all of them then: sizes, grid, scalar and data are given at launch.
 */
public final class CopyCases {
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
     * @param casesEach how many cases share a kernel, at least 1
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
            drawn.addAll(new CopyDraw(presets, new SplittableRandom(seeds.nextLong())).cases(casesEach));
        }
        return drawn.remove();
    }

    /** The next cases, as {@code count} calls of {@link #next} give them, drawn on several CPU threads. */
    public List<CopyCase> next(int count) {
        while (drawn.size() < count) {
            long[] next = new long[Math.ceilDiv(count - drawn.size(), casesEach)];
            Arrays.setAll(next, _ -> seeds.nextLong());
            drawn.addAll(Arrays.stream(next).parallel().mapToObj(SplittableRandom::new)
                    .flatMap(random -> new CopyDraw(presets, random).cases(casesEach).stream()).toList());
        }
        return Stream.generate(drawn::remove).limit(count).toList();
    }
}

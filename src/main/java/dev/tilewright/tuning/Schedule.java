package dev.tilewright.tuning;

import dev.tilewright.builder.GridPolicy;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What of a kernel may be chosen without changing what it computes.
 *
 * @param options of the preset's builder, by name, written as users write them; a tile's row in bytes ({@code 8x512B}),
 *     so that it suits elements of any size
 * @param grid how many tiles each block takes; empty for the kernel's own choice
 */
public record Schedule(Map<String, String> options, Optional<GridPolicy> grid) {

    /** @throws IllegalArgumentException if a name or a value is no word */
    public Schedule {
        Objects.requireNonNull(options, "options");
        Objects.requireNonNull(grid, "grid");
        options = Collections.unmodifiableMap(new TreeMap<>(options));
        options.forEach((name, value) -> {
            Words.require("an option's name", name);
            Words.require("an option's value", value);
        });
    }

    /** The options as on a command line, in the order of their names: {@code --stages 4 --tile 16384B}. */
    public String optionsText() {
        StringBuilder text = new StringBuilder();
        options.forEach((name, value) -> text.append(text.isEmpty() ? "" : " ").append("--").append(name).append(' ')
                .append(value));
        return text.toString();
    }

    /** The grid in words: {@code 4 tiles a block}, {@code 264 blocks}, {@code own}. */
    public String gridText() {
        return grid.map(policy -> switch (policy) {
            case GridPolicy.Each(int count) -> count + (count == 1 ? " tile" : " tiles") + " a block";
            case GridPolicy.Over(int blocks) -> blocks + (blocks == 1 ? " block" : " blocks");
            case GridPolicy.Waves(int blocks, int count) -> count + (count == 1 ? " tile" : " tiles")
                    + " a block in waves of " + blocks;
        }).orElse("own");
    }

    @Override
    public String toString() {
        return optionsText() + (options.isEmpty() ? "" : ", ") + gridText();
    }
}

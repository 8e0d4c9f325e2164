package dev.tilewright.gputest.tile;

import dev.tilewright.program.value.ValueType;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.kernel.TilePreset;
import dev.tilewright.tile.kernel.TilePresets;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What a race measures: a line of its file, {@code NAME.race} beside this class, whose columns bars divide; those at
 * the end may lack.
 *
 * @param title what its rows begin with; {@code -} in the file: preset, type and extents
 * @param preset the kernel, with a space and its type in the file
 * @param extents of its dimensions: {@code m=1 n=8192}
 * @param schedules with semicolons between: {@code none} is what a launch finds
 * @param work what is counted: {@code moves}, and the tensors whose bytes are, once for each time that they are named,
 *     all where none is; and {@code computes N}, N operations for each point of the extents
 * @param warm whether one set of arrays is used again and again
 * @param rivals {@code cuMemcpy} of as many bytes, {@code cuBLAS} by its fastest algorithm, {@code plain}, the product
 *     without what the kernel adds to it; {@code bits} says that all elements are compared with cuBLAS'
 * @param least of the first rival's speed that is asked for; 0: none
 */
record RaceSubject(String title, TilePreset preset, ValueType type, Map<String, Long> extents, List<String> schedules,
        Map<String, List<String>> work, boolean warm, List<String> rivals, double least) {
    private static final int COLUMNS = 7;

    /** All of a file. @param name such as {@code rows} */
    static List<RaceSubject> all(String name) {
        try (InputStream file = RaceSubject.class.getResourceAsStream(name + ".race")) {
            if (file == null) {
                throw new IllegalArgumentException("there is no race '" + name + "'");
            }
            return new String(file.readAllBytes(), StandardCharsets.UTF_8).lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#")).map(RaceSubject::of).toList();
        } catch (IOException e) {
            throw new IllegalStateException(name + ".race cannot be read", e);
        }
    }

    /** That of a line. */
    static RaceSubject of(String line) {
        String[] columns = Arrays.copyOf(line.split(" *\\| *"), COLUMNS);
        String[] kernel = columns[1].split(" ");
        TilePreset preset = TilePresets.find(kernel[0]).orElseThrow(() -> new IllegalArgumentException("no preset: "
                + line));
        ValueType type = ValueType.valueOf(kernel[1].toUpperCase(Locale.ROOT));
        Map<String, Long> extents = new TreeMap<>(words(columns[2]).stream().map(extent -> extent.split("="))
                .collect(Collectors.toMap(extent -> extent[0], extent -> Long.valueOf(extent[1]))));
        String title = columns[0].equals("-") ? preset.title(type) + " " + extents.toString().replaceAll("[{},]", "")
                + ":" : columns[0];
        Map<String, List<String>> work = new TreeMap<>();
        boolean warm = false;
        for (String part : columns[4].split("; *")) {
            List<String> words = words(part);
            warm |= part.equals("warm");
            work.put(words.getFirst(), words.subList(1, words.size()));
        }
        return new RaceSubject(title, preset, type, extents, List.of(columns[3].split("; *")), work, warm,
                words(columns[5]), columns[COLUMNS - 1] == null ? 0 : Double.parseDouble(columns[COLUMNS - 1]));
    }

    private static List<String> words(String column) {
        return column == null || column.isBlank() ? List.of() : List.of(column.strip().split(" "));
    }

    TileKernel kernel() {
        return preset.kernel(type);
    }

    boolean beside(String rival) {
        return rivals.contains(rival);
    }

    /** Operations of a launch; 0: it only moves memory. */
    double operations() {
        return work.containsKey("computes") ? extents.values().stream().mapToDouble(Long::doubleValue)
                .reduce(Double.parseDouble(work.get("computes").getFirst()), (a, b) -> a * b) : 0;
    }

    /** The tensors whose bytes are counted; none of what only computes, and none that are named: all. */
    Optional<List<String>> moved() {
        return Optional.ofNullable(work.get("moves"));
    }
}

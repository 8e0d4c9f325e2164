package dev.tilewright.bench.tune;

import dev.tilewright.builder.Option;
import dev.tilewright.builder.Preset;
import dev.tilewright.layout.ElementType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The schedules of a preset that a search goes through: the values that its builder declares to sweep, tiles around the
 * preset's own of the same number of dimensions, and grids. What changes a result, and what the preset itself chooses
 * beside sizes, stays. The preset as it stands comes first, the others in an order that a seed decides, so that a search
 * that is cut short has seen some of every kind.
 */
final class SearchSpace {
    private static final String TILE = "tile";
    /** What may be searched though a preset sets it. */
    private static final Set<String> SIZES = Set.of(TILE, "stages", "threads", "loads");
    private static final Map<String, List<String>> WHERE_NOT_DECLARED = Map.of("stages", List.of("2", "3", "4", "6"));
    private static final int[] GRIDS = {1, 2, 4, Candidate.RESIDENT};

    private SearchSpace() { }

    /** All candidates, not all of which the builder takes; the first is the preset as it stands. */
    static List<Candidate> of(Preset preset, ElementType type, int rank, long seed) {
        Map<String, Collection<String>> values = values(preset, type, rank);
        Map<String, String> own = new LinkedHashMap<>();
        values.forEach((name, all) -> own.put(name, all.iterator().next()));
        List<Map<String, String>> combinations = List.of(Map.of());
        for (Map.Entry<String, Collection<String>> option : values.entrySet()) {
            combinations = combinations.stream().flatMap(chosen -> option.getValue().stream()
                    .map(value -> with(chosen, option.getKey(), value))).toList();
        }
        Candidate first = new Candidate(own, Candidate.OWN);
        List<Candidate> others = new ArrayList<>();
        for (Map<String, String> chosen : combinations) {
            for (int each : GRIDS) {
                others.add(new Candidate(chosen, each));
            }
        }
        Collections.shuffle(others, new Random(seed));
        others.addFirst(first);
        return others;
    }

    /** The values of each option that is searched; the first of each is the preset's own. */
    private static Map<String, Collection<String>> values(Preset preset, ElementType type, int rank) {
        Map<String, String> settings = preset.settings(type, rank, Map.of());
        Map<String, Collection<String>> values = new LinkedHashMap<>();
        for (Option<?, ?> option : preset.mechanism().options()) {
            String name = option.name();
            String own = settings.get(name);
            if (name.equals(TILE)) {
                values.put(name, tiles(own, option.sweep(), type));
            } else if (SIZES.contains(name) || !preset.choices().containsKey(name)) {
                Set<String> all = new LinkedHashSet<>(List.of(own));
                all.addAll(option.sweep().isEmpty() ? WHERE_NOT_DECLARED.getOrDefault(name, List.of()) : option.sweep());
                if (all.size() > 1) {
                    values.put(name, all);
                }
            }
        }
        return values;
    }

    /** Tiles with as many dimensions as this one, their rows in bytes. */
    private static Collection<String> tiles(String own, List<String> declared, ElementType type) {
        List<Integer> extents = Arrays.stream(own.split("x")).map(Integer::parseInt).toList();
        Set<String> all = new LinkedHashSet<>(List.of(text(extents, type)));
        declared.stream().filter(tile -> tile.split("x").length == extents.size()).forEach(all::add);
        boolean row = extents.size() == 1;
        for (double inner : row ? new double[] {0.5, 2, 4} : new double[] {0.5, 1, 2}) {
            for (double outer : row ? new double[] {1} : new double[] {0.5, 1, 2}) {
                List<Integer> other = new ArrayList<>(extents);
                scale(other, other.size() - 1, inner);
                scale(other, 0, outer);
                all.add(text(other, type));
            }
        }
        return all;
    }

    private static void scale(List<Integer> extents, int at, double factor) {
        extents.set(at, Math.max(1, (int) (extents.get(at) * factor)));
    }

    private static String text(List<Integer> extents, ElementType type) {
        List<Integer> outer = extents.subList(0, extents.size() - 1);
        return outer.stream().map(extent -> extent + "x").collect(Collectors.joining())
                + extents.getLast() * type.bytes() + "B";
    }

    private static Map<String, String> with(Map<String, String> chosen, String option, String value) {
        Map<String, String> all = new LinkedHashMap<>(chosen);
        all.put(option, value);
        return all;
    }
}

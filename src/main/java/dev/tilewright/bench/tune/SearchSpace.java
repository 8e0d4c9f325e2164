package dev.tilewright.bench.tune;

import dev.tilewright.bench.tune.Candidate.Grid;
import dev.tilewright.builder.BulkPipelineBuilder;
import dev.tilewright.builder.CachePriority;
import dev.tilewright.builder.KernelBuilder;
import dev.tilewright.builder.Option;
import dev.tilewright.builder.Preset;
import dev.tilewright.builder.Roles;
import dev.tilewright.builder.Schedule;
import dev.tilewright.builder.ScheduleOption;
import dev.tilewright.builder.TensorCopy;
import dev.tilewright.builder.TensorRebind;
import dev.tilewright.builder.VectorCopy;
import dev.tilewright.builder.Walk;
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
import java.util.stream.Stream;

/**
 * The schedules of a preset that a search goes through. First sizes: the values that its builder declares to sweep, and
 * tiles around the preset's own of the same number of dimensions, a tile a block. The preset as it stands comes first
 * of all, the others in an order that a seed decides, so that a search that is cut short has seen some of every kind.
 * Then {@linkplain #variants variants} of the best: other grids, orders and advice. What changes a result, and what the
 * preset itself chooses beside sizes, stays.
 */
final class SearchSpace {
    private static final ScheduleOption<?> TILE = TensorCopy.Builder.TILE;
    private static final ScheduleOption<?> STAGES = TensorCopy.Builder.STAGES;
    /** What may be searched though a preset sets it. */
    private static final List<ScheduleOption<?>> SIZES = List.of(TILE, STAGES, KernelBuilder.THREADS,
            VectorCopy.Builder.LOADS);
    /** What is tried beside what builders declare to sweep. */
    private static final List<String> MORE_STAGES = List.of("1", "2", "3", "4", "6");
    /** What variants differ in: choices that never change a result, all of whose values are tried. */
    private static final List<Varied<?>> VARIED = List.of(
            new Varied<>(TensorRebind.Builder.BLOCKS_PER_SLAB, List.of(1, 2, 4, 8)),
            new Varied<>(BulkPipelineBuilder.ROLES, List.of(Roles.TOGETHER, Roles.SPECIALISED)),
            new Varied<>(BulkPipelineBuilder.CACHE, List.of(CachePriority.NORMAL, CachePriority.EVICT_FIRST)),
            new Varied<>(KernelBuilder.WALK, List.of(Walk.RUNS, Walk.INTERLEAVED)));
    private static final int WAVE_TILES = 4;

    /** An option, and the values that variants have. */
    private record Varied<V>(Option<?, V> option, List<V> values) {
        Stream<Schedule> variants(Schedule of) {
            return values.stream().map(value -> of.with(option, value));
        }
    }

    private SearchSpace() { }

    /** All candidates, not all of which the builder takes; the first is the preset as it stands. */
    static List<Candidate> of(Preset preset, ElementType type, int rank, long seed) {
        Map<String, Collection<String>> values = values(preset, type, rank);
        Schedule own = Schedule.DEFAULT;
        List<Schedule> combinations = List.of(own);
        for (Map.Entry<String, Collection<String>> option : values.entrySet()) {
            own = own.with(option.getKey(), option.getValue().iterator().next());
            combinations = Schedule.combinations(combinations, option.getKey(), option.getValue());
        }
        Candidate first = new Candidate(own, Grid.OWN, 1);
        List<Candidate> others = new ArrayList<>();
        for (Schedule chosen : combinations) {
            others.add(new Candidate(chosen, Grid.EACH, 1));
        }
        Collections.shuffle(others, new Random(seed));
        others.addFirst(first);
        return others;
    }

    /** What else is tried of a candidate that is among the best: first what its own kernel can do. */
    static List<Candidate> variants(Preset preset, Candidate of) {
        List<Schedule> combinations = List.of(of.options());
        for (Varied<?> varied : VARIED) {
            if (preset.mechanism().hasOption(varied.option().name()) && !preset.schedule().has(varied.option())) {
                combinations = combinations.stream().flatMap(varied::variants).toList();
            }
        }
        List<Candidate> all = new ArrayList<>();
        grids(all, of.options());
        combinations.forEach(chosen -> grids(all, chosen));
        return all.stream().distinct().filter(variant -> !variant.equals(of)).toList();
    }

    private static void grids(List<Candidate> all, Schedule options) {
        if (options.has(KernelBuilder.WALK, Walk.INTERLEAVED)) {
            all.add(new Candidate(options, Grid.WAVES, WAVE_TILES));
        } else {
            all.add(new Candidate(options, Grid.EACH, 1));
            all.add(new Candidate(options, Grid.EACH, 2));
            all.add(new Candidate(options, Grid.EACH, 4));
        }
        all.add(new Candidate(options, Grid.RESIDENT, 1));
    }

    /** The values of each option that is searched; the first of each is the preset's own. */
    private static Map<String, Collection<String>> values(Preset preset, ElementType type, int rank) {
        Schedule settings = preset.settings(type, rank, Schedule.DEFAULT);
        Map<String, Collection<String>> values = new LinkedHashMap<>();
        for (Option<?, ?> option : preset.mechanism().options()) {
            String name = option.name();
            String own = settings.get(name).orElseThrow();
            if (option.isLike(TILE)) {
                values.put(name, tiles(own, option.sweep(), type));
            } else if (SIZES.stream().anyMatch(option::isLike) || !preset.schedule().has(option)
                    && VARIED.stream().noneMatch(varied -> option.isLike(varied.option()))) {
                Set<String> all = new LinkedHashSet<>(List.of(own));
                all.addAll(option.sweep());
                all.addAll(option.isLike(STAGES) ? MORE_STAGES : List.of());
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
        for (double inner : row ? new double[] {0.25, 0.5, 2} : new double[] {0.5, 1, 2}) {
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
}

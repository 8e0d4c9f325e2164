package dev.tilewright.verify;

import dev.tilewright.builder.Schedule;
import dev.tilewright.program.value.ValueType;
import dev.tilewright.ptx.Target;
import dev.tilewright.tile.Dim;
import dev.tilewright.tile.Tensor;
import dev.tilewright.tile.TileKernel;
import dev.tilewright.tile.kernel.TilePreset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * One launch of a preset that is a tile kernel, on random numbers: what its program leaves is held against the executor
 * of the language.
 *
 * @param type of its elements
 * @param target whose program it is
 * @param schedule how that is made
 * @param extents of its dimensions, by name
 * @param multiprocessors that the launch is for, whatever the device has
 * @param seed what the tensors' contents are drawn from
 */
public record TileCase(TilePreset preset, ValueType type, Target target, Schedule schedule, Map<String, Long> extents,
        int multiprocessors, long seed) implements VerifyCase {

    public TileCase {
        extents = Collections.unmodifiableMap(new TreeMap<>(extents));
    }

    private TileKernel kernel() {
        return preset.kernel(type).with(schedule);
    }

    /** What differs may be in contents, in the grid, and in dimensions that decide no program. */
    @Override
    public boolean sharesKernelWith(VerifyCase other) {
        return other instanceof TileCase tile && preset.equals(tile.preset) && type == tile.type
                && target.equals(tile.target) && schedule.equals(tile.schedule)
                && deciding(extents).equals(deciding(tile.extents));
    }

    private Map<String, Long> deciding(Map<String, Long> all) {
        Map<String, Long> some = new TreeMap<>(all);
        some.keySet().removeAll(free(preset.kernel(type)));
        return some;
    }

    /** Dimensions whose extent decides no program: the grid goes along them, and no tensor's rows do. */
    static Set<String> free(TileKernel kernel) {
        Set<String> free = new HashSet<>();
        kernel.grid().steps().forEach(steps -> free.add(steps.dim().name()));
        kernel.tensors().forEach(tensor -> free.remove(tensor.dims().getLast().name()));
        return free;
    }

    @Override
    public CaseWork work() {
        TileKernel kernel = kernel();
        kernel.dims().stream().map(Dim::name).filter(dim -> !extents.containsKey(dim)).findFirst().ifPresent(dim -> {
            throw new IllegalArgumentException("preset '" + preset.name() + "' has a dimension '" + dim
                    + "', whose extent is not said");
        });
        TileLaunch launch = new TileLaunch(kernel, extents, target, multiprocessors);
        List<CaseBuffer> buffers = new ArrayList<>();
        for (Tensor tensor : kernel.tensors()) {
            long own = seed + buffers.size();
            buffers.add(switch (tensor.role()) {
                case IN -> CaseBuffer.input(tensor.name(), TileLaunch.elements(tensor), launch.shape(tensor),
                        memory -> TileLaunch.fill(memory, tensor.type(), own));
                case OUT -> CaseBuffer.result(tensor.name(), TileLaunch.elements(tensor), launch.shape(tensor));
                case IN_OUT -> CaseBuffer.changed(tensor.name(), TileLaunch.elements(tensor), launch.shape(tensor),
                        memory -> TileLaunch.fill(memory, tensor.type(), own));
            });
        }
        return new CaseWork(launch.launch(), buffers, Optional.of(launch::execute));
    }

    @Override
    public String family() {
        return TileKind.NAME + " " + preset.name();
    }

    /** What is emitted for the preset as it is. */
    @Override
    public String file() {
        return "kernels/" + preset.name() + ".cu";
    }

    @Override
    public CaseLine line() {
        CaseLine line = new CaseLine(TileKind.NAME).with("preset", preset.name()).with("type", type)
                .with("target", target);
        for (Map.Entry<String, Long> extent : extents.entrySet()) {
            line = line.with(TileKind.EXTENT + extent.getKey(), extent.getValue());
        }
        for (Map.Entry<String, String> option : schedule.options().entrySet()) {
            line = line.with(TileKind.OPTION + option.getKey(), option.getValue());
        }
        return line.with("multiprocessors", multiprocessors).with("seed", seed);
    }

    /** As the kernel chooses its program, with smaller extents, on fewer multiprocessors. */
    @Override
    public List<TileCase> smaller() {
        List<TileCase> all = new ArrayList<>();
        if (!schedule.equals(Schedule.DEFAULT)) {
            all.add(new TileCase(preset, type, target, Schedule.DEFAULT, extents, multiprocessors, seed));
        }
        extents.forEach((dim, extent) -> {
            for (long less : new long[] {1, extent / 2, extent - 1}) {
                if (less > 0 && less < extent) {
                    Map<String, Long> fewer = new TreeMap<>(extents);
                    fewer.put(dim, less);
                    all.add(new TileCase(preset, type, target, schedule, fewer, multiprocessors, seed));
                }
            }
        });
        if (multiprocessors > 1) {
            all.add(new TileCase(preset, type, target, schedule, extents, 1, seed));
        }
        return all;
    }

    /** The line, which names the case again. */
    @Override
    public String toString() {
        return line().toString();
    }
}

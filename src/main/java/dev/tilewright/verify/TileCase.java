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
import java.util.List;
import java.util.Map;
import java.util.Optional;
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

    TileKernel kernel() {
        return preset.kernel(type).with(schedule);
    }

    /** Only contents may differ: extents and multiprocessors decide how large tiles are. */
    @Override
    public boolean sharesKernelWith(VerifyCase other) {
        return other instanceof TileCase tile && equals(tile.with(seed));
    }

    /** This case with other numbers. */
    TileCase with(long otherSeed) {
        return new TileCase(preset, type, target, schedule, extents, multiprocessors, otherSeed);
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
            buffers.add(launch.buffer(tensor, memory -> TileLaunch.fill(memory, tensor.type(), own)));
        }
        CaseKinds.requireRoom(buffers);
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
        return line(new CaseLine(TileKind.NAME));
    }

    /** A line with this case's fields besides. */
    CaseLine line(CaseLine before) {
        CaseLine line = before.with("preset", preset.name()).with("type", type).with("target", target);
        for (Map.Entry<String, Long> extent : extents.entrySet()) {
            line = line.with(TileKind.EXTENT + extent.getKey(), extent.getValue());
        }
        return line.with(schedule).with("multiprocessors", multiprocessors).with("seed", seed);
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

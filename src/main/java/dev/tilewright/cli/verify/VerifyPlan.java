package dev.tilewright.cli.verify;

import dev.tilewright.builder.Preset;
import dev.tilewright.cli.option.ExecutorChoice;
import dev.tilewright.gpu.device.Devices;
import dev.tilewright.tile.kernel.TilePreset;
import dev.tilewright.verify.CaseSet;
import dev.tilewright.verify.worker.WorkerLimits;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What {@code verify} is to do, by its options and by what is there.
 *
 * @param most how long random cases are drawn; empty for until the set's have ended
 * @param casesAlone whether nothing but cases is asked for
 * @param first whether this shard does what has nothing to do with cases
 * @param recordings whether it replays recordings besides
 * @param whyNoGpu why the cases do not run on a GPU
 */
record VerifyPlan(List<Preset> presets, List<TilePreset> tiles, CaseSet cases, Optional<Duration> most,
        boolean casesAlone, boolean first, boolean recordings, WorkerLimits limits, Devices devices,
        ExecutorChoice runsOn, String whyNoGpu, VerifyWorkers processes) { }

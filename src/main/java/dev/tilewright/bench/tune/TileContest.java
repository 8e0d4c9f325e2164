package dev.tilewright.bench.tune;

import dev.tilewright.bench.device.DeviceTurns;
import dev.tilewright.bench.device.TileArrays;
import dev.tilewright.bench.result.Spread;
import dev.tilewright.builder.Schedule;
import dev.tilewright.gpu.ArrayKernel;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.KernelLaunch;
import dev.tilewright.gpu.compile.CompilationException;
import dev.tilewright.tile.TileKernel;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;

/**
 * Schedules of a tile kernel on a GPU, on tensors of one size. The first one's bytes have to come from all of them, and
 * its first rows are the executor's where the kernel can be cut into rows. Programs are made and compiled by other
 * threads, while those before them are measured.
 */
final class TileContest implements Contest<Schedule>, AutoCloseable {
    private final Gpu gpu;
    private final TileKernel kernel;
    private final TileArrays arrays;
    private final DeviceTurns turns;
    private final MadeAhead<Ready> ready;
    private final List<String> faults = new ArrayList<>();
    private boolean expecting;

    /** Launches of one schedule, one for each set of arrays. */
    private record Ready(ArrayKernel kernel, List<KernelLaunch> launches) {
        DeviceTurns.Work work() {
            return (_, place) -> launches.get(place % launches.size()).start();
        }
    }

    TileContest(ExecutorService compilers, Gpu gpu, TileKernel kernel, TileArrays arrays, DeviceTurns turns) {
        this.gpu = gpu;
        this.kernel = kernel;
        this.arrays = arrays;
        this.turns = turns;
        this.ready = new MadeAhead<>(compilers, this::made, one -> one.kernel.close());
    }

    /** What was wrong with candidates, a sentence each. */
    List<String> faults() {
        return faults;
    }

    @Override
    public void announce(List<Schedule> candidates) {
        ready.request(candidates);
    }

    private Ready made(Schedule schedule) {
        ArrayKernel loaded = gpu.load(kernel.with(schedule));
        try {
            List<KernelLaunch> launches = new ArrayList<>();
            for (int set = 0; set < arrays.sets(); set++) {
                launches.add(arrays.launch(loaded, set).on(turns.stream()).prepare());
            }
            return new Ready(loaded, launches);
        } catch (RuntimeException e) {
            loaded.close();
            throw e;
        }
    }

    @Override
    public Entry enter(Schedule candidate) {
        try {
            Ready one = ready.get(candidate);
            arrays.spoil();
            one.launches.forEach(KernelLaunch::start);
            turns.stream().synchronize();
            if (!expecting) {
                expecting = true;
                Optional<String> complaint = arrays.expectResults();
                if (complaint.isPresent()) {
                    return wrong(candidate, complaint.get());
                }
            }
            long differing = arrays.differing();
            return differing == 0 ? Entry.READY : wrong(candidate, differing + " words are not those of '"
                    + Schedule.DEFAULT + "'");
        } catch (IllegalArgumentException e) {
            return Entry.IMPOSSIBLE;
        } catch (CompilationException e) {
            return wrong(candidate, "does not compile: " + e.getMessage());
        }
    }

    private Entry wrong(Schedule candidate, String complaint) {
        faults.add(candidate + ": " + complaint);
        return Entry.WRONG;
    }

    @Override
    public List<Spread> measure(int count, List<Schedule> candidates) {
        return turns.take(count, candidates.stream().map(candidate -> ready.get(candidate).work()).toList());
    }

    @Override
    public void close() {
        ready.close();
    }
}

package dev.tilewright.recording.mechanism;

import java.util.List;
import java.util.Optional;

/** All mechanisms that are recorded by running a tile program. */
public final class Mechanisms {
    private final List<Mechanism> all = List.of(new CpAsyncCopies(), new BulkCopies(), new BulkReductions(),
            new TensorLoads(false), new TensorLoads(true), new TensorStores(), new RemoteStores(), new Atomics(),
            new WarpOperations(), new Matrices(), new MapChanges(),
            new PresetRuns(), new TensorCores(false), new TensorCores(true));

    /** In the order in which they are recorded. */
    public List<Mechanism> all() {
        return all;
    }

    /** The first whose rows are of this kind: all that are know such rows. */
    public Optional<Mechanism> find(String kind) {
        return all.stream().filter(m -> m.kind().equals(kind)).findFirst();
    }

    /** The one that the command calls so. */
    public Optional<Mechanism> named(String name) {
        return all.stream().filter(m -> m.name().equals(name)).findFirst();
    }
}

package dev.tilewright.recording.mechanism;

import java.util.List;
import java.util.Optional;

/** All mechanisms that are recorded by running a tile program. */
public final class Mechanisms {
    private final List<Mechanism> all = List.of(new CpAsyncCopies(), new BulkCopies(), new BulkReductions(),
            new TensorLoads(false), new TensorLoads(true), new TensorStores(), new RemoteStores(), new Atomics(),
            new WarpOperations(), new Matrices(), new TensorCores(false), new TensorCores(true));

    /** In the order in which they are recorded. */
    public List<Mechanism> all() {
        return all;
    }

    /** The one whose rows are of this kind. */
    public Optional<Mechanism> find(String kind) {
        return all.stream().filter(m -> m.kind().equals(kind)).findFirst();
    }
}

package dev.tilewright.recording.mechanism;

import dev.tilewright.json.JsonFields;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * All kinds of rows: mechanisms that are recorded by running a tile program, and the others, those of {@code
 * native-tests/recordings} from before there was a {@code record} command among them.
 */
public final class Mechanisms {
    private final BulkReductions reductions = new BulkReductions();
    private final TensorStores stores = new TensorStores();
    private final TensorCores mma = new TensorCores(false);
    private final TensorCores wgmma = new TensorCores(true);
    private final List<RecordedMechanism> all = List.of(new CpAsyncCopies(), new BulkCopies(), reductions,
            new TensorLoads(false), new TensorLoads(true), stores, new RemoteStores(), new Atomics(),
            new WarpOperations(), new Matrices(), new MapChanges(), new PresetRuns(), mma, wgmma);
    private final OldRows old = new OldRows(mma, wgmma, reductions, stores);
    private final Map<String, RowKind> kinds =
            new HashMap<>(Map.of(EncodeRows.KIND, new EncodeRows(), Starts.KIND, new Starts()));

    /** Kinds that share nothing with those of other calls. */
    public Mechanisms() {
        all.forEach(mechanism -> kinds.put(mechanism.kind(), mechanism));
    }

    /** In the order in which they are recorded. */
    public List<RecordedMechanism> all() {
        return all;
    }

    /** The one that the command calls so. */
    public Optional<RecordedMechanism> named(String kind) {
        return all.stream().filter(m -> m.kind().equals(kind)).findFirst();
    }

    /** What a row is of; nothing if its kind is not known. Any number of threads may ask, and replay. */
    public Optional<RowKind> of(JsonFields row) {
        return old.of(row).or(() -> Optional.ofNullable(kinds.get(row.text("kind"))));
    }
}

package dev.tilewright.recording.mechanism;

import dev.tilewright.json.JsonFields;
import java.util.Map;
import java.util.Optional;

/**
 * Rows of {@code native-tests/recordings} from before there was a {@code record} command. They hold what an instruction
 * read, where a row of today holds the seed that it is drawn from.
 */
final class OldRows {
    private final Map<String, RowKind> kinds;

    OldRows(TensorCores mma, TensorCores wgmma, BulkReductions reductions, TensorStores stores) {
        kinds = Map.of("mma", new OldProducts(mma), "wgmma", new OldProducts(wgmma), "wgmma-operand", new OldOperands(),
                "reduce", new OldReductions(reductions, stores));
    }

    /** What a row is of, if it is an old one; two kinds have kept their names, and differ in their operands' fields. */
    Optional<RowKind> of(JsonFields row) {
        RowKind kind = kinds.get(row.text("kind"));
        return kind instanceof OldProducts && !row.has("a") ? Optional.empty() : Optional.ofNullable(kind);
    }
}

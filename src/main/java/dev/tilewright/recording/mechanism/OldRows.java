package dev.tilewright.recording.mechanism;

import dev.tilewright.json.JsonFields;
import java.util.Optional;

/**
 * Rows of recordings that were made before there was a {@code record} command, as data in {@code
 * native-tests/recordings}: they hold the operands themselves in the place of a seed. Those of the other kinds there
 * have the fields of today.
 */
final class OldRows {
    private final RowKind reductions;
    private final RowKind mma;
    private final RowKind wgmma;
    private final RowKind operands = new OldOperands();

    OldRows(BulkReductions reductions, TensorStores stores, TensorCores mma, TensorCores wgmma) {
        this.reductions = new OldReductions(reductions, stores);
        this.mma = new OldProducts(mma);
        this.wgmma = new OldProducts(wgmma);
    }

    /** What such a row is of; nothing for one of today. */
    Optional<RowKind> find(JsonFields row) {
        return Optional.ofNullable(switch (row.text("kind")) {
            case "reduce" -> reductions;
            case "wgmma-operand" -> operands;
            case "mma" -> row.has("a") ? mma : null;
            case "wgmma" -> row.has("a") ? wgmma : null;
            default -> null;
        });
    }
}

package dev.tilewright.recording.mechanism;

import dev.tilewright.json.JsonFields;
import java.util.Optional;
import java.util.Set;

/** A kind of rows: what they say, and whether the reference does the same. */
public interface RowKind {

    /** What a row is counted as, such as {@code load tile}. */
    String counted(JsonFields row);

    /** The names of the fields that such a row may have. */
    Set<String> fields(JsonFields row);

    /**
     * What is otherwise than the row says, or nothing.
     *
     * @throws dev.tilewright.BadRequestException if a field is missing or out of its range
     * @throws dev.tilewright.reference.fault.ReferenceException if the reference refuses what the row says
     * @throws dev.tilewright.reference.fault.Fault if it refuses a copy by itself
     * @throws IllegalArgumentException or another exception of arithmetic or indices if no instruction is such a one
     */
    Optional<String> difference(JsonFields row);
}

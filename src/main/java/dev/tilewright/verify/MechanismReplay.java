package dev.tilewright.verify;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.tilewright.BadRequestException;
import dev.tilewright.json.JsonFields;
import dev.tilewright.recording.mechanism.Experiment;
import dev.tilewright.recording.mechanism.Fields;
import dev.tilewright.recording.mechanism.Mechanism;
import dev.tilewright.recording.mechanism.Mechanisms;
import dev.tilewright.reference.fault.ReferenceException;
import java.util.Optional;
import java.util.Set;

/** Does again, by the reference executor, what tile programs were recorded to do. */
final class MechanismReplay {
    /** Rows of these kinds are replayed without a program, by what the reference is made of. */
    private static final Set<String> OTHERWISE = Set.of("load", "store", "encode");
    private static final Mechanisms MECHANISMS = new Mechanisms();

    /** Whether a row is of such a kind: the older ones of tensor cores have matrices in the place of a seed. */
    static boolean isFor(RecordingsRow row) {
        return !OTHERWISE.contains(row.kind()) && MECHANISMS.find(row.kind()).isPresent() && !row.fields().has("a");
    }

    /** What a row is counted as: its kind, and what there are many of. */
    static String kind(RecordingsRow row) {
        ObjectNode fields = row.fields();
        return row.kind() + (fields.path("way").isTextual() ? " " + JsonFields.oneLine(fields.path("way").asText()) : "");
    }

    /** @throws BadRequestException if the row lacks a field, has one that is not known, or one out of its range */
    Optional<String> disagreement(RecordingsRow row) {
        Mechanism mechanism = MECHANISMS.find(row.kind()).orElseThrow();
        Fields fields = Fields.of(row.fields());
        try {
            fields.json().requireOnly(mechanism.fields(), "a row of kind " + row.kind());
            Experiment experiment = mechanism.experiment(fields);
            return mechanism.difference(fields, experiment.onReference());
        } catch (ReferenceException e) {
            return Optional.of("the reference refuses it: " + e.getMessage());
        } catch (BadRequestException e) {
            throw new BadRequestException(row.place() + ": " + e.getMessage(), e);
        } catch (IllegalArgumentException | ArithmeticException | IndexOutOfBoundsException
                | NegativeArraySizeException e) {
            throw new BadRequestException(row.place() + ": these numbers are of no instruction that can be run: "
                    + e.getMessage(), e);
        }
    }
}

package dev.tilewright.cli.kernel;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tilewright.emit.CudaSource;
import dev.tilewright.reference.banks.BankConflicts;
import dev.tilewright.reference.banks.StepConflicts;
import dev.tilewright.reference.banks.WarpAccess;
import java.util.List;

/**
 * What {@code --bank-conflicts} adds to a document.
 *
 * @param blocks that were run
 * @param accesses of whole warps to shared memory
 * @param ideal wavefronts without a conflict
 */
record BankDocument(int blocks, long accesses, long wavefronts, long ideal, List<BankStep> steps) {
    /** A step's part. @param line of the emitted source */
    record BankStep(int step, String purpose, int line, @JsonInclude(JsonInclude.Include.NON_NULL) String javaLine,
            long accesses, long wavefronts, long ideal, WarpAccess worst) {
        static BankStep of(StepConflicts s, CudaSource source) {
            return new BankStep(s.step(), s.purpose(), source.lineOf(s.step()),
                    s.javaLine().map(Object::toString).orElse(null), s.accesses(), s.wavefronts(), s.ideal(),
                    s.worst());
        }
    }

    static BankDocument of(BankConflicts banks, CudaSource source) {
        return new BankDocument(banks.blocks(), banks.accesses(), banks.wavefronts(), banks.ideal(),
                banks.steps().stream().map(s -> BankStep.of(s, source)).toList());
    }
}

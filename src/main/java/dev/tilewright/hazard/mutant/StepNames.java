package dev.tilewright.hazard.mutant;

import dev.tilewright.program.Operation;

/** What edits are called. */
final class StepNames {

    private StepNames() { }

    /** {@code step 17, 'all bytes have landed' (mbarrier.try_wait...)}. */
    static String step(StepTree.Node node) {
        String what = node.operation instanceof Operation.Instruction i ? i.form().opcode() : node.operation.summary();
        return "step " + node.number + ", '" + node.purpose() + "' (" + what + ")";
    }
}

package dev.tilewright.hazard.mutant;

import dev.tilewright.program.Operation;

/** What edits are called. */
final class StepNames {

    private StepNames() {
    }

    /** {@code step 17, 'all bytes have landed' (mbarrier.try_wait...)}. */
    static String step(StepTree.Node node) {
        return "step " + node.number + ", '" + node.purpose() + "' (" + instruction(node.operation) + ")";
    }

    private static String instruction(Operation operation) {
        return switch (operation) {
            case Operation.Instruction i -> i.form().opcode();
            case Operation.SyncThreads _ -> "__syncthreads";
            case Operation.Guard _ -> "if";
            case Operation.Loop _ -> "for";
            case Operation.While _ -> "while";
            case Operation.Break _ -> "break";
            case Operation.Declare d -> d.register().name();
            case Operation.Assign a -> "set " + a.register().name();
            case Operation.Let l -> l.variable().name();
            case Operation.Loading _ -> "load";
            case Operation.Storing _ -> "store";
            case Operation.Call call -> call.procedure().name();
        };
    }
}

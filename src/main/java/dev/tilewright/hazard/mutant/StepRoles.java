package dev.tilewright.hazard.mutant;

import dev.tilewright.program.Operation;
import dev.tilewright.ptx.StepRole;

/** What steps are for in the order of things: which of the edits make sense for them. */
final class StepRoles {
    private StepRoles() {
    }

    static StepRole of(Operation operation) {
        return switch (operation) {
            case Operation.SyncThreads _ -> StepRole.SYNC;
            case Operation.Poll _ -> StepRole.WAIT;
            case Operation.Issue issue -> issue.form().role();
            case Operation.Let _, Operation.Loop _, Operation.While _, Operation.Break _, Operation.Guard _,
                    Operation.Call _, Operation.Loading _, Operation.Storing _, Operation.Computation _ ->
                    StepRole.OTHER;
        };
    }
}

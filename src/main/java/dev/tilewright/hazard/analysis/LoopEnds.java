package dev.tilewright.hazard.analysis;

import dev.tilewright.program.Operation;
import dev.tilewright.program.Procedure;
import dev.tilewright.program.Step;
import dev.tilewright.program.expression.Expr;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What decides, in each turn of a loop, whether there is another one. */
final class LoopEnds {
    private LoopEnds() {
    }

    /** The condition of a loop, and those under which it is left; none of a loop that counts to its end. */
    static List<Expr> of(Operation loop) {
        List<Expr> ends = new ArrayList<>();
        if (loop instanceof Operation.While(Expr condition, var _)) {
            ends.add(condition);
        }
        loop.bodies().forEach(body -> addBreaks(body, ends));
        return ends;
    }

    /** Whether a body leaves the loop around it. */
    private static boolean addBreaks(List<Step> body, List<Expr> ends) {
        boolean leaves = false;
        for (Step step : body) {
            if (step.operation() instanceof Operation.Guard guard) {
                if (addBreaks(guard.body(), ends) | addBreaks(guard.otherwise(), ends)) {
                    ends.add(guard.condition());
                    leaves = true;
                }
            } else {
                leaves |= step.operation() instanceof Operation.Break;
            }
        }
        return leaves;
    }

    /** All that a loop performs in a turn, procedures that it calls included. */
    static List<Operation> within(Operation loop) {
        List<Operation> all = new ArrayList<>();
        addAll(loop, all, new HashSet<>());
        return all;
    }

    private static void addAll(Operation operation, List<Operation> all, Set<Procedure> called) {
        List<List<Step>> bodies = !(operation instanceof Operation.Call call) ? operation.bodies()
                : called.add(call.procedure()) ? List.of(call.procedure().body()) : List.of();
        bodies.forEach(body -> body.forEach(step -> {
            all.add(step.operation());
            addAll(step.operation(), all, called);
        }));
    }
}

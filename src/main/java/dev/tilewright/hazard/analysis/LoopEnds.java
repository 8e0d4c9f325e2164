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
    private LoopEnds() { }

    /** The condition of a loop, and those by which a turn decides on another; none of a loop that counts to its end. */
    static List<Expr> of(Operation loop) {
        List<Expr> ends = new ArrayList<>();
        if (loop instanceof Operation.While(Expr condition, var _)) {
            ends.add(condition);
        }
        boolean left = loop.bodies().stream().flatMap(List::stream).anyMatch(step -> step.operation().leavesLoop());
        if (left) {
            addConditions(loop, ends);
        }
        return ends;
    }

    private static void addConditions(Operation around, List<Expr> ends) {
        around.bodies().forEach(body -> body.forEach(step -> {
            if (step.operation() instanceof Operation.Guard guard && guard.endsTurn()) {
                addConditions(guard, ends);
                ends.add(guard.condition());
            }
        }));
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

package dev.tilewright.hazard.mutant;

import dev.tilewright.hazard.mutant.StepTree.Node;
import dev.tilewright.program.Operation;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.ExprSearch;
import dev.tilewright.ptx.StepRole;
import java.util.List;

/** Leaves one step out, or a guard around several. */
final class RemovalEdits {

    private RemovalEdits() { }

    static void add(Node node, Mutants mutants) {
        MutantKind kind = switch (node.operation.role()) {
            case SYNC -> MutantKind.WITHOUT_SYNC;
            case WAIT -> MutantKind.WITHOUT_WAIT;
            case FENCE -> MutantKind.WITHOUT_FENCE;
            case COMMIT -> MutantKind.WITHOUT_COMMIT;
            case ARRIVAL -> MutantKind.WITHOUT_ARRIVAL;
            case EXPECT -> MutantKind.WITHOUT_EXPECT;
            case INIT -> MutantKind.WITHOUT_INIT;
            case MAP -> MutantKind.WITHOUT_MAP;
            case COUNTED_LOAD -> MutantKind.WITHOUT_LOAD;
            case OTHER -> null;
        };
        if (kind != null) {
            mutants.add(kind, node.number, "without " + StepNames.step(node), tree -> tree.node(node.number).remove());
        }
        if (node.operation instanceof Operation.Guard guard && guard.otherwise().isEmpty()
                && choosesThreads(guard.condition()) && orders(node)) {
            String words = "all threads perform the steps under " + StepNames.step(node);
            mutants.add(MutantKind.WITHOUT_GUARD, node.number, words, tree -> {
                Node same = tree.node(node.number);
                List<Node> siblings = same.siblings;
                int at = siblings.indexOf(same);
                same.remove();
                for (Node inner : List.copyOf(same.body)) {
                    inner.remove();
                    inner.insert(siblings, at++);
                }
            });
        }
    }

    private static boolean choosesThreads(Expr condition) {
        return ExprSearch.any(condition, e -> e == Expr.Builtin.THREAD || e == Expr.Builtin.THREAD_NUMBER);
    }

    /** Whether something within the step matters for the order of others. */
    private static boolean orders(Node node) {
        return node.operation.role() != StepRole.OTHER || node.body.stream().anyMatch(RemovalEdits::orders)
                || node.otherwise.stream().anyMatch(RemovalEdits::orders);
    }
}

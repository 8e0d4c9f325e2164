package dev.tilewright.hazard.mutant;

import dev.tilewright.hazard.mutant.StepTree.Node;
import dev.tilewright.program.Operation;
import java.util.List;

/**
 * Puts a step that orders others one place off: past its neighbour, or out of the loop or guard that it is in where
 * it has no neighbour on that side. Names that are given to values in between do not count as neighbours, as the order
 * of things does not depend on them.
 */
final class MoveEdits {

    private MoveEdits() { }

    static void add(Node node, Mutants mutants) {
        if (!node.operation.role().orders()) {
            return;
        }
        move(node, -1, MutantKind.MOVED_EARLIER, mutants);
        move(node, 1, MutantKind.MOVED_LATER, mutants);
        if (node.operation instanceof Operation.SyncThreads) {
            intoGuard(node, -1, mutants);
            intoGuard(node, 1, mutants);
        }
    }

    /** The nearest sibling on this side that is more than a name for a value, or null. */
    private static Node neighbour(Node node, int side) {
        List<Node> siblings = node.siblings;
        for (int at = siblings.indexOf(node) + side; at >= 0 && at < siblings.size(); at += side) {
            if (!(siblings.get(at).operation instanceof Operation.Let)) {
                return siblings.get(at);
            }
        }
        return null;
    }

    private static void move(Node node, int side, MutantKind kind, Mutants mutants) {
        Node neighbour = neighbour(node, side);
        Node past = neighbour == null ? node.parent : neighbour;
        if (past == null) {
            return;
        }
        String words = StepNames.step(node) + (side < 0 ? " precedes " : " follows ") + StepNames.step(past);
        mutants.add(kind, node.number, words, tree -> {
            Node moved = tree.node(node.number);
            Node other = tree.node(past.number);
            moved.remove();
            moved.insert(other.siblings, other.siblings.indexOf(other) + (side < 0 ? 0 : 1));
        });
    }

    private static void intoGuard(Node node, int side, Mutants mutants) {
        Node neighbour = neighbour(node, side);
        if (neighbour == null || !(neighbour.operation instanceof Operation.Guard)) {
            return;
        }
        String words = StepNames.step(node) + " is within " + StepNames.step(neighbour);
        mutants.add(MutantKind.MOVED_INTO_GUARD, node.number, words, tree -> {
            Node moved = tree.node(node.number);
            List<Node> body = tree.node(neighbour.number).body;
            moved.remove();
            moved.insert(body, side < 0 ? body.size() : 0);
        });
    }
}

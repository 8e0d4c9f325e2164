package dev.tilewright.hazard.mutant;

import dev.tilewright.hazard.mutant.StepTree.Node;
import dev.tilewright.program.Operation;
import dev.tilewright.program.Procedure;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.ExprSearch;
import dev.tilewright.program.expression.Input;
import dev.tilewright.ptx.StepRole;
import dev.tilewright.ptx.copy.CopyInstruction;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Takes the next stage of a ring instead of the right one. A stage is known by its form: a remainder by a constant, of
 * what depends on the variable of a loop that waits or synchronises, in a shared address, a barrier's number or a name
 * for it.
 */
final class StageEdits {

    private StageEdits() { }

    static void add(StepTree tree, Node node, Mutants mutants) {
        Set<Expr.Var> turns = turns(tree, node);
        if (turns.isEmpty()) {
            return;
        }
        String words = StepNames.step(node) + " takes the next stage";
        switch (node.operation) {
            case Operation.Let(Expr.Var v, Expr value) when isStage(value, turns) ->
                    mutants.replace(MutantKind.NEXT_STAGE, node.number, words,
                            () -> new Operation.Let(v, next(value, turns)));
            case Operation.Load(var fragment, Address.Shared from) when inside(from, turns) ->
                    mutants.replace(MutantKind.NEXT_STAGE, node.number, words,
                            () -> new Operation.Load(fragment, next(from, turns)));
            case Operation.Store(Address.Shared to, var fragment) when inside(to, turns) ->
                    mutants.replace(MutantKind.NEXT_STAGE, node.number, words,
                            () -> new Operation.Store(next(to, turns), fragment));
            case Operation.Call(Procedure procedure, List<Expr> arguments) when arguments.stream()
                    .anyMatch(e -> has(e, turns)) ->
                    mutants.replace(MutantKind.NEXT_STAGE, node.number, words, () -> new Operation.Call(procedure,
                            arguments.stream().map(e -> next(e, turns)).toList()));
            case Operation.Issue issue when issue.form() instanceof CopyInstruction ->
                    addCopy(node, issue, turns, words, mutants);
            default -> { }
        }
    }

    private static void addCopy(Node node, Operation.Issue issue, Set<Expr.Var> turns, String words, Mutants mutants) {
        for (int i = 0; i < issue.inputs().size(); i++) {
            int at = i;
            if (issue.inputs().get(i) instanceof Input.Place(Address.Shared place) && inside(place, turns)) {
                mutants.replace(MutantKind.NEXT_STAGE, node.number, words, () -> {
                    List<Input> inputs = new ArrayList<>(issue.inputs());
                    inputs.set(at, Input.of(next(place, turns)));
                    return new Operation.Issue(issue.form(), inputs, issue.results());
                });
            }
        }
    }

    /** Variables of the loops around a step that wait or synchronise, and the names that depend on them. */
    private static Set<Expr.Var> turns(StepTree tree, Node node) {
        Set<Expr.Var> turns = new HashSet<>();
        for (Node at = node.loop(); at != null; at = at.loop()) {
            if (waits(at)) {
                if (at.operation instanceof Operation.Loop loop) {
                    turns.add(loop.variable());
                }
            }
        }
        if (!turns.isEmpty()) {
            for (Node each : tree.nodes()) {
                if (each.operation instanceof Operation.Let(Expr.Var v, Expr value)
                        && ExprSearch.any(value, turns::contains)) {
                    turns.add(v);
                }
            }
        }
        return turns;
    }

    private static boolean waits(Node node) {
        StepRole role = node.operation.role();
        return role == StepRole.WAIT || role == StepRole.SYNC || node.body.stream().anyMatch(StageEdits::waits)
                || node.otherwise.stream().anyMatch(StageEdits::waits);
    }

    private static boolean isStage(Expr e, Set<Expr.Var> turns) {
        return e instanceof Expr.Binary b && b.op() == Expr.Op.REM && b.right().constant().orElse(0) > 1
                && ExprSearch.any(b.left(), turns::contains);
    }

    private static boolean inside(Address.Shared address, Set<Expr.Var> turns) {
        return has(address.byteOffset(), turns);
    }

    private static boolean has(Expr of, Set<Expr.Var> turns) {
        return ExprSearch.any(of, e -> isStage(e, turns));
    }

    private static Address.Shared next(Address.Shared address, Set<Expr.Var> turns) {
        return new Address.Shared(address.buffer(), next(address.byteOffset(), turns));
    }

    /** The expression with every stage in it replaced by the one after. */
    private static Expr next(Expr e, Set<Expr.Var> turns) {
        return switch (e) {
            case Expr.Binary b when isStage(b, turns) -> new Expr.Binary(b.op(), b.left().plus(1), b.right());
            case Expr.Binary b -> new Expr.Binary(b.op(), next(b.left(), turns), next(b.right(), turns));
            case Expr.Convert c -> new Expr.Convert(next(c.value(), turns), c.type());
            default -> e;
        };
    }
}

package dev.tilewright.hazard.mutant;

import dev.tilewright.program.Operation;
import dev.tilewright.program.Procedure;
import dev.tilewright.program.Step;
import dev.tilewright.program.TileProgram;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A program's steps as a tree that can be edited, in which every step remembers its number in the program it came from.
 */
final class StepTree {

    /** One step. What a loop or guard does is in its lists, and what its operation says of that does not count. */
    static final class Node {
        final int number;
        private final Step step;
        Operation operation;
        final Node parent;
        /** The list that this step is in. */
        List<Node> siblings;
        final List<Node> body = new ArrayList<>();
        final List<Node> otherwise = new ArrayList<>();

        Node(int number, Step step, Node parent, List<Node> siblings) {
            this.number = number;
            this.step = step;
            this.operation = step.operation();
            this.parent = parent;
            this.siblings = siblings;
        }

        /** Takes the step, with all within it, out of its place. */
        void remove() {
            siblings.remove(this);
        }

        /** Puts the step, taken out before, into another place. */
        void insert(List<Node> into, int at) {
            into.add(at, this);
            siblings = into;
        }

        /** The innermost loop around this step, or null. */
        Node loop() {
            Node at = parent;
            while (at != null && !at.operation.isLoop()) {
                at = at.parent;
            }
            return at;
        }

        String purpose() {
            return step.purpose();
        }
    }

    private final TileProgram program;
    private final List<Node> roots = new ArrayList<>();
    private final List<Node> original;
    /** For each procedure the step that called it first, which holds its steps for all calls. */
    private final Map<Procedure, Node> procedures = new HashMap<>();
    private int last;

    StepTree(TileProgram program) {
        this.program = program;
        add(program.body(), null, roots);
        original = nodes();
    }

    private void add(List<Step> steps, Node parent, List<Node> into) {
        for (Step step : steps) {
            Node node = new Node(++last, step, parent, into);
            into.add(node);
            if (!(step.operation() instanceof Operation.Call(Procedure procedure, var _))) {
                List<List<Step>> bodies = step.operation().bodies();
                for (int i = 0; i < bodies.size(); i++) {
                    add(bodies.get(i), node, i == 0 ? node.body : node.otherwise);
                }
            } else if (procedures.putIfAbsent(procedure, node) == null) {
                add(procedure.body(), node, node.body);
            }
        }
    }

    /** The step that had this number in the program, wherever it is now. */
    Node node(int number) {
        return original.get(number - 1);
    }

    /** All steps, as they stand now, in the order of their numbers. */
    List<Node> nodes() {
        List<Node> all = new ArrayList<>();
        collect(roots, all, new HashSet<>());
        return all;
    }

    private void collect(List<Node> nodes, List<Node> all, Set<Procedure> called) {
        for (Node node : nodes) {
            all.add(node);
            if (node.operation instanceof Operation.Call(Procedure procedure, var _)) {
                if (called.add(procedure)) {
                    collect(procedures.get(procedure).body, all, called);
                }
            } else {
                collect(node.body, all, called);
                collect(node.otherwise, all, called);
            }
        }
    }

    /** The numbers that the steps as they stand now had in the program. */
    List<Integer> origins() {
        return nodes().stream().map(n -> n.number).toList();
    }

    /** The program with the steps as they stand now. @throws IllegalArgumentException if it would not be a program */
    TileProgram edited() {
        return program.withBody(steps(roots, new HashMap<>()));
    }

    /** @param edited the procedures that were called before, as they are now */
    private List<Step> steps(List<Node> nodes, Map<Procedure, Procedure> edited) {
        return nodes.stream().map(node -> step(node, edited)).toList();
    }

    private Step step(Node node, Map<Procedure, Procedure> edited) {
        if (!(node.operation instanceof Operation.Call(Procedure p, var arguments))) {
            return node.step.with(node.operation.around().apply(List.of(steps(node.body, edited),
                    steps(node.otherwise, edited))));
        }
        if (!edited.containsKey(p)) {
            edited.put(p, new Procedure(p.name(), p.purpose(), p.parameters(), steps(procedures.get(p).body, edited)));
        }
        return node.step.with(new Operation.Call(edited.get(p), arguments));
    }
}

package dev.tilewright.hazard.mutant;

import dev.tilewright.program.Operation;
import dev.tilewright.program.Step;
import dev.tilewright.program.TileProgram;
import java.util.ArrayList;
import java.util.List;

/** A program's steps as a tree that can be edited, in which every step remembers its number in the program it came from. */
final class StepTree {

    /** One step. What a loop or guard does stands in its lists, and what its operation says of that does not count. */
    static final class Node {
        final int number;
        final String purpose;
        Operation operation;
        final Node parent;
        /** The list that this step stands in. */
        List<Node> siblings;
        final List<Node> body = new ArrayList<>();
        final List<Node> otherwise = new ArrayList<>();

        private Node(int number, Step step, Node parent, List<Node> siblings) {
            this.number = number;
            this.purpose = step.purpose();
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
            while (at != null && !(at.operation instanceof Operation.Loop)) {
                at = at.parent;
            }
            return at;
        }

        private Step step() {
            return new Step(purpose, switch (operation) {
                case Operation.Loop l -> new Operation.Loop(l.variable(), l.from(), l.until(), l.by(), steps(body));
                case Operation.Guard g -> new Operation.Guard(g.condition(), steps(body), steps(otherwise));
                case Operation other -> other;
            });
        }

        /** The step and all within it, in the order of their numbers. */
        private void collect(List<Node> all) {
            all.add(this);
            body.forEach(n -> n.collect(all));
            otherwise.forEach(n -> n.collect(all));
        }
    }

    private final TileProgram program;
    private final List<Node> roots = new ArrayList<>();
    private final List<Node> original;
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
            switch (step.operation()) {
                case Operation.Loop loop -> add(loop.body(), node, node.body);
                case Operation.Guard guard -> {
                    add(guard.body(), node, node.body);
                    add(guard.otherwise(), node, node.otherwise);
                }
                default -> { }
            }
        }
    }

    /** The step that had this number in the program, wherever it is now. */
    Node node(int number) {
        return original.get(number - 1);
    }

    /** Puts a step that was not in the program, with number 0, before the one that had this number. */
    void insertBefore(int number, Step step) {
        Node place = node(number);
        new Node(0, step, place.parent, place.siblings).insert(place.siblings, place.siblings.indexOf(place));
    }

    /** All steps, as they stand now. */
    List<Node> nodes() {
        List<Node> all = new ArrayList<>();
        roots.forEach(n -> n.collect(all));
        return all;
    }

    /** The numbers that the steps as they stand now had in the program. */
    List<Integer> origins() {
        return nodes().stream().map(n -> n.number).toList();
    }

    /** The program with the steps as they stand now. @throws IllegalArgumentException if it would not be a program */
    TileProgram edited() {
        return new TileProgram(program.name(), program.purpose(), program.threads(), program.clusterBlocks(),
                program.parameters(), program.shared(), steps(roots));
    }

    private static List<Step> steps(List<Node> nodes) {
        return nodes.stream().map(Node::step).toList();
    }
}

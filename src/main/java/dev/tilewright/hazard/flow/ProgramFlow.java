package dev.tilewright.hazard.flow;

import dev.tilewright.program.Operation;
import dev.tilewright.program.Procedure;
import dev.tilewright.program.Step;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.ExprSearch;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.expression.ValueSearch;
import dev.tilewright.ptx.Effects;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * Where a program's steps stand to each other: whether a thread that is at one may still come to another.
 */
public final class ProgramFlow {
    /** A step in its place. @param otherwise whether it is in the other body of the guard that it is in */
    private record Node(int number, Step step, Node parent, boolean otherwise) {
        boolean isWithin(Node outer) {
            for (Node at = this; at != null; at = at.parent) {
                if (at == outer) {
                    return true;
                }
            }
            return false;
        }
    }

    private final List<Node> nodes = new ArrayList<>();
    private final Definitions definitions = new Definitions();
    private final Set<Procedure> called = new HashSet<>();
    /** Calls of procedures that were called before: nothing is in them. */
    private final Map<Procedure, List<Node>> laterCalls = new HashMap<>();

    public ProgramFlow(TileProgram program) {
        add(program.body(), null, false);
    }

    private void add(List<Step> steps, Node parent, boolean otherwise) {
        for (Step step : steps) {
            Node node = new Node(nodes.size() + 1, step, parent, otherwise);
            nodes.add(node);
            switch (step.operation()) {
                case Operation.Guard(var _, List<Step> body, List<Step> rest) -> {
                    add(body, node, false);
                    add(rest, node, true);
                }
                case Operation.Call(Procedure procedure, var _) -> {
                    if (called.add(procedure)) {
                        add(procedure.body(), node, false);
                    } else {
                        laterCalls.computeIfAbsent(procedure, _ -> new ArrayList<>()).add(node);
                    }
                }
                case Operation.Let let -> definitions.add(let);
                case Operation.Issue issue -> definitions.add(issue);
                default -> step.operation().bodies().forEach(body -> add(body, node, false));
            }
        }
    }

    // ---- steps

    /** The operation of a step. @param step its number, from 1 */
    public Operation operation(int step) {
        return nodes.get(step - 1).step.operation();
    }

    /** The numbers of the steps whose operations are such, in order. */
    public List<Integer> steps(Predicate<Operation> wanted) {
        return nodes.stream().filter(n -> wanted.test(n.step.operation())).map(Node::number).toList();
    }

    /**
     * Whether a thread that is at one step may still perform another. What cannot be told is taken to be so.
     *
     * @param at where it is; 0 for before the first
     */
    public boolean mayStillPerform(ThreadValues thread, int at, int step) {
        return mayPerform(thread, step) && (at == 0 || mayFollow(at, step));
    }

    /** What an expression is for a thread; empty where that cannot be told before it runs. */
    public OptionalLong value(ThreadValues thread, Expr of) {
        return definitions.value(thread, of);
    }

    /** Whether any guard keeps a thread from a step, whatever happens. What cannot be told does not. */
    public boolean mayPerform(ThreadValues thread, int step) {
        for (Node n = nodes.get(step - 1); n.parent != null; n = n.parent) {
            if (n.parent.step.operation() instanceof Operation.Guard guard) {
                OptionalLong holds = definitions.value(thread, guard.condition());
                if (holds.isPresent() && holds.getAsLong() != 0 == n.otherwise) {
                    return false;
                }
            } else if (isCalledAgain(n.parent)) {
                return true;
            }
        }
        return true;
    }

    /** Whether every guard around a step is known to let a thread come to it. */
    public boolean surelyPerforms(ThreadValues thread, int step) {
        for (Node n = nodes.get(step - 1); n.parent != null; n = n.parent) {
            if (isCalledAgain(n.parent)) {
                return false;
            }
            if (n.parent.step.operation() instanceof Operation.Guard guard) {
                OptionalLong holds = definitions.value(thread, guard.condition());
                if (holds.isEmpty() || holds.getAsLong() != 0 == n.otherwise) {
                    return false;
                }
            }
        }
        return true;
    }

    private boolean isCalledAgain(Node node) {
        return node.step.operation() instanceof Operation.Call(Procedure p, var _) && laterCalls.containsKey(p);
    }

    private boolean mayFollow(int at, int step) {
        Node from = nodes.get(at - 1);
        Node to = nodes.get(step - 1);
        Node toChild = null;
        Node common = to;
        while (common != null && !from.isWithin(common)) {
            toChild = common;
            common = common.parent;
        }
        for (Node n = to; n != null; n = n.parent) {
            if (isCalledAgain(n) || n.step.operation().isLoop() && from.isWithin(n)) {
                return true;
            }
        }
        if (step <= at) {
            return false;
        }
        if (common == null || toChild == null || !(common.step.operation() instanceof Operation.Guard)) {
            return true;
        }
        Node fromChild = from;
        while (fromChild != common && fromChild.parent != common) {
            fromChild = fromChild.parent;
        }
        return fromChild == common || fromChild.otherwise == toChild.otherwise;
    }

    /** Whether a step, or a guard that it is in, needs what a step between another one and it defines. */
    public boolean needsWhatIsDefinedSince(int since, int step) {
        Set<Object> defined = new HashSet<>();
        nodes.subList(since, step - 1).forEach(n -> defined.addAll(n.step.operation().defines()));
        for (Node n = nodes.get(step - 1); n != null && n.number > since; n = n.parent) {
            if (n.step.operation().parts().anyMatch(e -> ExprSearch.any(e, defined::contains))) {
                return true;
            }
        }
        return false;
    }

    /** Whether two steps are in one loop, so that each comes before and after the other. */
    public boolean shareLoop(int a, int b) {
        Node other = nodes.get(b - 1);
        for (Node n = nodes.get(a - 1); n != null; n = n.parent) {
            if (n.step.operation().isLoop() && other.isWithin(n)) {
                return true;
            }
        }
        return false;
    }

    /**
     * The last step after one, in the same list of steps or within those in it, of which this holds, and before
     * another such list begins anew; 0 for none.
     */
    public int lastAfter(int step, Predicate<Operation> wanted) {
        Node from = nodes.get(step - 1);
        int last = 0;
        for (int i = step; i < nodes.size(); i++) {
            Node n = nodes.get(i);
            if (from.parent != null && (!n.isWithin(from.parent) || branch(n, from.parent) != from.otherwise)) {
                break;
            }
            if (wanted.test(n.step.operation())) {
                last = n.number;
            }
        }
        return last;
    }

    private static boolean branch(Node node, Node parent) {
        Node n = node;
        while (n.parent != parent) {
            n = n.parent;
        }
        return n.otherwise;
    }

    /** The last step before one, in the same list of steps or within those in it, of which this holds; 0 for none. */
    public int lastBefore(int step, Predicate<Operation> wanted) {
        Node from = nodes.get(step - 1);
        for (int i = step - 2; i >= 0; i--) {
            Node n = nodes.get(i);
            if (from.parent != null && (!n.isWithin(from.parent) || n == from.parent
                    || branch(n, from.parent) != from.otherwise)) {
                return 0;
            }
            if (wanted.test(n.step.operation())) {
                return n.number;
            }
        }
        return 0;
    }

    /** The innermost loop around a step; 0 for none. */
    public int loopAround(int step) {
        for (Node n = nodes.get(step - 1).parent; n != null; n = n.parent) {
            if (n.step.operation().isLoop()) {
                return n.number;
            }
        }
        return 0;
    }

    /** Whether there is a step of a kind between two, in the order in which they are written. */
    public boolean isBetween(int from, int until, Predicate<Operation> wanted) {
        return nodes.subList(Math.min(from, nodes.size()), Math.max(from, until - 1)).stream()
                .anyMatch(n -> wanted.test(n.step.operation()));
    }

    /** Whether there is a step between two, in the order in which they are written, of which this holds. */
    public boolean isAnyBetween(int from, int until, IntPredicate wanted) {
        return IntStream.range(from + 1, until).anyMatch(wanted);
    }

    /**
     * A step in the innermost list of steps that has two steps, or what they are in: where what is between them can be
     * put. 0 where they are in two branches of one guard.
     */
    public int placeBetween(int a, int b) {
        Node place = nodes.get(a - 1);
        Node other = nodes.get(b - 1);
        while (place.parent != null && !other.isWithin(place.parent)) {
            place = place.parent;
        }
        return areAlternatives(a, b) ? 0 : place.number;
    }

    /** Whether two steps are in different branches of one guard, so that a thread performs one of them at most. */
    public boolean areAlternatives(int a, int b) {
        Node other = nodes.get(b - 1);
        for (Node n = nodes.get(a - 1); n.parent != null; n = n.parent) {
            if (other != n.parent && other.isWithin(n.parent)) {
                return n.parent.step.operation() instanceof Operation.Guard && n.otherwise != branch(other, n.parent);
            }
        }
        return false;
    }

    /**
     * Whether a step comes before another one for threads that have passed a third one last: those after that come
     * first, and what is written before it belongs to the next turn of a loop.
     */
    public boolean comesBefore(int step, int other, int last) {
        return step > last == other > last ? step < other : step > last;
    }

    /** The step that a step is in; 0 for none. */
    public int around(int step) {
        Node parent = nodes.get(step - 1).parent;
        return parent == null ? 0 : parent.number;
    }

    /** The innermost guard around a step; 0 for none. */
    public int guardAround(int step) {
        for (int at = around(step); at != 0; at = around(at)) {
            if (operation(at) instanceof Operation.Guard) {
                return at;
            }
        }
        return 0;
    }

    /** Whether two steps are in the same list of steps, with no other between them. */
    public boolean areNeighbours(int first, int second) {
        Node a = nodes.get(first - 1);
        Node b = nodes.get(second - 1);
        if (a.parent != b.parent || a.otherwise != b.otherwise || second <= first) {
            return false;
        }
        for (int i = first; i < second - 1; i++) {
            if (!nodes.get(i).isWithin(a)) {
                return false;
            }
        }
        return true;
    }

    /** The last step within one, or that step where none is. */
    private int last(int step) {
        Node outer = nodes.get(step - 1);
        int last = step;
        while (last < nodes.size() && nodes.get(last).isWithin(outer)) {
            last++;
        }
        return last;
    }

    /** The step right behind one and all that is within it, in the same list of steps; 0 for none. */
    public int behind(int step) {
        int next = last(step) + 1;
        return next <= nodes.size() && areNeighbours(step, next) ? next : 0;
    }

    /** Whether an expression is within the address of shared memory that a step works on. */
    public boolean mentions(int step, Expr e) {
        return definitions.isWithin(operation(step).addresses().stream().filter(Address.Shared.class::isInstance)
                .map(a -> ((Address.Shared) a).byteOffset()).toList(), e);
    }

    /** What the program's variables stand for. */
    public Definitions definitions() {
        return definitions;
    }

    /**
     * The step that loads what another one stores back to the same place, changed, so that the two are no one update;
     * 0 for none.
     */
    public int loadOfUpdate(int store) {
        return operation(store) instanceof Operation.Storing s
                ? lastBefore(store, o -> o instanceof Operation.LoadValues l
                && l.from().equals(s.to()) && s.parts().anyMatch(v -> ValueSearch.any(v,
                        part -> part instanceof Value.Element(Register r, var _) && r.equals(l.register())))) : 0;
    }

    /** Whether a step may write a buffer of shared memory. */
    static boolean writesShared(Operation operation, Object buffer) {
        return operation.accesses().stream().anyMatch(a -> a.mode() != Effects.Mode.READ)
                && operation.addresses().stream().anyMatch(a -> a instanceof Address.Shared s
                && buffer.equals(s.buffer()));
    }
}

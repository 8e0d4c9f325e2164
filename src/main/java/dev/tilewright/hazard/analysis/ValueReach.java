package dev.tilewright.hazard.analysis;

import dev.tilewright.program.Operation;
import dev.tilewright.program.Step;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.ExprSearch;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.expression.ValueSearch;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.Effects;
import dev.tilewright.ptx.copy.CopyInstruction;
import dev.tilewright.ptx.memory.Atom;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Where a value may end up in a program, by its text alone: through variables, fragments, memory, and what is set in
 * the branches that it decides, in any order of steps. Memory is told apart by buffers and pointers; an address that is
 * a number may be of any.
 */
record ValueReach(List<Step> steps) {
    /**
     * What a value may reach.
     *
     * @param conditions a branch, a loop, a poll, or how much a copy copies
     * @param swaps what a compare-and-swap compares with
     * @param memory bytes that something may read, except bytes that only conditions look at
     */
    record Ends(boolean conditions, boolean swaps, boolean memory) { }

    /** In place of a buffer or pointer: some memory. */
    private static final Object ANYWHERE = new Object();

    Ends from(List<Expr.Var> variables) {
        Search search = search(variables);
        return new Ends(search.conditions, search.swaps, search.memory);
    }

    /** Whether a value reaches one of the conditions. */
    boolean decidesAny(List<Expr.Var> variables, List<Expr> conditions) {
        return conditions.stream().anyMatch(search(variables)::holds);
    }

    private Search search(List<Expr.Var> variables) {
        Search search = new Search(variables);
        do {
            search.changed = false;
            steps.forEach(s -> search.visit(s.operation()));
        } while (search.changed);
        return search;
    }

    /** Whether two operations may touch the same buffer, or what the same pointer points to. */
    static boolean mayShareMemory(Operation a, Operation b) {
        return a.accesses().stream().anyMatch(x -> b.accesses().stream().anyMatch(
                y -> Search.mayBeSame(Search.memoryOf(a, x.operand()), Search.memoryOf(b, y.operand()))));
    }

    /** One value's way. */
    private static final class Search {
        /** Variables, fragments, buffers and pointers that may hold it. */
        private final Set<Object> holders;
        private boolean conditions;
        private boolean swaps;
        private boolean memory;
        private boolean changed;

        Search(List<Expr.Var> variables) {
            holders = new HashSet<>(variables);
        }

        void visit(Operation operation) {
            if (operation instanceof Operation.Call call) {
                for (int i = 0; i < call.arguments().size(); i++) {
                    passes(holds(call.arguments().get(i)), call.procedure().parameters().get(i));
                }
                return;
            }
            boolean holds = operation.parts().anyMatch(this::holds)
                    || operation.names().stream().anyMatch(holders::contains);
            if (holds && !operation.bodies().isEmpty()) {
                // What is set in a branch or a loop tells of what has decided on it.
                conditions = true;
                LoopEnds.within(operation).forEach(this::isSet);
            }
            conditions |= holds && (operation instanceof Operation.Poll
                    || operation instanceof Operation.Issue issue && issue.form() instanceof CopyInstruction);
            swaps |= holds && operation instanceof Operation.Issue(Atom a, var _, var _) && a.op() == AtomicOp.CAS;
            writes(holds, operation);
            passes(holds || readsHolder(operation), operation);
        }

        private void isSet(Operation operation) {
            writes(true, operation);
            operation.changes().forEach(part -> passes(true, part.register()));
        }

        private void writes(boolean does, Operation operation) {
            operation.accesses().stream().filter(Search::isWrite)
                    .forEach(a -> leaves(does, memoryOf(operation, a.operand())));
        }

        private void passes(boolean does, Operation operation) {
            operation.defines().forEach(thing -> passes(does, thing));
            operation.changes().forEach(part -> passes(does, part.register()));
        }

        private static boolean isWrite(Effects.Access access) {
            return access.mode() != Effects.Mode.READ && !access.operand().equals("mbar");
        }

        private boolean readsHolder(Operation operation) {
            return operation.accesses().stream().anyMatch(a -> a.mode() != Effects.Mode.WRITE
                    && isHolder(memoryOf(operation, a.operand())));
        }

        private void passes(boolean does, Object holder) {
            if (does) {
                changed |= holders.add(holder);
            }
        }

        private void leaves(boolean does, Object to) {
            if (does) {
                memory = true;
                changed |= holders.add(to);
            }
        }

        /** Whether it may be in some memory. */
        private boolean isHolder(Object of) {
            return holders.contains(of) || memory && (of == ANYWHERE || holders.contains(ANYWHERE));
        }

        private boolean holds(Expr e) {
            return ExprSearch.any(e, part -> holders.contains(part)
                    || part instanceof Expr.OfValue(Value value) && holds(value));
        }

        private boolean holds(Value value) {
            return ValueSearch.any(value, v -> switch (v) {
                case Value.Element(Register register, Expr _) -> holders.contains(register);
                case Value.Index(Expr e) -> holds(e);
                default -> false;
            });
        }

        private static boolean mayBeSame(Object a, Object b) {
            return a == ANYWHERE || b == ANYWHERE || a.equals(b);
        }

        private static Object memoryOf(Operation operation, String operand) {
            return operation.given(operand).filter(Input.Place.class::isInstance).flatMap(Input::place)
                    .flatMap(Address::memory).orElse(ANYWHERE);
        }
    }
}

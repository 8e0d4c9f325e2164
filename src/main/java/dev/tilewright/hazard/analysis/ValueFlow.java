package dev.tilewright.hazard.analysis;

import dev.tilewright.program.Operation;
import dev.tilewright.program.Step;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.ExprSearch;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.MapSource;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.expression.ValueSearch;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.Effects;
import dev.tilewright.ptx.PtxInstruction;
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
record ValueFlow(List<Step> steps) {
    /**
     * What a value may reach.
     *
     * @param conditions a branch, a loop, a poll, or how much a copy copies
     * @param swaps what a compare-and-swap compares with
     * @param memory bytes that something may read, but for those that only conditions look at
     */
    record Ends(boolean conditions, boolean swaps, boolean memory) {
    }

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

    /** Whether two instructions may touch the same buffer, or what the same pointer points to. */
    static boolean mayShareMemory(Operation.Instruction a, Operation.Instruction b) {
        return a.form().effects().accesses().stream().anyMatch(x -> b.form().effects().accesses().stream().anyMatch(
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
            switch (operation) {
                case Operation.Let(Expr.Var v, Expr value) -> passes(holds(value), v);
                case Operation.Loop loop ->
                        decides(holds(loop.from()) || holds(loop.until()) || holds(loop.by()), loop);
                case Operation.While loop -> decides(holds(loop.condition()), loop);
                case Operation.Guard guard -> decides(holds(guard.condition()), guard);
                case Operation.Declare declare -> passes(declare.initial().filter(this::holds).isPresent(),
                        declare.register());
                case Operation.Assign assign -> passes(holds(assign.value()), assign.register());
                case Operation.LoadValues load -> passes(holdsAt(load.from()), load.register());
                case Operation.StoreValues store -> leaves(store.values().stream().anyMatch(this::holds)
                        || holds(store.to().numbers().getFirst()), store.to().memory());
                case Operation.Call call -> {
                    for (int i = 0; i < call.arguments().size(); i++) {
                        passes(holds(call.arguments().get(i)), call.procedure().parameters().get(i));
                    }
                }
                case Operation.SyncThreads _, Operation.Break _ -> { }
                case Operation.Load(var fragment, Address from) -> passes(holdsAt(from), fragment);
                case Operation.Store(Address to, var fragment) ->
                        leaves(holders.contains(fragment) || holds(to.numbers().getFirst()), to.memory());
                case Operation.Poll poll -> {
                    conditions |= poll.inputs().stream().anyMatch(this::holds);
                    if (poll.until() instanceof Operation.Until.Holds(Expr.Var v, Expr condition)) {
                        conditions |= holds(condition);
                        passes(readsHolder(poll), v);
                    }
                }
                case Operation.Issue issue -> visit(issue);
            }
        }

        /** What is set in a branch or a loop tells of what has decided on it. */
        private void decides(boolean does, Operation operation) {
            if (does) {
                conditions = true;
                LoopEnds.within(operation).forEach(this::isSet);
            }
        }

        private void isSet(Operation operation) {
            switch (operation) {
                case Operation.Assign assign -> passes(true, assign.register());
                case Operation.StoreValues store -> leaves(true, store.to().memory());
                case Operation.Store store -> leaves(true, store.to().memory());
                case Operation.Issue issue -> issue.form().effects().accesses().stream().filter(Search::isWrite)
                        .forEach(a -> leaves(true, memoryOf(issue, a.operand())));
                default -> { }
            }
        }

        private static boolean isWrite(Effects.Access access) {
            return access.mode() != Effects.Mode.READ && !access.operand().equals("mbar");
        }

        private void visit(Operation.Issue issue) {
            PtxInstruction form = issue.form();
            boolean holds = issue.inputs().stream().anyMatch(this::holds);
            if (holds && form instanceof CopyInstruction) {
                conditions = true;
            }
            if (holds && form instanceof Atom a && a.op() == AtomicOp.CAS) {
                swaps = true;
            }
            for (Effects.Access access : form.effects().accesses()) {
                if (isWrite(access)) {
                    leaves(holds, memoryOf(issue, access.operand()));
                }
            }
            boolean result = holds || readsHolder(issue);
            issue.results().forEach(v -> passes(result, v));
        }

        private boolean readsHolder(Operation.Instruction instruction) {
            return instruction.form().effects().accesses().stream().anyMatch(a -> a.mode() != Effects.Mode.WRITE
                    && isHolder(memoryOf(instruction, a.operand())));
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

        private boolean holdsAt(Address from) {
            return isHolder(from.memory()) || holds(from.numbers().getFirst());
        }

        /** Whether it may be in some memory. */
        private boolean isHolder(Object of) {
            return holders.contains(of) || memory && (of == ANYWHERE || holders.contains(ANYWHERE));
        }

        private boolean holds(Input input) {
            return switch (input) {
                case Input.Place(Address address) -> holds(address.numbers().getFirst());
                case Input.Map(MapSource.InMemory map) -> holds(map.at().numbers().getFirst());
                case Input.Map _ -> false;
                case Input.Number(Expr value) -> holds(value);
                case Input.Wide(Expr low, Expr high) -> holds(low) || holds(high);
                case Input.Registers(Register register, Expr _) -> holders.contains(register);
            };
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

        private static Object memoryOf(Operation.Instruction instruction, String operand) {
            try {
                return instruction.input(operand) instanceof Input.Place(Address address) ? address.memory()
                        : ANYWHERE;
            } catch (IllegalArgumentException e) {
                return ANYWHERE;
            }
        }
    }
}

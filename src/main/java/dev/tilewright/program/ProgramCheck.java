package dev.tilewright.program;

import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.ExprSearch;
import dev.tilewright.program.expression.Fragment;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.OutOfRegistersException;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedLayout;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.expression.ValueFunction;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Looks through the steps of a program for what is used where it is not defined, and for names that stand for two
 * things.
 */
final class ProgramCheck {
    /** Bodies, or functions that call one another, within each other: far more than a kernel has. */
    static final int DEEPEST = 100;
    private static final String STEPS = "steps are";
    private static final String STEPS_INSTEAD = "join conditions with and(), or put steps side by side";

    private final Set<Parameter> parameters;
    private final Set<SharedRegion> regions;
    /** Names of parameters, shared regions, constants and procedures, which generated code has once. */
    private final Map<String, Object> declared = new HashMap<>();
    /** Variables and fragments that are defined at the present step. */
    private Set<Object> visible = new HashSet<>();
    /** What is in {@link #visible}, in the order of definition: the innermost list of steps defines the last. */
    private final List<Object> defined = new ArrayList<>();
    private final long blockThreads;
    private final boolean clusters;
    /** Registers that never change, and variables of unrolled loops. */
    private final Set<Object> constant = new HashSet<>();
    /** Whether the present step is within a loop. */
    private boolean inLoop;
    /** Bodies and functions around the present step. */
    private int depth;
    /** What is wrong, and at which step; null as long as nothing is. */
    private IllegalArgumentException placed;

    ProgramCheck(List<Parameter> parameters, SharedLayout shared, Dim3 block, boolean clusters) {
        this.blockThreads = block.count();
        this.clusters = clusters;
        this.parameters = Set.copyOf(parameters);
        this.regions = Set.copyOf(shared.regions());
        parameters.forEach(p -> declareNew(p.name(), p));
        shared.regions().forEach(r -> declareNew(r.name(), r));
    }

    void check(List<Step> steps) {
        enter(STEPS, STEPS_INSTEAD);
        int outer = defined.size();
        for (Step step : steps) {
            try {
                check(step.operation());
            } catch (IllegalArgumentException e) {
                if (e != placed) {
                    placed = new IllegalArgumentException(e.getMessage() + " (step: " + step.purpose()
                            + step.javaLine().map(line -> ", added at " + line).orElse("") + ")", e);
                }
                throw placed;
            }
        }
        undefine(outer);
        depth--;
    }

    /** Takes back what was defined last. @param outer how many definitions stay */
    private void undefine(int outer) {
        while (defined.size() > outer) {
            visible.remove(defined.removeLast());
        }
    }

    private void enter(String what, String instead) {
        if (++depth > DEEPEST) {
            throw tooDeep(what, instead);
        }
    }

    static IllegalArgumentException stepsTooDeep() {
        return tooDeep(STEPS, STEPS_INSTEAD);
    }

    private static IllegalArgumentException tooDeep(String what, String instead) {
        return new IllegalArgumentException(what + " nested more than " + DEEPEST
                + " deep, the kernel's own body counted: " + instead);
    }

    private void check(Operation operation) {
        operation.addresses().forEach(this::requireMemory);
        operation.names().forEach(this::requireKnown);
        // The condition of a poll is on what the poll defines.
        Stream<Value> values = operation instanceof Operation.Poll poll
                ? poll.inputs().stream().flatMap(Input::parts) : operation.parts();
        values.forEach(this::check);
        operation.changes().forEach(this::requireChangeable);
        operation.defines().forEach(thing -> define(thing, nameOf(thing)));
        if (!inLoop && operation.bodies().isEmpty() && operation.endsTurn()) {
            throw new IllegalArgumentException("there is no loop around it to " + operation.summary());
        }
        switch (operation) {
            case Operation.Loop loop -> {
                define(loop.variable(), loop.variable().name());
                if (loop.unrolled()) {
                    constant.add(loop.variable());
                }
                checkLoop(loop.body());
                visible.remove(loop.variable());
            }
            case Operation.While loop -> checkLoop(loop.body());
            case Operation.Poll poll when poll.until() instanceof Operation.Until.Holds holds ->
                    check(holds.condition());
            case Operation.Declare declare when declare.constant() -> constant.add(declare.register());
            case Operation.Call call -> checkProcedure(call.procedure());
            case Operation.SyncThreads(int threads) when threads != 0 && threads != blockThreads ->
                    throw new IllegalArgumentException("this step is for blocks of " + threads + " threads, and those "
                            + "of the kernel have " + blockThreads + ": give both the same number");
            default -> operation.bodies().forEach(this::check);
        }
    }

    private void checkLoop(List<Step> body) {
        boolean outer = inLoop;
        inLoop = true;
        check(body);
        inLoop = outer;
    }

    private static String nameOf(Object thing) {
        return switch (thing) {
            case Expr.Var v -> v.name();
            case Register r -> r.name();
            case Fragment f -> f.name();
            default -> throw new IllegalArgumentException("no name is known of " + thing);
        };
    }

    private void requireKnown(Object thing) {
        if (thing instanceof Parameter parameter) {
            requireDeclared(parameter);
        } else {
            requireVisible(thing, nameOf(thing));
        }
    }

    private void requireChangeable(Operation.Written part) {
        checkElement(part.register(), part.first());
        if (constant.contains(part.register())) {
            throw new IllegalArgumentException("'" + part.register().name() + "' names a value and does not change: "
                    + "make a variable, with Body.variable");
        }
    }

    private void checkElement(Register register, Expr index) {
        requireVisible(register, register.name());
        check(index);
        if (ExprSearch.any(index, e -> !isStatic(e))) {
            throw new IllegalArgumentException("which element of '" + register.name()
                    + "' is meant must be known when the "
                    + "kernel is compiled: use constants and variables of unrolled loops (Body.unrolled)");
        }
    }

    private boolean isStatic(Expr e) {
        return switch (e) {
            case Expr.Var v -> constant.contains(v);
            case Expr.Builtin _, Expr.ParamValue _, Expr.DeviceAddress _, Expr.SharedAddress _, Expr.OfValue _ -> false;
            default -> true;
        };
    }

    private void check(Value value) {
        switch (value) {
            case Value.Index(Expr expr) -> check(expr);
            case Value.Scalar(Parameter.Scalar parameter) -> requireDeclared(parameter);
            case Value.Element(Register register, Expr index) -> checkElement(register, index);
            default -> value.parts().forEach(this::check);
        }
        if (value instanceof Value.Call call) {
            checkFunction(call.function());
        }
    }

    /** Once, however often it is called. */
    private void checkFunction(ValueFunction function) {
        if (declare(function.name(), function)) {
            enter("functions are", "compute a part before the call, and pass it");
            Set<Object> caller = visible;
            visible = new HashSet<>(function.parameters());
            int outer = defined.size();
            for (ValueFunction.Let let : function.lets()) {
                check(let.value());
                define(let.register(), let.register().name());
            }
            check(function.result());
            undefine(outer);
            visible = caller;
            depth--;
        }
    }

    /** Once, however often it is called. */
    private void checkProcedure(Procedure procedure) {
        if (declare(procedure.name(), procedure)) {
            Set<Object> caller = visible;
            visible = new HashSet<>(procedure.parameters());
            boolean outer = inLoop;
            inLoop = false;
            check(procedure.body());
            inLoop = outer;
            visible = caller;
        }
    }

    private void requireMemory(Address address) {
        address.memory().ifPresent(memory -> {
            if (memory instanceof SharedRegion region) {
                requireRegion(region);
            } else {
                requireDeclared((Parameter) memory);
            }
        });
        if (address.needsCluster()) {
            check(Expr.Builtin.CLUSTER_RANK);
        }
    }

    private void check(Expr e) {
        switch (e) {
            case Expr.Const _ -> { }
            case Expr.Named n -> declare(n.name(), n);
            case Expr.Builtin b -> {
                if (b.isOfClusters() && !clusters) {
                    throw new IllegalArgumentException(b
                            + " is for kernels that run in clusters, this one does not: give it "
                            + "clusters of 2 or more blocks");
                }
            }
            case Expr.Var v -> requireVisible(v, v.name());
            case Expr.ParamValue p -> requireDeclared(p.parameter());
            case Expr.DeviceAddress a -> requireDeclared(a.pointer());
            case Expr.SharedAddress a -> requireRegion(a.buffer());
            case Expr.Binary b -> {
                check(b.left());
                check(b.right());
            }
            case Expr.Compare c -> {
                check(c.left());
                check(c.right());
            }
            case Expr.And b -> {
                check(b.left());
                check(b.right());
            }
            case Expr.Select s -> {
                check(s.condition());
                check(s.yes());
                check(s.no());
            }
            case Expr.Or b -> {
                check(b.left());
                check(b.right());
            }
            case Expr.Not n -> check(n.condition());
            case Expr.Convert c -> check(c.value());
            case Expr.OfValue v -> check(v.value());
        }
    }

    private void define(Object thing, String name) {
        if (!visible.add(thing)) {
            throw new IllegalArgumentException("'" + name + "' is defined where it is defined already");
        }
        defined.add(thing);
        if (thing instanceof Register register && register.count() > 1) {
            int words = visible.stream().mapToInt(v -> v instanceof Register r && r.count() > 1 ? r.words() : 0).sum();
            if (words > Register.MOST) {
                throw new OutOfRegistersException("with '" + name + "' (" + register.words()
                        + " registers of 32 bits) the "
                        + "arrays of registers here need " + words + ", and a thread has " + Register.MOST
                        + ": use smaller tiles, or keep a part in shared memory", words);
            }
        }
    }

    private void declareNew(String name, Object thing) {
        if (!declare(name, thing)) {
            throw new IllegalArgumentException("the name '" + name + "' is given twice");
        }
    }

    /** @return whether it is new @throws IllegalArgumentException if the name is that of something else */
    private boolean declare(String name, Object thing) {
        Object before = declared.putIfAbsent(name, thing);
        if (before != null && !before.equals(thing)) {
            throw new IllegalArgumentException("the name '" + name + "' is given to two things: " + title(before)
                    + " and " + title(thing));
        }
        return before == null;
    }

    private static String title(Object thing) {
        return switch (thing) {
            case Parameter _ -> "a parameter";
            case SharedRegion _ -> "shared memory";
            case Procedure _ -> "a procedure";
            case ValueFunction _ -> "a function";
            case Expr.Named n -> "the constant " + n.value().value();
            default -> thing.toString();
        };
    }

    private void requireVisible(Object thing, String name) {
        if (!visible.contains(thing)) {
            throw new IllegalArgumentException("'" + name + "' is used where it is not defined");
        }
    }

    private void requireDeclared(Parameter parameter) {
        if (!parameters.contains(parameter)) {
            throw new IllegalArgumentException("'" + parameter.name() + "' is not a parameter of this kernel");
        }
    }

    private static String sizeOf(SharedRegion region) {
        return switch (region) {
            case SharedRegion.Buffer b -> b.bytes() + " bytes, aligned to " + b.alignment();
            case SharedRegion.Barriers b -> b.count() == 1 ? "1 barrier" : b.count() + " barriers";
        };
    }

    private void requireRegion(SharedRegion region) {
        if (!regions.contains(region)) {
            throw new IllegalArgumentException(declared.get(region.name()) instanceof SharedRegion other
                    ? "two regions of shared memory are called '" + region.name() + "': this kernel's layout has "
                    + sizeOf(other)
                            + ", and the step means one of " + sizeOf(region) + ", which is not in it: give each a "
                            + "name of its own"
                    : "'" + region.name() + "' is not in this kernel's shared memory");
        }
    }
}

package dev.tilewright.emit;

import dev.tilewright.program.Operation;
import dev.tilewright.program.Procedure;
import dev.tilewright.program.Step;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.program.expression.Value;
import dev.tilewright.program.expression.ValueSearch;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Which of a kernel's parameters, shared regions and named constants its steps use, and whether threads' numbers. */
final class Captures {
    private final Set<Parameter> parameters = new LinkedHashSet<>();
    private final Set<SharedRegion> regions = new LinkedHashSet<>();
    private final Set<Expr.Named> constants = new LinkedHashSet<>();
    /** Variables, registers and fragments whose value, or place, is used. */
    private final Set<Object> read = new HashSet<>();
    private final Set<Procedure> called = new HashSet<>();
    private boolean threadNumber;

    private Captures() {
    }

    /** Finds what these steps, and the procedures that they call, use. */
    static Captures of(List<Step> steps) {
        Captures captures = new Captures();
        captures.add(steps);
        return captures;
    }

    boolean has(Parameter parameter) {
        return parameters.contains(parameter);
    }

    boolean has(SharedRegion region) {
        return regions.contains(region);
    }

    /**
     * Whether the value of a variable, register or fragment is used: what is only written draws a compiler's warning.
     */
    boolean reads(Object thing) {
        return read.contains(thing);
    }

    /** In the order of their first use. */
    Set<Expr.Named> constants() {
        return constants;
    }

    boolean hasThreadNumber() {
        return threadNumber;
    }

    private void add(List<Step> steps) {
        steps.forEach(step -> add(step.operation()));
    }

    private void add(Operation operation) {
        operation.addresses().forEach(address -> address.memory().ifPresent(this::use));
        operation.names().forEach(this::use);
        operation.parts().forEach(this::add);
        if (!(operation instanceof Operation.Call call) || called.add(call.procedure())) {
            operation.bodies().forEach(this::add);
        }
    }

    private void use(Object thing) {
        switch (thing) {
            case Parameter parameter -> parameters.add(parameter);
            case SharedRegion region -> regions.add(region);
            default -> read.add(thing);
        }
    }

    private void add(Value value) {
        ValueSearch.any(value, v -> {
            switch (v) {
                case Value.Scalar(Parameter.Scalar parameter) -> parameters.add(parameter);
                case Value.Index(Expr e) -> add(e);
                case Value.Element(Register register, Expr index) -> {
                    read.add(register);
                    add(index);
                }
                default -> { }
            }
            return false;
        });
    }

    private void add(Expr e) {
        switch (e) {
            case Expr.Const _ -> { }
            case Expr.Var v -> read.add(v);
            case Expr.Builtin b -> threadNumber |= b == Expr.Builtin.THREAD_NUMBER;
            case Expr.Named n -> constants.add(n);
            case Expr.ParamValue p -> parameters.add(p.parameter());
            case Expr.DeviceAddress a -> parameters.add(a.pointer());
            case Expr.SharedAddress a -> regions.add(a.buffer());
            case Expr.Binary b -> {
                add(b.left());
                add(b.right());
            }
            case Expr.Compare c -> {
                add(c.left());
                add(c.right());
            }
            case Expr.And b -> {
                add(b.left());
                add(b.right());
            }
            case Expr.Select s -> {
                add(s.condition());
                add(s.yes());
                add(s.no());
            }
            case Expr.Or b -> {
                add(b.left());
                add(b.right());
            }
            case Expr.Not n -> add(n.condition());
            case Expr.Convert c -> add(c.value());
            case Expr.OfValue v -> add(v.value());
        }
    }
}

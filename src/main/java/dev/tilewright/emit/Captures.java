package dev.tilewright.emit;

import dev.tilewright.program.Address;
import dev.tilewright.program.Expr;
import dev.tilewright.program.Input;
import dev.tilewright.program.MapSource;
import dev.tilewright.program.Operation;
import dev.tilewright.program.Parameter;
import dev.tilewright.program.SharedRegion;
import dev.tilewright.program.Step;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Which of a kernel's parameters, shared regions and named constants its steps use. */
final class Captures {
    private final Set<Parameter> parameters = new LinkedHashSet<>();
    private final Set<SharedRegion> regions = new LinkedHashSet<>();
    private final Set<Expr.Named> constants = new LinkedHashSet<>();

    private Captures() {
    }

    /** What these steps use, and those of the procedures that they call. */
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

    /** In the order of their first use. */
    Set<Expr.Named> constants() {
        return constants;
    }

    private void add(List<Step> steps) {
        steps.forEach(step -> add(step.operation()));
    }

    private void add(Operation operation) {
        switch (operation) {
            case Operation.Let let -> add(let.value());
            case Operation.Loop loop -> {
                add(loop.from());
                add(loop.until());
                add(loop.by());
            }
            case Operation.Guard guard -> add(guard.condition());
            case Operation.Call call -> call.arguments().forEach(this::add);
            case Operation.SyncThreads _ -> { }
            case Operation.Load load -> add(load.from());
            case Operation.Store store -> add(store.to());
            case Operation.Apply apply -> parameters.add(apply.scalar());
            case Operation.Issue issue -> issue.inputs().forEach(this::add);
            case Operation.Poll poll -> {
                poll.inputs().forEach(this::add);
                if (poll.until() instanceof Operation.Until.Holds(var _, Expr condition)) {
                    add(condition);
                }
            }
        }
        operation.bodies().forEach(this::add);
    }

    private void add(Input input) {
        switch (input) {
            case Input.Place(Address address) -> add(address);
            case Input.Map(Parameter.TensorMap map) -> parameters.add(map);
            case Input.Map(MapSource.InMemory map) -> add(map.at());
            case Input.Number(Expr value) -> add(value);
            case Input.Wide(Expr low, Expr high) -> {
                add(low);
                add(high);
            }
        }
    }

    private void add(Address address) {
        switch (address) {
            case Address.Shared(SharedRegion.Buffer buffer, Expr offset) -> {
                regions.add(buffer);
                add(offset);
            }
            case Address.Barrier(SharedRegion.Barriers barriers, Expr index) -> {
                regions.add(barriers);
                add(index);
            }
            case Address.Global(Parameter.Pointer pointer, Expr offset) -> {
                parameters.add(pointer);
                add(offset);
            }
            case Address.MapBytes(Parameter.TensorMap map, Expr offset) -> {
                parameters.add(map);
                add(offset);
            }
        }
    }

    private void add(Expr e) {
        switch (e) {
            case Expr.Const _, Expr.Builtin _, Expr.Var _ -> { }
            case Expr.Named n -> constants.add(n);
            case Expr.ParamValue p -> parameters.add(p.parameter());
            case Expr.DeviceAddress a -> parameters.add(a.pointer());
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
            case Expr.Convert c -> add(c.value());
        }
    }
}

package dev.tilewright.program;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Looks through the steps of a program for names that are used before they are defined, or defined twice. */
final class ProgramCheck {
    private final Set<Parameter> parameters;
    private final Set<SharedRegion> regions;
    /** Every name that generated code gives to something, so that no two things share one. */
    private final Set<String> taken = new HashSet<>();
    /** Functions that generated code calls. */
    private final Set<String> functions = new TreeSet<>();
    /** What is defined at the present step: variables, fragments, tokens. */
    private final Set<Object> visible = new HashSet<>();

    private final boolean clusters;

    ProgramCheck(String kernel, List<Parameter> parameters, SharedLayout shared, boolean clusters) {
        this.clusters = clusters;
        this.parameters = Set.copyOf(parameters);
        this.regions = Set.copyOf(shared.regions());
        take(kernel);
        parameters.forEach(p -> take(p.name()));
        shared.regions().forEach(r -> take(r.name()));
    }

    void checkBody(List<Step> body) {
        check(body);
        functions.stream().filter(taken::contains).findFirst().ifPresent(name -> {
            throw new IllegalArgumentException("the name '" + name
                    + "' is that of a function in this kernel's generated code: choose another");
        });
    }

    private void check(List<Step> steps) {
        Set<Object> outer = Set.copyOf(visible);
        for (Step step : steps) {
            try {
                check(step.operation());
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(e.getMessage() + " (step: " + step.purpose() + ")", e);
            }
        }
        visible.retainAll(outer);
    }

    private void check(Operation operation) {
        switch (operation) {
            case Operation.Let(Expr.Var variable, Expr value) -> {
                check(value);
                define(variable, variable.name());
            }
            case Operation.Loop(Expr.Var variable, Expr from, Expr until, Expr by, List<Step> body) -> {
                check(from);
                check(until);
                check(by);
                define(variable, variable.name());
                check(body);
                visible.remove(variable);
            }
            case Operation.Guard(Expr condition, List<Step> body, List<Step> otherwise) -> {
                check(condition);
                check(body);
                check(otherwise);
            }
            case Operation.SyncThreads() -> { }
            case Operation.Load(Fragment fragment, Address from) -> {
                check(from);
                define(fragment, fragment.name());
            }
            case Operation.Store(Address to, Fragment fragment) -> {
                check(to);
                requireVisible(fragment, fragment.name());
            }
            case Operation.Apply(Fragment fragment, ElementStep step, Parameter.Scalar scalar) -> {
                functions.add(step.functionName(fragment.type()));
                requireVisible(fragment, fragment.name());
                requireDeclared(scalar);
            }
            case Operation.Instruction instruction -> check(instruction);
        }
    }

    private void check(Operation.Instruction instruction) {
        functions.add(instruction.form().functionName());
        switch (instruction) {
            case Operation.WaitUntil w -> {
                check(w.from());
                define(w.value(), w.value().name());
                check(w.condition());
            }
            case Operation.Perform p -> {
                p.inputs().forEach(this::check);
                p.results().forEach(r -> define(r, r.name()));
                if (p.results().size() > 1) {
                    // Generated code takes several results in variables of these names first.
                    p.results().forEach(r -> take(r.name() + "_out"));
                }
            }
            case Operation.CpAsyncCopy c -> {
                check(c.to());
                check(c.from());
                c.sourceBytes().ifPresent(this::check);
            }
            case Operation.BulkLoadCopy c -> {
                check(c.to());
                check(c.from());
                check(c.bytes());
                check(c.barrier());
            }
            case Operation.BulkStoreCopy c -> {
                check(c.to());
                check(c.from());
                check(c.bytes());
            }
            case Operation.TensorLoadBox c -> {
                check(c.to());
                check(c.map());
                c.coordinates().forEach(this::check);
                check(c.barrier());
            }
            case Operation.TensorStoreBox c -> {
                check(c.map());
                c.coordinates().forEach(this::check);
                check(c.from());
            }
            case Operation.BarrierInit c -> check(c.barrier());
            case Operation.Arrive c -> {
                check(c.barrier());
                c.token().ifPresent(t -> define(t, t.name()));
            }
            case Operation.ArriveExpectTx c -> {
                check(c.barrier());
                check(c.bytes());
                c.token().ifPresent(t -> define(t, t.name()));
            }
            case Operation.ExpectTx c -> {
                check(c.barrier());
                check(c.bytes());
            }
            case Operation.WaitToken c -> {
                check(c.barrier());
                requireVisible(c.token(), c.token().name());
            }
            case Operation.WaitParity c -> {
                check(c.barrier());
                check(c.parity());
            }
            case Operation.ReplaceMapField c -> {
                check(c.map());
                c.edit().value().ifPresent(this::check);
            }
            case Operation.PublishMap c -> {
                check(c.to());
                check(c.from());
            }
            case Operation.AcquireMap c -> check(c.map());
            case Operation.ReleaseMap c -> check(c.map());
            case Operation.PrefetchMap c -> check(c.map());
            case Operation.CpAsyncCommit _, Operation.CpAsyncWait _, Operation.BulkCommit _, Operation.BulkWait _,
                    Operation.ProxyFence _, Operation.BarrierInitFence _ -> { }
        }
    }

    private void check(Address address) {
        switch (address) {
            case Address.Shared(SharedRegion.Buffer buffer, Expr offset) -> {
                requireRegion(buffer);
                check(offset);
            }
            case Address.Global(Parameter.Pointer pointer, Expr offset) -> {
                requireDeclared(pointer);
                check(offset);
            }
            case Address.Barrier(SharedRegion.Barriers barriers, Expr index) -> {
                requireRegion(barriers);
                check(index);
            }
            case Address.MapBytes(Parameter.TensorMap map, Expr offset) -> {
                requireDeclared(map);
                check(offset);
            }
        }
    }

    private void check(Input input) {
        switch (input) {
            case Input.Place(Address address) -> check(address);
            case Input.Map(MapSource map) -> check(map);
            case Input.Number(Expr value) -> check(value);
            case Input.Wide(Expr low, Expr high) -> {
                check(low);
                check(high);
            }
        }
    }

    private void check(MapSource map) {
        switch (map) {
            case Parameter.TensorMap p -> requireDeclared(p);
            case MapSource.InMemory m -> check(m.at());
        }
    }

    private void check(Expr e) {
        switch (e) {
            case Expr.Const _ -> { }
            case Expr.Builtin b -> {
                if (b.isOfClusters() && !clusters) {
                    throw new IllegalArgumentException(b + " is for kernels that run in clusters, this one does not: give it "
                            + "clusters of 2 or more blocks");
                }
            }
            case Expr.Var v -> requireVisible(v, v.name());
            case Expr.ParamValue p -> requireDeclared(p.parameter());
            case Expr.DeviceAddress a -> requireDeclared(a.pointer());
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
            case Expr.Convert c -> check(c.value());
        }
    }

    private void define(Object thing, String name) {
        take(name);
        visible.add(thing);
    }

    private void take(String name) {
        if (!taken.add(name)) {
            throw new IllegalArgumentException("the name '" + name + "' is given twice");
        }
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

    private void requireRegion(SharedRegion region) {
        if (!regions.contains(region)) {
            throw new IllegalArgumentException("'" + region.name() + "' is not in this kernel's shared memory");
        }
    }
}

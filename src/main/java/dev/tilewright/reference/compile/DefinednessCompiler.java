package dev.tilewright.reference.compile;

import dev.tilewright.program.Operation;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Fragment;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.Parameter;
import dev.tilewright.program.expression.Register;
import dev.tilewright.program.expression.Value;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.Space;
import dev.tilewright.ptx.cluster.Getctarank;
import dev.tilewright.ptx.cluster.Mapa;
import dev.tilewright.ptx.copy.RedAsync;
import dev.tilewright.ptx.copy.StAsync;
import dev.tilewright.ptx.mbarrier.MbarrierPendingCount;
import dev.tilewright.ptx.memory.AddressConversion;
import dev.tilewright.ptx.memory.Atom;
import dev.tilewright.ptx.memory.Ld;
import dev.tilewright.ptx.memory.Red;
import dev.tilewright.ptx.memory.St;
import dev.tilewright.ptx.mma.MmaInstruction;
import dev.tilewright.ptx.tensormap.TensormapReplace;
import dev.tilewright.ptx.warp.Ldmatrix;
import dev.tilewright.ptx.warp.MatchSync;
import dev.tilewright.ptx.warp.ReduxSync;
import dev.tilewright.ptx.warp.ShflSync;
import dev.tilewright.ptx.warp.Stmatrix;
import dev.tilewright.ptx.warp.VoteSync;
import dev.tilewright.reference.code.IndexCode;
import dev.tilewright.reference.code.SuspectValue;
import dev.tilewright.reference.observe.ExecutionObserver.Reach;
import dev.tilewright.reference.op.ControlOps;
import dev.tilewright.reference.op.LaneOps;
import dev.tilewright.reference.op.MatrixOps;
import dev.tilewright.reference.op.MmaOps;
import dev.tilewright.reference.op.Op;
import dev.tilewright.reference.op.Site;
import dev.tilewright.reference.op.SuspectLet;
import dev.tilewright.reference.op.ValueFlow;
import dev.tilewright.reference.op.Watched.After;
import dev.tilewright.reference.op.Watched.Use;
import dev.tilewright.reference.op.Watched;
import dev.tilewright.reference.state.Slots;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Follows values that come from bytes which nothing has written, in a run that is watched: what may hold such a value
 * is known here, by the program's text, and only operations that have to do with it are watched. What may be undefined
 * are fragments and results that are loaded from shared memory, and what is computed from them.
 *
 * <p>The rules are those of Valgrind's memcheck: a value may be moved and computed on; it is a mistake where it reaches
 * global memory, an address or a branch. Through shared memory it is followed.
 */
final class DefinednessCompiler {
    private static final SuspectValue[] NONE = {};

    private final Slots slots;
    private final DefinednessOfExpr definedness;
    private final ValueCompiler values;
    /** Variables and fragments that may be undefined. */
    private final Set<Object> suspects = new HashSet<>();

    DefinednessCompiler(ExprCompiler expressions, Slots slots) {
        this.slots = slots;
        this.values = expressions.values();
        this.definedness = new DefinednessOfExpr(expressions, slots, suspects);
    }

    private boolean isSuspect(Expr e) {
        return !definedness.isDefined(e);
    }

    /** The operation of a step that has no steps within, as it is watched; the same where there is nothing to watch. */
    Op watch(Operation operation, Site site, Op op) {
        return switch (operation) {
            case Operation.Let(Expr.Var variable, Expr value) -> let(variable, of(value), site, op);
            case Operation.Declare(Register register, Optional<Value> initial, boolean constant) ->
                    declare(register, initial, constant, site, op);
            case Operation.Assign a -> {
                SuspectValue value = definedness.of(a.value());
                yield new Watched(op, site, List.of(), ValueFlow.assign(slot(a.register(), a.index(), 1), value));
            }
            case Operation.LoadValues l -> new Watched(op, site, uses(l.from()),
                    !(l.from().memory().orElse(null) instanceof Parameter)
                            ? ValueFlow.loadValues(slot(l.register(), l.first(), l.count()), l.count(),
                                    l.register().type().bytes())
                            : ValueFlow.defined(slot(l.register(), l.first(), l.count()), l.count()));
            case Operation.StoreValues s -> {
                SuspectValue[] stored = s.values().stream().map(definedness::of).toArray(SuspectValue[]::new);
                boolean any = List.of(stored).stream().anyMatch(v -> v != DefinednessOfExpr.DEFINED);
                yield watched(op, site, uses(s.to()), any ? ValueFlow.storeValues(stored, s.type().bytes())
                        : ValueFlow.nothing(), any);
            }
            case Operation.Load(Fragment fragment, Address from) -> {
                List<Use> uses = uses(from);
                if (!(from instanceof Address.Shared)) {
                    yield watched(op, site, uses, ValueFlow.nothing());
                }
                suspects.add(fragment);
                yield new Watched(op, site, uses, ValueFlow.load(slots.of(fragment), fragment.bytes()));
            }
            case Operation.Store(Address to, Fragment fragment) -> watched(op, site, uses(to),
                    suspects.contains(fragment) ? ValueFlow.store(slots.of(fragment), fragment.bytes())
                            : ValueFlow.nothing(),
                    suspects.contains(fragment));
            case Operation.Issue issue -> issue(issue, site, op);
            case Operation.Poll poll -> watched(op, site, uses(poll.form(), poll.inputs(), Set.of()),
                    ValueFlow.nothing());
            default -> {
                List<After> changes = operation.changes().stream().map(change -> ValueFlow.defined(
                        slot(change.register(), change.first(), change.count()), change.count())).toList();
                yield !operation.bodies().isEmpty() ? op : watched(op, site, operation.parts()
                        .flatMap(value -> use(value, Reach.OPERAND)).toList(),
                        (t, at) -> changes.forEach(change -> change.done(t, at)), !changes.isEmpty());
            }
        };
    }

    /** What changes may take an undefined value at any time; what does not is as its value is. */
    private Op declare(Register register, Optional<Value> initial, boolean constant, Site site, Op op) {
        SuspectValue value = initial.map(definedness::of).orElse(DefinednessOfExpr.DEFINED);
        if (!constant || value != DefinednessOfExpr.DEFINED) {
            suspects.add(register);
            return new Watched(op, site, List.of(), initial.isEmpty()
                    ? ValueFlow.unassigned(slots.of(register), register.count(), register.name())
                    : ValueFlow.fill(slots.of(register), register.count(), value));
        }
        return op;
    }

    private IndexCode slot(Register register, Expr index, int elements) {
        return values.slot(register, index, elements);
    }

    /** What of a number that an instruction is given may be undefined. */
    private SuspectValue of(Input input) {
        return input.place().isPresent() ? DefinednessOfExpr.DEFINED : input.parts().map(this::of)
                .filter(value -> value != DefinednessOfExpr.DEFINED).findFirst().orElse(DefinednessOfExpr.DEFINED);
    }

    private SuspectValue of(Value value) {
        return value instanceof Value.Index(Expr e) ? of(e) : definedness.of(value);
    }

    private Stream<Use> use(Value value, Reach reach) {
        return Stream.of(of(value)).filter(v -> v != DefinednessOfExpr.DEFINED).map(v -> new Use(v, reach));
    }

    /** What of an expression may be undefined. */
    SuspectValue of(Expr e) {
        return definedness.of(e);
    }

    /** A variable takes a value. */
    Op let(Expr.Var variable, SuspectValue value, Site site, Op op) {
        if (value == DefinednessOfExpr.DEFINED) {
            return op;
        }
        After flow = ValueFlow.let(slots.of(variable), value);
        suspects.add(variable);
        return new Watched(op instanceof ControlOps.Let let ? new SuspectLet(let, value) : op, site, List.of(), flow);
    }

    /** A branch, or the start of a loop. @param deciding what decides how it goes on */
    Op branch(Site site, Op op, Expr... deciding) {
        List<Use> uses = new ArrayList<>();
        for (Expr e : deciding) {
            if (isSuspect(e)) {
                uses.add(new Use(of(e), Reach.BRANCH));
            }
        }
        return watched(op, site, uses, ValueFlow.nothing());
    }

    private static Op watched(Op op, Site site, List<Use> uses, After after) {
        return watched(op, site, uses, after, false);
    }

    private static Op watched(Op op, Site site, List<Use> uses, After after, boolean moves) {
        return uses.isEmpty() && !moves ? op : new Watched(op, site, uses, after);
    }

    private List<Use> uses(Address address) {
        return address.parts().flatMap(value -> use(value, Reach.ADDRESS)).toList();
    }

    // ---- instructions

    private Op issue(Operation.Issue issue, Site site, Op op) {
        PtxInstruction form = issue.form();
        if (form instanceof MmaInstruction || form instanceof Ldmatrix || form instanceof Stmatrix) {
            return matrices(issue, site, op);
        }
        return switch (form) {
            case Ld f -> {
                After load = isPerhapsShared(f.space()) ? results(issue, f.type().bytes()) : null;
                yield watched(op, site, uses(form, issue.inputs(), Set.of()), load == null ? ValueFlow.nothing() : load,
                        load != null);
            }
            case St f -> moving(issue, site, op, Set.of("value"),
                    values -> ValueFlow.storeValues(values, f.type().bytes()));
            case Atom f -> update(issue, site, op, f.op(), f.type().bytes(), isPerhapsShared(f.space()));
            case Red f -> update(issue, site, op, f.op(), f.type().bytes(), isPerhapsShared(f.space()));
            case StAsync f -> moving(issue, site, op, names(form, "value"),
                    values -> ValueFlow.storeValues(values, f.type().bytes()));
            case RedAsync f -> moving(issue, site, op, names(form, "value"),
                    values -> ValueFlow.storeValues(values, f.type().bytes()));
            case ShflSync _, MatchSync _, ReduxSync _ -> together(issue, site, op, "value");
            case VoteSync _ -> together(issue, site, op, "predicate");
            case Mapa _, Getctarank _, AddressConversion _, MbarrierPendingCount _ -> computed(issue, site, op);
            case TensormapReplace _ -> watched(op, site, uses(form, issue.inputs(), Set.of("value")),
                    ValueFlow.nothing());
            default -> watched(op, site, uses(form, issue.inputs(), Set.of()), ValueFlow.nothing());
        };
    }

    /** Elements that are moved stay as undefined as they are; those of a product are so as what they are sums of. */
    private Op matrices(Operation.Issue issue, Site site, Op op) {
        List<Use> uses = uses(issue.form(), issue.inputs(), Set.of());
        return switch (op) {
            case MmaOps.Warp f -> new Watched(op, site, uses, f.definedness());
            case MmaOps.Warpgroup f -> new Watched(op, site, uses, f.definedness());
            case MmaOps.Transpose f -> new Watched(op, site, uses, f.definedness());
            case MatrixOps.Load f -> new Watched(op, site, uses, ValueFlow.loadMatrices(f));
            case MatrixOps.Store f -> new Watched(op, site, uses, ValueFlow.storeMatrices(f));
            default -> op;
        };
    }

    private static boolean isPerhapsShared(Space space) {
        return space != Space.GLOBAL;
    }

    /** What an instruction does with the values that it stores. */
    private interface Stores {
        After of(SuspectValue[] values);
    }

    private Op moving(Operation.Issue issue, Site site, Op op, Set<String> stored, Stores stores) {
        SuspectValue[] values = values(issue, stored);
        return watched(op, site, uses(issue.form(), issue.inputs(), stored), stores.of(values),
                isAnySuspect(issue, stored));
    }

    private Op update(Operation.Issue issue, Site site, Op op, AtomicOp how, int bytes, boolean shared) {
        Set<String> stored = Set.of("value", "replacement");
        List<Use> uses = uses(issue.form(), issue.inputs(), stored);
        boolean any = isAnySuspect(issue, stored);
        if (!shared && !any) {
            return watched(op, site, uses, ValueFlow.nothing());
        }
        SuspectValue[] values = any ? values(issue, stored) : NONE;
        int[] results = resultSlots(issue);
        return new Watched(op, site, uses, ValueFlow.update(results.length == 0 ? Slots.NONE : results[0], values,
                bytes, how == AtomicOp.EXCH));
    }

    /** What lanes hand in comes out in others, whichever step these take it in. */
    private Op together(Operation.Issue issue, Site site, Op op, String value) {
        if (!(op instanceof LaneOps.Together lanes)) {
            return op;
        }
        suspects.addAll(issue.results());
        SuspectValue handedIn = of(issue.input(value));
        return watched(lanes.watching(handedIn), site, uses(issue.form(), issue.inputs(), Set.of(value)),
                ValueFlow.nothing());
    }

    /** A result that is computed from the inputs alone. */
    private Op computed(Operation.Issue issue, Site site, Op op) {
        for (Input input : issue.inputs()) {
            SuspectValue value = of(input);
            if (value != DefinednessOfExpr.DEFINED && !issue.results().isEmpty()) {
                After flow = ValueFlow.result(slots.of(issue.results().getFirst()), value);
                suspects.add(issue.results().getFirst());
                return new Watched(op, site, List.of(), flow);
            }
        }
        return op;
    }

    private After results(Operation.Issue issue, int bytes) {
        int[] results = resultSlots(issue);
        return results.length == 0 ? null : ValueFlow.loadValue(results[0], bytes);
    }

    /** The slots of the results, which may be undefined from now on. */
    private int[] resultSlots(Operation.Issue issue) {
        suspects.addAll(issue.results());
        return issue.results().stream().mapToInt(slots::of).toArray();
    }

    private static Set<String> names(PtxInstruction form, String prefix) {
        Set<String> names = new HashSet<>();
        for (Operand o : form.inputs()) {
            if (o.name().matches(prefix + "\\d?")) {
                names.add(o.name());
            }
        }
        return names;
    }

    private boolean isAnySuspect(Operation.Issue issue, Set<String> names) {
        List<Operand> operands = issue.form().inputs();
        for (int i = 0; i < operands.size(); i++) {
            if (names.contains(operands.get(i).name())
                    && of(issue.inputs().get(i)) != DefinednessOfExpr.DEFINED) {
                return true;
            }
        }
        return false;
    }

    /** The values of these operands, in their order; of one that is defined nothing is undefined. */
    private SuspectValue[] values(Operation.Issue issue, Set<String> names) {
        List<SuspectValue> values = new ArrayList<>();
        List<Operand> operands = issue.form().inputs();
        for (int i = 0; i < operands.size(); i++) {
            if (names.contains(operands.get(i).name())) {
                values.add(of(issue.inputs().get(i)));
            }
        }
        return values.toArray(SuspectValue[]::new);
    }

    /** What operands decide, but for values that the instruction stores. */
    private List<Use> uses(PtxInstruction form, List<Input> inputs, Set<String> stored) {
        List<Use> uses = new ArrayList<>();
        List<Operand> operands = form.inputs();
        for (int i = 0; i < operands.size(); i++) {
            Operand operand = operands.get(i);
            switch (inputs.get(i)) {
                case Input.Place(Address address) -> uses.addAll(uses(address));
                case Input.Map _, Input.Registers _ -> { }
                case Input input when !stored.contains(operand.name()) ->
                        input.parts().flatMap(value -> use(value, reach(operand))).forEach(uses::add);
                case Input input when form instanceof TensormapReplace ->
                        input.parts().flatMap(value -> use(value, Reach.MEMORY)).forEach(uses::add);
                default -> { }
            }
        }
        return uses;
    }

    private static Reach reach(Operand operand) {
        return switch (operand.kind()) {
            case SHARED_ADDRESS, CLUSTER_ADDRESS, GLOBAL_ADDRESS, GLOBAL_DESTINATION, GENERIC_ADDRESS,
                    GENERIC_DESTINATION, TENSOR_MAP, COORDINATE -> Reach.ADDRESS;
            default -> Reach.OPERAND;
        };
    }
}

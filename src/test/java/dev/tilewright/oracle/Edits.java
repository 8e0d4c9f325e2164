package dev.tilewright.oracle;

import dev.tilewright.program.Operation;
import dev.tilewright.program.Step;
import dev.tilewright.program.expression.Address;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.Scope;
import dev.tilewright.ptx.cluster.BarrierClusterArrive;
import dev.tilewright.ptx.copy.BulkWaitGroup;
import dev.tilewright.ptx.copy.CpAsyncWaitGroup;
import dev.tilewright.ptx.fence.Fence;
import dev.tilewright.ptx.fence.FenceProxyAsync;
import dev.tilewright.ptx.mbarrier.ArriveOrder;
import dev.tilewright.ptx.mbarrier.CpAsyncMbarrierArrive;
import dev.tilewright.ptx.mbarrier.MbarrierArrive;
import dev.tilewright.ptx.mbarrier.MbarrierArriveExpectTx;
import dev.tilewright.ptx.mbarrier.MbarrierTryWait;
import dev.tilewright.ptx.mbarrier.MbarrierTryWaitParity;
import dev.tilewright.ptx.mbarrier.WaitOrder;
import dev.tilewright.ptx.memory.Atom;
import dev.tilewright.ptx.memory.Ld;
import dev.tilewright.ptx.memory.Red;
import dev.tilewright.ptx.memory.St;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;

/** All programs that are one edit away: a step dropped, doubled, moved or guarded otherwise, or weakened. */
final class Edits {

    /** An edited program. */
    record Edited(String what, List<Step> steps) {
    }

    private final int cluster;
    private final List<Edited> all = new ArrayList<>();

    private Edits(int cluster) {
        this.cluster = cluster;
    }

    static List<Edited> of(List<Step> body, int cluster) {
        Edits edits = new Edits(cluster);
        edits.add(body, steps -> steps);
        return edits.all;
    }

    /** @param into puts an edited list of steps where the list was */
    private void add(List<Step> steps, UnaryOperator<List<Step>> into) {
        for (int i = 0; i < steps.size(); i++) {
            int at = i;
            Step step = steps.get(i);
            String name = step.purpose();
            UnaryOperator<List<Step>> instead = some -> {
                List<Step> edited = new ArrayList<>(steps);
                edited.remove(at);
                edited.addAll(at, some);
                return into.apply(edited);
            };
            boolean data = isData(step.operation());
            if (!data) {
                keep("without " + name, instead.apply(List.of()));
                keep("twice " + name, instead.apply(List.of(step, step)));
            }
            for (int to = Math.max(0, i - 3); to <= Math.min(steps.size() - 1, i + 3); to++) {
                if (to > i || to < i - 1) {
                    List<Step> edited = new ArrayList<>(steps);
                    edited.add(to, edited.remove(i));
                    if (Math.abs(to - i) > 1 || !data || !isData(steps.get(to).operation())) {
                        keep(name + " moved by " + (to - i), into.apply(edited));
                    }
                }
            }
            switch (step.operation()) {
                case Operation.Guard g -> {
                    if (g.otherwise().isEmpty()) {
                        keep("unguarded " + name, instead.apply(g.body()));
                    }
                    add(g.body(), body -> instead.apply(List.of(step.with(
                            new Operation.Guard(g.condition(), body, g.otherwise())))));
                    add(g.otherwise(), body -> instead.apply(List.of(step.with(
                            new Operation.Guard(g.condition(), g.body(), body)))));
                }
                case Operation.Loop l -> add(l.body(), body -> instead.apply(List.of(step.with(
                        new Operation.Loop(l.variable(), l.from(), l.until(), l.by(), body)))));
                case Operation.While l -> add(l.body(), body -> instead.apply(List.of(step.with(
                        new Operation.While(l.condition(), body)))));
                case Operation.Instruction i2 -> {
                    weaken(i2, other -> keep(name + " as " + words(other), instead.apply(List.of(step.with(other)))));
                    if (!(i2 instanceof Operation.Issue issue && !issue.results().isEmpty())
                            && !(i2 instanceof Operation.Poll p && p.until() instanceof Operation.Until.Holds)) {
                        keep("guarded " + name, instead.apply(List.of(step.with(new Operation.Guard(
                                Plan.T.isEqualTo(0), List.of(step), List.of())))));
                    }
                }
                case Operation.SyncThreads _ -> keep("guarded " + name, instead.apply(List.of(step.with(
                        new Operation.Guard(Plan.T.isEqualTo(0), List.of(step), List.of())))));
                case Operation.Load load when load.from() instanceof Address.Shared s -> places(s).forEach(other ->
                        keep(name + " from " + other, instead.apply(List.of(step.with(
                                new Operation.Load(load.fragment(), other))))));
                case Operation.Store store when store.to() instanceof Address.Shared s -> places(s).forEach(other ->
                        keep(name + " to " + other, instead.apply(List.of(step.with(
                                new Operation.Store(other, store.fragment()))))));
                default -> { }
            }
        }
    }

    private static String words(Operation operation) {
        return operation instanceof Operation.Instruction i ? i.form() + " " + i.inputs() : operation.toString();
    }

    private void keep(String what, List<Step> steps) {
        all.add(new Edited(what, steps));
    }

    private static boolean isData(Operation operation) {
        return !(operation instanceof Operation.Guard || operation instanceof Operation.SyncThreads
                || operation instanceof Operation.Instruction);
    }

    /** Takes another operation in a step's place. */
    private interface Taker {
        void take(Operation operation);
    }

    private void weaken(Operation.Instruction i, Taker taker) {
        for (PtxInstruction form : others(i.form())) {
            instruction(i, form, i.inputs(), taker);
        }
        for (int n = 0; n < i.inputs().size(); n++) {
            for (Input other : others(i.inputs().get(n), i.form().inputs().get(n).name())) {
                List<Input> inputs = new ArrayList<>(i.inputs());
                inputs.set(n, other);
                instruction(i, i.form(), inputs, taker);
            }
        }
    }

    private static void instruction(Operation.Instruction i, PtxInstruction form, List<Input> inputs, Taker taker) {
        try {
            taker.take(switch (i) {
                case Operation.Issue issue -> new Operation.Issue(form, inputs, issue.results());
                case Operation.Poll poll -> new Operation.Poll(form, inputs, poll.until());
            });
        } catch (IllegalArgumentException e) {
            // No form of the instruction: not an edit.
        }
    }

    private List<PtxInstruction> others(PtxInstruction form) {
        List<PtxInstruction> forms = new ArrayList<>();
        List<Scope> scopes = cluster > 1 ? List.of(Scope.CTA, Scope.CLUSTER, Scope.GPU)
                : List.of(Scope.CTA, Scope.GPU);
        switch (form) {
            case CpAsyncWaitGroup w -> forms.add(new CpAsyncWaitGroup(w.pending() + 1));
            case BulkWaitGroup w -> {
                forms.add(new BulkWaitGroup(w.pending() + 1, w.read()));
                if (!w.read()) {
                    forms.add(w.withRead());
                }
            }
            case MbarrierArrive a -> orders(a.order()).forEach(o -> forms.add(a.withOrder(o)));
            case MbarrierArriveExpectTx a -> orders(a.order()).forEach(o -> forms.add(a.withOrder(o)));
            case CpAsyncMbarrierArrive a -> forms.add(new CpAsyncMbarrierArrive(!a.noinc(), a.space()));
            case MbarrierTryWait w -> orders(w.order()).forEach(o -> forms.add(w.withOrder(o)));
            case MbarrierTryWaitParity w -> orders(w.order()).forEach(o -> forms.add(w.withOrder(o)));
            case BarrierClusterArrive a -> forms.add(a.withOrder(BarrierClusterArrive.Order.RELAXED));
            case FenceProxyAsync _ -> Arrays.stream(FenceProxyAsync.Memory.values())
                    .forEach(m -> forms.add(new FenceProxyAsync(m)));
            case Fence f -> scopes.forEach(s -> forms.add(new Fence(f.strength(), s)));
            case Ld ld -> {
                scopes.forEach(s -> forms.add(new Ld(false, ld.order(), s, ld.space(), ld.type())));
                forms.add(Ld.relaxed(ld.scope(), ld.space(), ld.type()));
            }
            case St st -> {
                scopes.forEach(s -> forms.add(new St(false, st.order(), s, st.space(), st.type())));
                forms.add(St.relaxed(st.scope(), st.space(), st.type()));
            }
            case Atom a -> {
                scopes.forEach(s -> forms.add(new Atom(a.order(), s, a.space(), a.op(), a.type())));
                Arrays.stream(Atom.Order.values())
                        .forEach(o -> forms.add(new Atom(o, a.scope(), a.space(), a.op(), a.type())));
            }
            case Red r -> {
                scopes.forEach(s -> forms.add(new Red(r.order(), s, r.space(), r.op(), r.type())));
                forms.add(Red.relaxed(r.scope(), r.space(), r.op(), r.type()));
            }
            default -> {
            }
        }
        forms.removeIf(form::equals);
        return forms;
    }

    private List<ArriveOrder> orders(ArriveOrder order) {
        return Arrays.stream(ArriveOrder.values())
                .filter(o -> cluster > 1 || o == ArriveOrder.RELAXED_CTA || o == ArriveOrder.DEFAULT)
                .filter(o -> o != order).toList();
    }

    private List<WaitOrder> orders(WaitOrder order) {
        return Arrays.stream(WaitOrder.values())
                .filter(o -> cluster > 1 || o == WaitOrder.RELAXED_CTA || o == WaitOrder.DEFAULT)
                .filter(o -> o != order).toList();
    }

    private static List<Input> others(Input input, String operand) {
        return switch (input) {
            case Input.Place(Address.Shared s) -> places(s).stream().map(Input::of).toList();
            case Input.Place(Address.Barrier b) when b.barriers().count() > 1 ->
                    List.of(Input.of(b.barriers().at(Expr.of(b.barriers().count() - 1).minus(b.index()))));
            case Input.Number(Expr value) -> switch (operand) {
                case "parity" -> List.of(Input.of(Expr.of(1).minus(value)), Input.of(0));
                case "bytes" -> List.of(Input.of(value.minus(16)), Input.of(value.plus(16)));
                case "arrivals" -> List.of(Input.of(value.minus(1)), Input.of(value.plus(1)));
                case "count" -> List.of(Input.of(value.plus(1)));
                case "cta_mask" -> List.of(Input.of(1), Input.of(2));
                default -> List.of();
            };
            default -> List.of();
        };
    }

    /** This place in the next stage, and in the next piece. */
    private static List<Address.Shared> places(Address.Shared s) {
        SharedRegion.Buffer b = s.buffer();
        List<Address.Shared> all = new ArrayList<>();
        for (int by : new int[] {Plan.PIECE, b.bytes() / 2}) {
            if (by > 0 && by % Plan.PIECE == 0 && by < b.bytes()) {
                all.add(b.at(s.byteOffset().plus(by).modulo(b.bytes())));
            }
        }
        return all;
    }
}

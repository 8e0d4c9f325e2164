package dev.tilewright.hazard.explore;

import dev.tilewright.program.Operation;
import dev.tilewright.program.Warp;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Operand;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.warp.BarWarpSync;
import dev.tilewright.ptx.warp.ElectSync;
import dev.tilewright.ptx.warp.MatchSync;
import dev.tilewright.ptx.warp.ReduxSync;
import dev.tilewright.ptx.warp.ShflSync;
import dev.tilewright.ptx.warp.VoteSync;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What the lanes of a warp do together: each waits for the members that it names, wherever in the program they perform
 * the same instruction for the same members; lanes that have ended need not come. What comes of it is a function of
 * what they hand in, so that it makes no difference when it happens. Only bar.warp.sync orders memory (PTX ISA,
 * "shfl.sync", "bar.warp.sync").
 */
record Warps(Machine m) {
    static boolean isOne(PtxInstruction form) {
        return form instanceof BarWarpSync || form instanceof ShflSync || form instanceof VoteSync
                || form instanceof MatchSync || form instanceof ReduxSync || form instanceof ElectSync;
    }

    private int lane(ThreadState t) {
        return t.number % m.w.launched.threadsPerBlock % Warp.LANES;
    }

    /** A thread comes, and waits, or lets all pass. */
    void come(ThreadState t, Operation.Issue issue) {
        int members = (int) new Eval(m.w, t).of(issue, "members");
        if ((members >> lane(t) & 1) == 0) {
            throw new Ending(issue.form().opcode() + " of a lane that is no member");
        }
        t.members = members;
        letPass(t);
    }

    private Operation.Issue waitsAt(ThreadState t) {
        return (Operation.Issue) ((FlatCode.Do) m.w.launched.code.code.get(t.pc - 1)).operation();
    }

    /** Lets the members for whom a thread waits pass if all have come that have not ended. */
    void letPass(ThreadState t) {
        PtxInstruction form = waitsAt(t).form();
        if (!isOne(form)) {
            return;
        }
        List<ThreadState> come = new ArrayList<>();
        for (ThreadState other : m.w.threads) {
            boolean named = (t.members >> lane(other) & 1) != 0;
            if (m.w.warp(other.number) == m.w.warp(t.number) && named && !other.finished) {
                if (other.members != t.members || !waitsAt(other).form().equals(form)) {
                    return;
                }
                come.add(other);
            }
        }
        pass(come, form);
        come.forEach(other -> other.members = 0);
    }

    private void pass(List<ThreadState> come, PtxInstruction form) {
        switch (form) {
            case BarWarpSync _ -> {
                View all = m.w.launched.view();
                come.forEach(t -> all.join(t.view));
                come.forEach(t -> t.view.join(all));
            }
            case ShflSync shuffle -> shuffle(come, shuffle);
            case VoteSync vote -> {
                int mask = mask(come);
                int trues = come.stream().filter(t -> handed(t, "predicate") != 0).mapToInt(t -> 1 << lane(t)).sum();
                give(come, _ -> Map.of("mask", (long) trues, "answer", switch (vote.mode()) {
                    case ALL -> trues == mask;
                    case ANY -> trues != 0;
                    case UNI, BALLOT -> trues == mask || trues == 0;
                } ? 1L : 0L));
            }
            case MatchSync match -> {
                Map<Long, Integer> masks = new HashMap<>();
                come.forEach(t -> masks.merge(value(t, match), 1 << lane(t), Integer::sum));
                boolean one = masks.size() == 1;
                give(come, t -> Map.of("mask", match.all() && !one ? 0L : (long) masks.get(value(t, match)), "same",
                        one ? 1L : 0L));
            }
            case ReduxSync redux -> {
                int result = come.stream().map(t -> (int) handed(t, "value")).reduce((a, b) -> combine(redux, a, b))
                        .orElseThrow();
                give(come, _ -> Map.of("reduced", (long) result));
            }
            case ElectSync _ -> {
                // Which lane is elected is for the implementation to choose; hardware was seen to take the lowest.
                int elected = Integer.numberOfTrailingZeros(mask(come));
                give(come, t -> Map.of("lane", (long) elected, "elected", lane(t) == elected ? 1L : 0L));
            }
            default -> throw new Unsupported(form.opcode());
        }
    }

    private int mask(List<ThreadState> come) {
        return come.stream().mapToInt(t -> 1 << lane(t)).sum();
    }

    private long handed(ThreadState t, String operand) {
        return new Eval(m.w, t).of(waitsAt(t), operand);
    }

    private long value(ThreadState t, MatchSync match) {
        long value = handed(t, "value");
        return match.wide() ? value : (int) value;
    }

    private static int combine(ReduxSync redux, int a, int b) {
        boolean less = redux.type() == DataType.S32 ? a < b : Integer.compareUnsigned(a, b) < 0;
        return switch (redux.op()) {
            case ADD -> a + b;
            case MIN -> less ? a : b;
            case MAX -> less ? b : a;
            case AND -> a & b;
            case OR -> a | b;
            case XOR -> a ^ b;
        };
    }

    /** The formulas of the PTX ISA, "shfl.sync". */
    private void shuffle(List<ThreadState> come, ShflSync shuffle) {
        Map<Integer, ThreadState> byLane = new HashMap<>();
        come.forEach(t -> byLane.put(lane(t), t));
        Map<ThreadState, Map<String, Long>> results = new HashMap<>();
        Map<ThreadState, Boolean> undefined = new HashMap<>();
        for (ThreadState t : come) {
            int b = (int) handed(t, "lane") & 31;
            int clamp = (int) handed(t, "clamp");
            int segment = clamp >> 8 & 31;
            int first = lane(t) & segment;
            int last = first | clamp & 31 & ~segment;
            int from = switch (shuffle.mode()) {
                case UP -> lane(t) - b;
                case DOWN -> lane(t) + b;
                case BFLY -> lane(t) ^ b;
                case IDX -> first | b & ~segment;
            };
            boolean inside = shuffle.mode() == ShflSync.Mode.UP ? from >= last : from <= last;
            ThreadState source = byLane.get(inside ? from : lane(t));
            if (source == null) {
                throw new Ending("shfl.sync takes the value of a lane that takes no part");
            }
            Eval eval = new Eval(m.w, source);
            undefined.put(t, !eval.isDefined(waitsAt(source), "value"));
            results.put(t, Map.of("taken", undefined.get(t) ? 0L : (long) (int) eval.of(waitsAt(source), "value"),
                    "inside", inside ? 1L : 0L));
        }
        give(come, results::get);
        undefined.forEach((t, is) -> {
            if (is) {
                m.forget(t, waitsAt(t).results().getFirst());
            }
        });
    }

    /** What a lane gets, by the names of the results. */
    private interface Results {
        Map<String, Long> of(ThreadState t);
    }

    private void give(List<ThreadState> come, Results results) {
        List<Map<String, Long>> all = come.stream().map(results::of).toList();
        for (int i = 0; i < come.size(); i++) {
            Operation.Issue issue = waitsAt(come.get(i));
            List<Operand> names = issue.form().results();
            for (int r = 0; r < issue.results().size(); r++) {
                Expr.Var variable = issue.results().get(r);
                m.set(come.get(i), variable, all.get(i).get(names.get(r).name()));
            }
        }
    }
}

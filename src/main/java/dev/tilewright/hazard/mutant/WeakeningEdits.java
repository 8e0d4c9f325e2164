package dev.tilewright.hazard.mutant;

import dev.tilewright.hazard.mutant.StepTree.Node;
import dev.tilewright.program.Expr;
import dev.tilewright.program.Operation;

/** Gives one step another number: pending groups, bytes, arrivals, parity. */
final class WeakeningEdits {
    /** What bulk copies move multiples of. */
    private static final int UNIT = 16;

    private WeakeningEdits() {
    }

    static void add(Node node, Mutants to) {
        int n = node.number;
        String step = StepNames.step(node);
        switch (node.operation) {
            case Operation.CpAsyncWait w -> to.replace(MutantKind.SHALLOWER_WAIT, n, step + " " + pending(w.pending()), () -> new Operation.CpAsyncWait(w.pending() + 1));
            case Operation.BulkWait w -> {
                to.replace(MutantKind.SHALLOWER_WAIT, n, step + " " + pending(w.pending()), () -> new Operation.BulkWait(w.pending() + 1, w.read()));
                if (!w.read()) {
                    to.replace(MutantKind.READ_ONLY_WAIT, n, step + " waits only until the sources have been read",
                            () -> new Operation.BulkWait(w.pending(), true));
                }
            }
            case Operation.ArriveExpectTx a -> {
                to.replace(MutantKind.WITHOUT_EXPECT, n, step + " arrives without announcing bytes",
                        () -> new Operation.Arrive(a.barrier(), a.token()));
                to.replace(MutantKind.EXPECT_LESS, n, step + " announces " + UNIT + " bytes less",
                        () -> new Operation.ArriveExpectTx(a.barrier(), a.bytes().minus(UNIT), a.token()));
                to.replace(MutantKind.EXPECT_MORE, n, step + " announces " + UNIT + " bytes more",
                        () -> new Operation.ArriveExpectTx(a.barrier(), a.bytes().plus(UNIT), a.token()));
            }
            case Operation.ExpectTx e -> {
                to.replace(MutantKind.EXPECT_LESS, n, step + " announces " + UNIT + " bytes less",
                        () -> new Operation.ExpectTx(e.barrier(), e.bytes().minus(UNIT)));
                to.replace(MutantKind.EXPECT_MORE, n, step + " announces " + UNIT + " bytes more",
                        () -> new Operation.ExpectTx(e.barrier(), e.bytes().plus(UNIT)));
            }
            case Operation.BulkLoadCopy c -> to.replace(MutantKind.LOAD_LESS, n, step + " moves " + UNIT + " bytes less",
                    () -> new Operation.BulkLoadCopy(c.to(), c.from(), c.bytes().minus(UNIT), c.barrier()));
            case Operation.WaitParity w -> {
                to.replace(MutantKind.FLIPPED_PARITY, n, step + " waits for the other parity",
                        () -> new Operation.WaitParity(w.barrier(), Expr.of(1).minus(w.parity()), w.order()));
                to.replace(MutantKind.CONSTANT_PARITY, n, step + " waits for parity 0 every time",
                        () -> new Operation.WaitParity(w.barrier(), Expr.of(0), w.order()));
            }
            case Operation.BarrierInit i -> {
                to.replace(MutantKind.FEWER_ARRIVALS, n, step + " takes " + (i.arrivals() - 1) + " arrivals instead of " + i.arrivals(),
                        () -> new Operation.BarrierInit(i.barrier(), i.arrivals() - 1));
                to.replace(MutantKind.MORE_ARRIVALS, n, step + " takes " + (i.arrivals() + 1) + " arrivals instead of " + i.arrivals(),
                        () -> new Operation.BarrierInit(i.barrier(), i.arrivals() + 1));
            }
            default -> { }
        }
    }

    private static String pending(int groups) {
        return "leaves " + (groups + 1) + " pending instead of " + groups;
    }
}

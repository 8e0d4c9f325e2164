package dev.tilewright.hazard.mutant;

import dev.tilewright.Counted;
import dev.tilewright.hazard.mutant.StepTree.Node;
import dev.tilewright.program.Operation;
import dev.tilewright.program.Warp;
import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.copy.BulkLoad;
import dev.tilewright.ptx.copy.BulkWaitGroup;
import dev.tilewright.ptx.copy.CpAsyncWaitGroup;
import dev.tilewright.ptx.mbarrier.MbarrierArrive;
import dev.tilewright.ptx.mbarrier.MbarrierArriveExpectTx;
import dev.tilewright.ptx.mbarrier.MbarrierExpectTx;
import dev.tilewright.ptx.mbarrier.MbarrierInit;
import dev.tilewright.ptx.mbarrier.MbarrierTryWaitParity;
import dev.tilewright.ptx.mma.WgmmaWaitGroup;
import dev.tilewright.ptx.warp.BarrierCtaArrive;
import dev.tilewright.ptx.warp.BarrierCtaSync;
import dev.tilewright.ptx.warp.WarpInstruction;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** Gives one step another number: pending groups, bytes, arrivals, parity. */
final class WeakeningEdits {
    /** What bulk copies move multiples of. */
    private static final int UNIT = 16;

    private final Node node;
    private final Mutants to;
    private final String step;

    private WeakeningEdits(Node node, Mutants to) {
        this.node = node;
        this.to = to;
        this.step = StepNames.step(node);
    }

    static void add(Node node, Mutants to) {
        switch (node.operation) {
            case Operation.Issue issue -> new WeakeningEdits(node, to).issue(issue);
            case Operation.Poll poll -> new WeakeningEdits(node, to).poll(poll);
            default -> { }
        }
    }

    private void issue(Operation.Issue issue) {
        switch (issue.form()) {
            case CpAsyncWaitGroup w -> form(MutantKind.SHALLOWER_WAIT, pending(w.pending()), issue,
                    new CpAsyncWaitGroup(w.pending() + 1));
            case BulkWaitGroup w -> {
                form(MutantKind.SHALLOWER_WAIT, pending(w.pending()), issue,
                        new BulkWaitGroup(w.pending() + 1, w.read()));
                if (!w.read()) {
                    form(MutantKind.READ_ONLY_WAIT, "waits only until the sources have been read", issue, w.withRead());
                }
            }
            case WgmmaWaitGroup w -> form(MutantKind.SHALLOWER_WAIT, pending(w.pending()), issue,
                    new WgmmaWaitGroup(w.pending() + 1, w.sums()));
            case MbarrierArriveExpectTx a -> {
                to.replace(MutantKind.WITHOUT_EXPECT, node.number, step + " arrives without announcing bytes",
                        () -> new Operation.Issue(new MbarrierArrive().withKind(a.kind()).withOrder(a.order())
                                .withSpace(a.space()).withResult(a.result()), List.of(issue.input("mbar")),
                                issue.results()));
                bytes(issue);
            }
            case MbarrierExpectTx _ -> bytes(issue);
            case BulkLoad _ ->
                    number(MutantKind.LOAD_LESS, "moves " + UNIT + " fewer bytes", issue, "bytes", n -> n.minus(UNIT));
            case MbarrierInit _ -> {
                if (issue.input("arrivals") instanceof Input.Number(Expr value) && value.constant().isPresent()) {
                    long n = value.constant().getAsLong();
                    arrivals(MutantKind.FEWER_ARRIVALS, issue, n, n - 1);
                    arrivals(MutantKind.MORE_ARRIVALS, issue, n, n + 1);
                }
            }
            case BarrierCtaSync f -> threads(issue, f.counted());
            case BarrierCtaArrive _ -> threads(issue, true);
            case WarpInstruction f when f.inputs().stream().anyMatch(o -> o.name().equals("members")) -> lanes(issue);
            default -> { }
        }
    }

    private void threads(Operation.Issue issue, boolean counted) {
        if (counted && issue.input("threads") instanceof Input.Number(Expr value) && value.constant().isPresent()) {
            for (int warps : new int[] {-1, 1}) {
                long now = value.constant().getAsLong() + warps * Warp.LANES;
                number(warps < 0 ? MutantKind.FEWER_THREADS : MutantKind.MORE_THREADS, "is for "
                        + Counted.of(now, "thread"),
                        issue, "threads", _ -> Expr.of((int) now));
            }
        }
    }

    private void lanes(Operation.Issue issue) {
        if (issue.input("members") instanceof Input.Number(Expr value) && value.constant().isPresent()) {
            int mask = (int) value.constant().getAsLong();
            number(MutantKind.FEWER_LANES, "does not name lane " + (31 - Integer.numberOfLeadingZeros(mask)), issue,
                    "members", _ -> Expr.of(mask & ~Integer.highestOneBit(mask)));
            if (mask != -1) {
                number(MutantKind.MORE_LANES, "names lane " + Integer.numberOfTrailingZeros(~mask) + " as well", issue,
                        "members", _ -> Expr.of(mask | Integer.lowestOneBit(~mask)));
            }
        }
    }

    private void poll(Operation.Poll poll) {
        if (poll.form() instanceof MbarrierTryWaitParity) {
            parity(MutantKind.FLIPPED_PARITY, "waits for the other parity", poll, p -> Expr.of(1).minus(p));
            parity(MutantKind.CONSTANT_PARITY, "waits for parity 0 every time", poll, _ -> Expr.of(0));
        }
    }

    private void form(MutantKind kind, String words, Operation.Issue issue, PtxInstruction other) {
        to.replace(kind, node.number, step + " " + words,
                () -> new Operation.Issue(other, issue.inputs(), issue.results()));
    }

    private void bytes(Operation.Issue issue) {
        number(MutantKind.EXPECT_LESS, "announces " + UNIT + " fewer bytes", issue, "bytes", n -> n.minus(UNIT));
        number(MutantKind.EXPECT_MORE, "announces " + UNIT + " bytes more", issue, "bytes", n -> n.plus(UNIT));
    }

    private void arrivals(MutantKind kind, Operation.Issue issue, long before, long now) {
        if (now > 0 && now < 1 << 20) {
            number(kind, "takes " + Counted.of(now, "arrival") + " instead of "
                    + before, issue, "arrivals", _ -> Expr.of((int) now));
        }
    }

    private void number(MutantKind kind, String words, Operation.Issue issue, String operand,
            UnaryOperator<Expr> edit) {
        to.replace(kind, node.number, step + " " + words,
                () -> new Operation.Issue(issue.form(), with(issue, operand, edit), issue.results()));
    }

    private void parity(MutantKind kind, String words, Operation.Poll poll, UnaryOperator<Expr> edit) {
        to.replace(kind, node.number, step + " " + words,
                () -> new Operation.Poll(poll.form(), with(poll, "parity", edit), poll.until()));
    }

    /** The inputs with another number for one operand. */
    private static List<Input> with(Operation.Instruction instruction, String operand, UnaryOperator<Expr> edit) {
        List<Input> inputs = new ArrayList<>(instruction.inputs());
        Input old = instruction.input(operand);
        if (!(old instanceof Input.Number(Expr value))) {
            throw new IllegalArgumentException("operand '" + operand + "' is no number: " + old);
        }
        inputs.set(inputs.indexOf(old), Input.of(edit.apply(value)));
        return inputs;
    }

    private static String pending(int groups) {
        return "leaves " + (groups + 1) + " pending instead of " + groups;
    }
}

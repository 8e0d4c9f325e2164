package dev.tilewright.program;

import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.Input;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.mma.MmaInstruction;
import dev.tilewright.ptx.mma.Wgmma;
import dev.tilewright.ptx.mma.WgmmaCommitGroup;
import dev.tilewright.ptx.mma.WgmmaFence;
import dev.tilewright.ptx.mma.WgmmaWaitGroup;
import dev.tilewright.ptx.warp.BarrierCtaArrive;
import dev.tilewright.ptx.warp.BarrierCtaRed;
import dev.tilewright.ptx.warp.BarrierCtaSync;
import dev.tilewright.ptx.warp.WarpInstruction;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Refuses instructions that a whole warp performs ({@code .aligned} in the PTX ISA: "in conditionally executed code,
 * they should only be used if it is known that all threads in the warp evaluate the condition identically") where lanes
 * go different ways, and named barriers that no block has.
 */
final class WarpCheck {
    private static final int WARPGROUP = 128;

    private final Dim3 block;
    private LaneDependence lanes;
    /** Calls that were looked at: the procedure, what is known of its arguments, and the step that lanes part at. */
    private final Set<List<Object>> seen = new HashSet<>();
    /** Whether instructions of a warpgroup are looked at, and not those of a warp. */
    private boolean warpgroups;

    WarpCheck(Dim3 block) {
        this.block = block;
    }

    void check(List<Step> body) {
        if (has(body, WarpCheck::isChecked)) {
            check(body, Warp.LANES);
        }
        if (has(body, WarpCheck::isOfWarpgroup)) {
            warpgroups = true;
            check(body, WARPGROUP);
        }
    }

    private void check(List<Step> body, int size) {
        int groups = (int) Math.ceilDiv(block.count(), size);
        Set<Object> asked = LaneDependence.asked(body);
        for (int group = 0; group < groups; group++) {
            lanes = new LaneDependence(block, size, group, asked);
            seen.clear();
            check(body, null);
        }
    }

    private static boolean has(List<Step> body, Predicate<PtxInstruction> wanted) {
        return new StepNumbers(body).all().stream().anyMatch(step -> step.operation() instanceof Operation.Issue issue
                && wanted.test(issue.form()));
    }

    private static boolean isOfWarpgroup(PtxInstruction form) {
        return form instanceof Wgmma || form instanceof WgmmaFence || form instanceof WgmmaCommitGroup
                || form instanceof WgmmaWaitGroup;
    }

    private static boolean isChecked(PtxInstruction form) {
        return isAligned(form) || form instanceof BarrierCtaSync || form instanceof BarrierCtaArrive
                || form instanceof BarrierCtaRed;
    }

    private static boolean isAligned(PtxInstruction form) {
        return (form instanceof WarpInstruction || form instanceof MmaInstruction)
                && form.opcode().contains(".aligned");
    }

    /**
     * Looks through steps.
     *
     * @param apart the step at which lanes of the warp go different ways; null for none
     * @return that by which lanes of this loop's turn have left it, so that the rest of the turn is for the others
     */
    private Step check(List<Step> body, Step apart) {
        Step left = null;
        for (Step step : body) {
            Step at = left == null ? apart : left;
            lanes.define(step.operation());
            switch (step.operation()) {
                case Operation.Loop loop -> check(loop.body(), at == null && lanes.turnsDiffer(loop) ? step : at);
                case Operation.While loop ->
                        check(loop.body(), at == null && lanes.differs(loop.condition()) ? step : at);
                case Operation.Guard guard -> {
                    Step inside = at == null && lanes.differs(guard.condition()) ? step : at;
                    Step yes = lanes.isNever(guard.condition(), true) ? null : check(guard.body(), inside);
                    Step no = lanes.isNever(guard.condition(), false) ? null : check(guard.otherwise(), inside);
                    left = left != null ? left : yes != null ? yes : no;
                }
                case Operation.Call call -> {
                    if (seen.add(List.of(call.procedure(), lanes.known(call), Optional.ofNullable(at)))) {
                        lanes.within(call, () -> check(call.procedure().body(), at));
                    }
                }
                case Operation.Issue issue -> check(step, issue, at);
                default -> left = step.operation().endsTurn() ? at : left;
            }
        }
        return left;
    }

    private void check(Step step, Operation.Issue issue, Step apart) {
        PtxInstruction form = issue.form();
        if (warpgroups) {
            if (apart != null && isOfWarpgroup(form)) {
                throw new IllegalArgumentException(form.opcode() + " is performed by all 128 threads of a warpgroup "
                        + "together, "
                        + "and '" + apart.purpose() + "' lets threads of one warpgroup go different ways: let the "
                        + "condition be the same for all 128, as one on thread / 128 or on a multiple of 128 is (step: "
                        + step.purpose() + step.javaLine().map(line -> ", added at " + line).orElse("") + ")");
            }
            return;
        }
        if (apart != null && isAligned(form)) {
            throw new IllegalArgumentException(form.opcode() + " is performed by all lanes of a warp together, and '"
                    + apart.purpose() + "' lets lanes of one warp go different ways: let the condition be the same for "
                    + "all 32 lanes, as one on thread / 32 or on a multiple of 32 is (step: " + step.purpose()
                    + step.javaLine().map(line -> ", added at " + line).orElse("") + ")");
        }
        switch (form) {
            case BarrierCtaArrive _ -> named(step, issue, true);
            case BarrierCtaSync f -> named(step, issue, f.counted());
            case BarrierCtaRed f -> named(step, issue, f.counted());
            default -> { }
        }
    }

    private void named(Step step, Operation.Issue issue, boolean counted) {
        String at = " (step: " + step.purpose() + step.javaLine().map(line -> ", added at " + line).orElse("") + ")";
        constant(issue, "barrier").ifPresent(id -> {
            if (id < 0 || id >= NamedBarrier.COUNT) {
                throw new IllegalArgumentException("a block has the named barriers 0 to 15, got " + id + at);
            }
        });
        if (counted) {
            constant(issue, "threads").ifPresent(threads -> {
                if (threads <= 0 || threads % Warp.LANES != 0) {
                    throw new IllegalArgumentException("a named barrier is for a positive multiple of 32 threads, as "
                            + "whole warps come to it, got " + threads + at);
                }
                if (threads >= block.count() + Warp.LANES) {
                    throw new IllegalArgumentException("a named barrier for " + threads
                            + " threads never opens in a block "
                            + "of " + block.count() + ": give the number of threads that come" + at);
                }
            });
        }
    }

    private static Optional<Long> constant(Operation.Issue issue, String operand) {
        return issue.input(operand) instanceof Input.Number(Expr value) && value.constant().isPresent()
                ? Optional.of(value.constant().getAsLong()) : Optional.empty();
    }
}

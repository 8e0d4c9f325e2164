package dev.tilewright.program;

import dev.tilewright.ptx.warp.Setmaxnreg;
import java.util.List;

/** How many registers each thread of a warpgroup has at least, when it has done some steps. */
final class RegistersKept {
    private static final int WARPGROUP = 128;

    private final LaneDependence lanes;

    /** @param group number of the warpgroup in the block */
    RegistersKept(Dim3 block, int group) {
        this.lanes = new LaneDependence(block, WARPGROUP, group);
    }

    /** The fewest that it may have, whichever way it goes where the program's text does not tell. @param before how many it had */
    int after(List<Step> body, int before) {
        int kept = before;
        for (Step step : body) {
            kept = after(step.operation(), kept);
        }
        return kept;
    }

    private int after(Operation operation, int before) {
        return switch (operation) {
            case Operation.Issue(Setmaxnreg change, var _, var _) -> change.registers();
            case Operation.Let(Expr.Var variable, Expr value) -> {
                lanes.define(variable, value);
                yield before;
            }
            case Operation.Declare(Register register, var initial, boolean constant) -> {
                if (constant) {
                    lanes.define(register, initial.orElseThrow());
                }
                yield before;
            }
            case Operation.Guard guard when lanes.isNever(guard.condition(), true) -> after(guard.otherwise(), before);
            case Operation.Guard guard when lanes.isNever(guard.condition(), false) -> after(guard.body(), before);
            case Operation.Guard guard -> Math.min(after(guard.body(), before), after(guard.otherwise(), before));
            // A loop may be left behind any of its steps, or never be entered.
            case Operation.Loop loop -> Math.min(before, least(loop.body()));
            case Operation.While loop -> Math.min(before, least(loop.body()));
            case Operation.Call(Procedure procedure, List<Expr> arguments) -> {
                int[] kept = new int[1];
                lanes.within(procedure, arguments, () -> kept[0] = after(procedure.body(), before));
                yield kept[0];
            }
            default -> before;
        };
    }

    private static int least(List<Step> body) {
        int least = Integer.MAX_VALUE;
        for (Step step : body) {
            if (step.operation() instanceof Operation.Issue(Setmaxnreg change, var _, var _)) {
                least = Math.min(least, change.registers());
            }
            for (List<Step> inner : step.operation().bodies()) {
                least = Math.min(least, least(inner));
            }
        }
        return least;
    }
}

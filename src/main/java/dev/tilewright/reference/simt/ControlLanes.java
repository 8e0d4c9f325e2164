package dev.tilewright.reference.simt;

import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.reference.code.IndexCode;
import dev.tilewright.reference.compile.CompiledProgram;
import dev.tilewright.reference.op.BarrierPlace;
import dev.tilewright.reference.op.ControlOps;
import dev.tilewright.reference.state.Mbarrier;
import dev.tilewright.reference.state.Slots;
import java.util.Arrays;

/** {@link ControlOps} for many threads at once, and waits that all of them pass or none. */
final class ControlLanes {

    private ControlLanes() { }

    /** An operation on slots alone. */
    @FunctionalInterface
    interface Quiet extends LaneOp {
        @Override
        default boolean touches() {
            return false;
        }
    }

    static LaneOp let(ControlOps.Let op, LaneCompiler compiler) {
        LaneCode value = compiler.value(op.value());
        return (Quiet) (lanes, pc) -> {
            if (op.slot() == Slots.NONE) {
                value.of(lanes);
            } else {
                lanes.put(op.slot(), value);
            }
            return pc + 1;
        };
    }

    static LaneOp branch(ControlOps.Branch op, LaneCompiler compiler) {
        LaneCode condition = compiler.condition(op.condition());
        int otherwise = op.otherwise().pc();
        return (Quiet) (lanes, pc) -> lanes.choose(condition.of(lanes), pc + 1, otherwise);
    }

    static LaneOp jump(ControlOps.Jump op) {
        int target = op.target().pc();
        return (Quiet) (_, _) -> target;
    }

    static LaneOp nothing() {
        return (Quiet) (_, pc) -> pc + 1;
    }

    /**
     * The end. Bulk stores under way are written then, in the order in which their threads end.
     *
     * @param seen whether the program may see when: {@link CompiledProgram.Traits#rereadsStores}
     */
    static LaneOp exit(boolean seen) {
        return seen ? (Quiet) (lanes, _) -> lanes.haveStoresUnderWay() ? LaneOp.ALONE : LaneOp.EXIT
                : (Quiet) (_, _) -> LaneOp.EXIT;
    }

    static LaneOp sync() {
        return (Quiet) (_, _) -> LaneOp.SYNC;
    }

    /** Lanes that enter the loop and lanes that pass it part. */
    static LaneOp enter(ControlOps.LoopEnter op, LaneCompiler compiler) {
        LaneCode from = compiler.value(op.from());
        LaneCode until = compiler.value(op.until());
        LaneCode by = compiler.value(op.by());
        LaneCode enters = compiler.compare(Expr.Relation.LT, from, until);
        int end = op.end().pc();
        int slot = op.slot();
        return (Quiet) (lanes, pc) -> {
            int where = lanes.choose(enters.of(lanes), pc + 1, end);
            if (where == end) {
                return end;
            }
            if (where == LaneOp.SPLIT) {
                // The rest is for the lanes that enter.
                lanes.from = lanes.splitFrom;
                lanes.until = lanes.splitUntil;
            }
            long[] steps = by.of(lanes);
            if (steps == null ? lanes.same <= 0 : Arrays.stream(steps, lanes.from, lanes.until).anyMatch(s -> s <= 0)) {
                lanes.goApart();
                return pc;
            }
            lanes.put(slot + 2, by);
            lanes.put(slot + 1, until);
            lanes.put(slot, from);
            return where;
        };
    }

    static LaneOp next(ControlOps.LoopNext op, LaneCompiler compiler) {
        IntType type = op.type();
        int slot = op.slot();
        LaneCode sum = compiler.binary(Expr.Op.ADD, type, compiler.slot(slot), compiler.slot(slot + 2));
        LaneCode again = compiler.compare(Expr.Relation.LT, compiler.slot(slot),
                compiler.slot(slot + 1));
        int body = op.body().pc();
        return (Quiet) (lanes, pc) -> {
            lanes.put(slot, sum);
            return lanes.choose(again.of(lanes), body, pc + 1);
        };
    }

    /** A wait for a parity, of the same barrier for all. */
    static LaneOp await(BarrierPlace place, IndexCode askedParity, LaneCompiler compiler) {
        LaneCode index = compiler.value(place.index());
        LaneCode parity = compiler.value(askedParity);
        return new FragmentLanes.Touching((lanes, pc) -> {
            long number = one(index, lanes);
            long asked = one(parity, lanes);
            if (number < 0 || number >= place.count() || asked >>> 1 != 0) {
                lanes.goApart();
                return pc;
            }
            Mbarrier barrier = lanes.blockState().barrier(place.first() + (int) number);
            if (!barrier.isValid()) {
                lanes.goApart();
                return pc;
            }
            if (barrier.hasCompletedParity(asked)) {
                return pc + 1;
            }
            lanes.waitsFor = barrier;
            return LaneOp.WAIT;
        });
    }

    /** What all lanes have alike. */
    private static long one(LaneCode code, Lanes lanes) {
        long[] values = code.of(lanes);
        if (values == null) {
            return lanes.same;
        }
        for (int i = lanes.from + 1; i < lanes.until; i++) {
            if (values[i] != values[lanes.from]) {
                lanes.goApart();
            }
        }
        return values[lanes.from];
    }
}

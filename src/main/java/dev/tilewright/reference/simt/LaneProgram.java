package dev.tilewright.reference.simt;

import dev.tilewright.reference.code.IndexCode;
import dev.tilewright.reference.compile.CompiledProgram;
import dev.tilewright.reference.op.BarrierOps;
import dev.tilewright.reference.op.BarrierPlace;
import dev.tilewright.reference.op.ControlOps;
import dev.tilewright.reference.op.CopyOps;
import dev.tilewright.reference.op.FragmentOps;
import dev.tilewright.reference.op.GroupOps;
import dev.tilewright.reference.op.Line;
import dev.tilewright.reference.op.NotRun;
import dev.tilewright.reference.op.Op;
import dev.tilewright.reference.op.Site;
import dev.tilewright.reference.op.ValueOps;
import java.util.Arrays;
import java.util.Set;

/**
 * A program for threads that go together as far as they can.
 *
 * @param program for threads that run alone: at block-wide barriers they wait to be told that all have arrived
 * @param ops for each operation what threads do together, null where each runs alone
 */
public record LaneProgram(CompiledProgram program, LaneOp[] ops) {
    /** Where what a thread does looks at no other thread of its block, but at a block-wide barrier and when it ends. */
    private static final Set<Class<?>> APART = Set.of(BarrierOps.class, ControlOps.class, CopyOps.class,
            FragmentOps.class, GroupOps.class, Line.class, NotRun.class, ValueOps.class);

    /** A compiled program for threads that go together; null where they do not, are watched, or take no shortcuts. */
    public static LaneProgram of(CompiledProgram compiled) {
        if (compiled.plain() || compiled.observer() != null || compiled.clusterBlocks() > 1 || compiled.threads() == 1
                || !Arrays.stream(compiled.ops()).allMatch(LaneProgram::isApart)) {
            return null;
        }
        LaneCompiler compiler = new LaneCompiler();
        boolean rereads = compiled.traits().rereadsStores();
        LaneOp[] together = Arrays.stream(compiled.ops()).map(op -> together(op, compiler, rereads))
                .toArray(LaneOp[]::new);
        Op[] alone = Arrays.stream(compiled.ops())
                .map(op -> op instanceof ControlOps.SyncThreads ? new ControlOps.SyncAlone() : op)
                .toArray(Op[]::new);
        return new LaneProgram(compiled.withOps(alone), together);
    }

    private static boolean isApart(Op op) {
        Class<?> type = op.getClass();
        return APART.contains(type.getEnclosingClass() == null ? type : type.getEnclosingClass());
    }

    private static LaneOp together(Op op, LaneCompiler compiler, boolean rereads) {
        return switch (op) {
            case ControlOps.Let o when o.value().isTransparent() -> ControlLanes.let(o, compiler);
            case ControlOps.Branch o when o.condition().isTransparent() -> ControlLanes.branch(o, compiler);
            case ControlOps.Jump o -> ControlLanes.jump(o);
            case ControlOps.LoopEnter o when o.from().isTransparent() && o.until().isTransparent()
                    && o.by().isTransparent() -> ControlLanes.enter(o, compiler);
            case ControlOps.LoopNext o -> ControlLanes.next(o, compiler);
            case ControlOps.SyncThreads _ -> ControlLanes.sync();
            case ControlOps.Exit _ -> ControlLanes.exit(rereads);
            case ControlOps.Fence _, ControlOps.AwaitPriorGrid _, ControlOps.Nothing _ -> ControlLanes.nothing();
            case FragmentOps.LoadShared o when o.from().offset().isTransparent() ->
                    FragmentLanes.loadShared(o, compiler);
            case FragmentOps.LoadGlobal o when o.from().offset().isTransparent() ->
                    FragmentLanes.loadGlobal(o, compiler);
            case FragmentOps.StoreShared o when o.to().offset().isTransparent() ->
                    FragmentLanes.storeShared(o, compiler);
            case FragmentOps.StoreGlobal o when o.to().offset().isTransparent() ->
                    FragmentLanes.storeGlobal(o, compiler);
            case BarrierOps.Wait(Site _, BarrierPlace place, BarrierOps.OfParity(IndexCode parity))
                    when place.index().isTransparent() && parity.isTransparent() ->
                    ControlLanes.await(place, parity, compiler);
            default -> null;
        };
    }
}

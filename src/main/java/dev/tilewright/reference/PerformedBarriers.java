package dev.tilewright.reference;

import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.mbarrier.ArriveOp;
import dev.tilewright.ptx.mbarrier.ArriveResult;
import dev.tilewright.ptx.mbarrier.CpAsyncMbarrierArrive;
import dev.tilewright.ptx.mbarrier.MbarrierArrive;
import dev.tilewright.ptx.mbarrier.MbarrierArriveExpectTx;
import dev.tilewright.ptx.mbarrier.MbarrierArriveNoComplete;
import dev.tilewright.ptx.mbarrier.MbarrierCompleteTx;
import dev.tilewright.ptx.mbarrier.MbarrierExpectTx;
import dev.tilewright.ptx.mbarrier.MbarrierInit;
import dev.tilewright.ptx.mbarrier.MbarrierInval;
import dev.tilewright.ptx.mbarrier.MbarrierPendingCount;
import dev.tilewright.ptx.mbarrier.MbarrierTestWait;
import dev.tilewright.ptx.mbarrier.MbarrierTestWaitParity;
import dev.tilewright.ptx.mbarrier.MbarrierTryWait;
import dev.tilewright.ptx.mbarrier.MbarrierTryWaitParity;
import dev.tilewright.reference.ReferenceException.Kind;

/**
 * The mbarrier family as performed instructions. Arrivals and byte counts reach the barriers of other blocks; what hands out
 * or takes a token, and what tests, does not. A try_wait tests as test_wait does here: that it waits for a while is no promise.
 */
final class PerformedBarriers {
    private PerformedBarriers() {
    }

    static Op compile(String purpose, PtxInstruction form, Operands o) {
        return switch (form) {
            case MbarrierInit _ -> new BarrierOps.Init(purpose, o.barrier(true), o.number("arrivals"));
            case MbarrierInval _ -> new BarrierOps.Invalidate(purpose, o.barrier(true));
            case MbarrierArrive f -> arrive(purpose, f, o);
            case MbarrierArriveNoComplete f -> new BarrierOps.ArriveCounted(purpose, f.kind(), o.barrier(true), o.number("count"),
                    false, token(f.result(), o));
            case MbarrierArriveExpectTx f -> new BarrierOps.ArriveExpectTx(purpose, f.kind(),
                    o.barrier(f.result() == ArriveResult.TOKEN), o.number("bytes"), token(f.result(), o));
            case MbarrierExpectTx _ -> new BarrierOps.ExpectTx(purpose, o.barrier(false), o.number("bytes"));
            case MbarrierCompleteTx _ -> new BarrierOps.CompleteTx(purpose, o.barrier(false), o.number("bytes"));
            case MbarrierPendingCount _ -> new BarrierOps.PendingCount(purpose, o.number("token"), o.result("count"));
            case MbarrierTestWait _, MbarrierTryWait _ ->
                    new BarrierOps.TestToken(purpose, o.barrier(true), o.number("token"), o.result("done"));
            case MbarrierTestWaitParity _, MbarrierTryWaitParity _ ->
                    new BarrierOps.TestParity(purpose, o.barrier(true), o.number("parity"), o.result("done"));
            case CpAsyncMbarrierArrive f -> new BarrierOps.ArriveAfterCopies(purpose, o.barrier(true), !f.noinc());
            default -> throw new Fault(Kind.NOT_MODELLED, form.opcode() + " is no instruction of mbarriers");
        };
    }

    private static Op arrive(String purpose, MbarrierArrive f, Operands o) {
        BarrierRef barrier = o.barrier(f.result() == ArriveResult.TOKEN);
        if (f.kind() == ArriveOp.ARRIVE && !f.counted()) {
            return new BarrierOps.Arrive(purpose, barrier, token(f.result(), o));
        }
        return new BarrierOps.ArriveCounted(purpose, f.kind(), barrier, f.counted() ? o.number("count") : BarrierOps.ONCE, true,
                token(f.result(), o));
    }

    private static int token(ArriveResult result, Operands o) {
        return result == ArriveResult.TOKEN ? o.result("token") : BarrierOps.NO_TOKEN;
    }
}

package dev.tilewright.hazard.mutant;

import dev.tilewright.program.Operation;
import dev.tilewright.ptx.Effects;
import dev.tilewright.ptx.PtxInstruction;

/** What a step is for in the order of things: which of the edits make sense for it. */
enum StepRole {
    SYNC, WAIT, FENCE, COMMIT, ARRIVAL, EXPECT, INIT, MAP, COUNTED_LOAD, OTHER;

    static StepRole of(Operation operation) {
        return switch (operation) {
            case Operation.SyncThreads _ -> SYNC;
            case Operation.CpAsyncWait _, Operation.BulkWait _, Operation.WaitToken _, Operation.WaitParity _,
                    Operation.WaitUntil _ -> WAIT;
            case Operation.ProxyFence _, Operation.BarrierInitFence _ -> FENCE;
            case Operation.CpAsyncCommit _, Operation.BulkCommit _ -> COMMIT;
            case Operation.Arrive _, Operation.ArriveExpectTx _ -> ARRIVAL;
            case Operation.ExpectTx _ -> EXPECT;
            case Operation.BarrierInit _ -> INIT;
            case Operation.PublishMap _, Operation.AcquireMap _, Operation.ReleaseMap _ -> MAP;
            case Operation.BulkLoadCopy _, Operation.TensorLoadBox _ -> COUNTED_LOAD;
            case Operation.Perform p -> of(p.form());
            default -> OTHER;
        };
    }

    /** By the instruction's opcode, which says what family it is of. */
    private static StepRole of(PtxInstruction form) {
        String opcode = form.opcode();
        if (opcode.startsWith("barrier.cluster")) {
            return SYNC;
        }
        if (opcode.startsWith("fence.proxy.tensormap") || opcode.startsWith("tensormap.cp_fenceproxy")) {
            return MAP;
        }
        if (opcode.startsWith("fence")) {
            return FENCE;
        }
        if (opcode.contains("commit_group")) {
            return COMMIT;
        }
        if (opcode.contains("wait_group") || opcode.contains("wait_all") || opcode.startsWith("mbarrier.try_wait")
                || opcode.startsWith("mbarrier.test_wait")) {
            return WAIT;
        }
        if (opcode.startsWith("mbarrier.expect_tx") || opcode.startsWith("mbarrier.complete_tx")) {
            return EXPECT;
        }
        if (opcode.startsWith("mbarrier.arrive") || opcode.startsWith("cp.async.mbarrier.arrive")) {
            return ARRIVAL;
        }
        if (opcode.startsWith("mbarrier.init")) {
            return INIT;
        }
        return form.effects().completion() == Effects.Completion.MBARRIER ? COUNTED_LOAD : OTHER;
    }

    /** Whether the step orders others, so that its place matters. */
    boolean orders() {
        return this != OTHER && this != COUNTED_LOAD;
    }
}

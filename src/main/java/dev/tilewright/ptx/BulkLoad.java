package dev.tilewright.ptx;

import java.util.List;

/**
 * {@code cp.async.bulk (global to shared)}: one thread starts a TMA copy of contiguous bytes from global to shared memory; an mbarrier counts the bytes that land.
 *
 * <p>Addresses and byte count are multiples of 16.
 */
public record BulkLoad() implements PtxInstruction {

    @Override
    public String opcode() {
        return "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes";
    }

    @Override
    public List<Operand> operands() {
        return List.of(Ptx.SHARED_DST, Ptx.GLOBAL_SRC, Ptx.BYTES, Ptx.MBARRIER);
    }

    @Override
    public String operandText() {
        return "[%dst%], [%src%], %bytes%, [%mbar%]";
    }

    @Override
    public PtxVersion since() {
        return Ptx.V8_0;
    }

    @Override
    public Target minimumTarget() {
        return Target.SM_90;
    }

    @Override
    public String summary() {
        return "one thread starts a TMA copy of contiguous bytes from global to shared memory; an mbarrier counts the bytes that land";
    }

    @Override
    public String functionName() {
        return "bulk_load";
    }
}

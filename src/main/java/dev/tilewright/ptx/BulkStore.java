package dev.tilewright.ptx;

import java.util.List;

/**
 * {@code cp.async.bulk (shared to global)}: one thread starts a TMA copy of contiguous bytes from shared to global memory, tracked by its bulk group.
 *
 * <p>Addresses and byte count are multiples of 16.
 */
public record BulkStore() implements PtxInstruction {

    @Override
    public String opcode() {
        return "cp.async.bulk.global.shared::cta.bulk_group";
    }

    @Override
    public List<Operand> operands() {
        return List.of(Ptx.GLOBAL_DST, Ptx.SHARED_SRC, Ptx.BYTES);
    }

    @Override
    public String operandText() {
        return "[%dst%], [%src%], %bytes%";
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
        return "one thread starts a TMA copy of contiguous bytes from shared to global memory, tracked by its bulk group";
    }

    @Override
    public String functionName() {
        return "bulk_store";
    }
}

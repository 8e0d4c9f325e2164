package dev.tilewright.ptx;

import java.util.List;

/**
 * {@code cp.async.bulk.commit_group}: closes the group of this thread's bulk copies issued so far.
 */
public record BulkCommitGroup() implements PtxInstruction {

    @Override
    public String opcode() {
        return "cp.async.bulk.commit_group";
    }

    @Override
    public List<Operand> operands() {
        return List.of();
    }

    @Override
    public String operandText() {
        return "";
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
        return "closes the group of this thread's bulk copies issued so far";
    }

    @Override
    public String functionName() {
        return "bulk_commit_group";
    }
}

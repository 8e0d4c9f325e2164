package dev.tilewright.ptx;

import java.util.List;

/**
 * {@code cp.async.commit_group}: closes the group of this thread's cp.async copies issued so far.
 */
public record CpAsyncCommitGroup() implements PtxInstruction {

    @Override
    public String opcode() {
        return "cp.async.commit_group";
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
        return Ptx.V7_0;
    }

    @Override
    public Target minimumTarget() {
        return Target.SM_80;
    }

    @Override
    public String summary() {
        return "closes the group of this thread's cp.async copies issued so far";
    }

    @Override
    public String functionName() {
        return "cp_async_commit_group";
    }
}

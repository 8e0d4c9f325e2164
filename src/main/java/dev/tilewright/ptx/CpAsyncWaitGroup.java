package dev.tilewright.ptx;

import java.util.List;

/**
 * {@code cp.async.wait_group}: waits until at most so many of this thread's cp.async groups are pending.
 *
 * @param pending groups, the youngest ones, that may still be in flight
 */
public record CpAsyncWaitGroup(int pending) implements PtxInstruction {

    public CpAsyncWaitGroup {
        if (pending < 0) {
            throw new IllegalArgumentException("pending groups must be at least 0, got " + pending);
        }
    }

    @Override
    public String opcode() {
        return "cp.async.wait_group";
    }

    @Override
    public List<Operand> operands() {
        return List.of();
    }

    @Override
    public String operandText() {
        return Integer.toString(pending);
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
        return "waits until at most so many of this thread's cp.async groups are pending";
    }

    @Override
    public String functionName() {
        return "cp_async_wait_group_" + pending;
    }
}

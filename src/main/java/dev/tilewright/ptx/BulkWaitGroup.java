package dev.tilewright.ptx;

import java.util.List;

/**
 * {@code cp.async.bulk.wait_group}: waits until at most so many of this thread's bulk groups are pending.
 *
 * @param pending groups, the youngest ones, that may still be in flight
 * @param read whether it is enough that the sources have been read: shared memory may then be reused, but the
 *     written bytes need not be visible yet
 */
public record BulkWaitGroup(int pending, boolean read) implements PtxInstruction {

    public BulkWaitGroup {
        if (pending < 0) {
            throw new IllegalArgumentException("pending groups must be at least 0, got " + pending);
        }
    }

    @Override
    public String opcode() {
        return "cp.async.bulk.wait_group" + (read ? ".read" : "");
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
        return Ptx.V8_0;
    }

    @Override
    public Target minimumTarget() {
        return Target.SM_90;
    }

    @Override
    public String summary() {
        return read
                ? "waits until the sources of this thread's bulk groups have been read, but for at most so many"
                : "waits until this thread's bulk groups are written, but for at most so many";
    }

    @Override
    public String functionName() {
        return "bulk_wait_group_" + (read ? "read_" : "") + pending;
    }
}

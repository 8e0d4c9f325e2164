package dev.tilewright.reference.op;

import dev.tilewright.reference.code.IndexCode;
import dev.tilewright.reference.fault.Fault;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import dev.tilewright.reference.state.Mbarrier;
import dev.tilewright.reference.state.ResolvedAddress;
import dev.tilewright.reference.state.ThreadState;

/**
 * A barrier of one of the program's arrays: the array and an index into it.
 *
 * @param first number of the array's first among all barriers of the block
 * @param start shared address of the array's first
 */
public record BarrierPlace(String name, int first, int start, int count, IndexCode index)
        implements BarrierRef, AddressOperand {
    private static final int BYTES = 8;

    @Override
    public Mbarrier any(ThreadState thread) {
        return thread.block.barrier(first + number(thread));
    }

    /** The barrier's bytes, of which there are 8: what lies behind them is another thing, with a name of its own. */
    @Override
    public ResolvedAddress resolve(ThreadState thread, int bytes, int alignment) {
        int number = number(thread);
        int address = start + BYTES * number;
        if (bytes > BYTES) {
            throw new Fault(Kind.OUT_OF_BOUNDS, bytes + " bytes begin at barrier " + name + "[" + number
                    + "], which has " + BYTES);
        }
        if ((address & alignment - 1) != 0) {
            throw new Fault(Kind.MISALIGNED, "barrier " + name + "[" + number + "] is at shared address " + address
                    + ", which must be a multiple of " + alignment);
        }
        return new ResolvedAddress.InShared(thread.block, address);
    }

    private int number(ThreadState thread) {
        long i = index.value(thread);
        if (i < 0 || i >= count) {
            throw new Fault(Kind.OUT_OF_BOUNDS, "barrier " + name + "[" + i + "] does not exist: the array has "
                    + count);
        }
        return (int) i;
    }
}

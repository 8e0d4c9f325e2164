package dev.tilewright.reference.op;

import dev.tilewright.Counted;
import dev.tilewright.program.expression.SharedRegion;
import dev.tilewright.reference.code.IndexCode;
import dev.tilewright.reference.fault.Fault;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import dev.tilewright.reference.state.ResolvedAddress;
import dev.tilewright.reference.state.ThreadState;

/** Where an operation touches a shared buffer: the buffer's place in the block's memory and an offset into it. */
public record SharedPlace(String name, int start, int size, IndexCode offset) implements AddressOperand {

    public SharedPlace(SharedRegion.Buffer buffer, int start, IndexCode offset) {
        this(buffer.name(), start, buffer.bytes(), offset);
    }

    @Override
    public ResolvedAddress resolve(ThreadState thread, int bytes, int alignment) {
        return new ResolvedAddress.InShared(thread.block, address(thread, bytes, alignment));
    }

    /** The shared address for one thread, which is touched now. */
    int address(ThreadState thread, int bytes, int alignment, OpAccess access) {
        int address = address(thread, bytes, alignment);
        access.shared(thread, thread.block, address, bytes);
        return address;
    }

    /**
     * The shared address for one thread, which is not reported.
     *
     * @param bytes how many bytes are touched from there on
     * @param alignment what the address must be a multiple of, a power of two
     */
    private int address(ThreadState thread, int bytes, int alignment) {
        long at = offset.value(thread);
        if (at < 0 || at > size - bytes) {
            throw new Fault(Kind.OUT_OF_BOUNDS, "bytes " + at + " to " + (at + bytes - 1)
                    + " are outside shared buffer '" + name + "' of " + Counted.of(size, "byte"));
        }
        int address = start + (int) at;
        if ((address & alignment - 1) != 0) {
            throw new Fault(Kind.MISALIGNED, "byte " + at + " of shared buffer '" + name + "' is at shared address "
                    + address + ", which must be a multiple of " + alignment);
        }
        return address;
    }
}

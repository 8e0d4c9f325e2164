package dev.tilewright.reference.op;

import dev.tilewright.Counted;
import dev.tilewright.reference.code.IndexCode;
import dev.tilewright.reference.fault.Fault;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import dev.tilewright.reference.state.GlobalMemory;
import dev.tilewright.reference.state.ResolvedAddress;
import dev.tilewright.reference.state.ThreadState;

/** Where an operation touches global memory: an allocation and an offset into it. */
public record GlobalPlace(GlobalMemory memory, IndexCode offset) implements AddressOperand {

    @Override
    public ResolvedAddress resolve(ThreadState thread, int bytes, int alignment) {
        return new ResolvedAddress.InGlobal(memory, offset(thread, bytes, alignment));
    }

    /** The byte offset for one thread, which is touched now. */
    long offset(ThreadState thread, int bytes, int alignment, OpAccess access) {
        long offset = offset(thread, bytes, alignment);
        access.global(thread, memory, offset, bytes);
        return offset;
    }

    /**
     * The byte offset for one thread, which is not reported.
     *
     * @param bytes how many bytes are touched from there on; with 0 the place may be anywhere
     * @param alignment what the offset must be a multiple of, a power of two
     */
    long offset(ThreadState thread, int bytes, int alignment) {
        long at = offset.value(thread);
        if ((at < 0 || at > memory.bytes() - bytes) && bytes > 0) {
            throw new Fault(Kind.OUT_OF_BOUNDS, "bytes " + at + " to " + (at + bytes - 1) + " are outside '"
                    + memory.name() + "', which has " + Counted.of(memory.bytes(), "byte"));
        }
        long start = memory.known().offset();
        if ((start + at & alignment - 1) != 0) {
            throw new Fault(Kind.MISALIGNED, "byte offset " + at + " of '" + memory.name() + "'" + (start == 0 ? ""
                    : ", which starts at byte " + start + " of its buffer,") + " must be a multiple of " + alignment);
        }
        return at;
    }
}

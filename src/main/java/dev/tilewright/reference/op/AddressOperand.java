package dev.tilewright.reference.op;

import dev.tilewright.reference.fault.Fault;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import dev.tilewright.reference.state.ResolvedAddress;
import dev.tilewright.reference.state.ThreadState;

/** Where an operand of an instruction points, however the program says it: a place with a name, or a number. */
@FunctionalInterface
public interface AddressOperand {

    /**
     * The place for one thread, which is not reported: for {@link #at} and its kin, and for addresses at which nothing
     * is touched.
     *
     * @param bytes how many bytes are touched from there on
     * @param alignment what the address must be a multiple of, a power of two
     */
    ResolvedAddress resolve(ThreadState thread, int bytes, int alignment);

    /** The place for one thread, which is touched now. */
    default ResolvedAddress at(ThreadState thread, int bytes, int alignment, OpAccess access) {
        ResolvedAddress at = resolve(thread, bytes, alignment);
        access.report(thread, at, bytes);
        return at;
    }

    /** The place for one thread, which must be in shared memory. @param what for messages: what has to be there */
    default ResolvedAddress.InShared shared(ThreadState thread, int bytes, int alignment, OpAccess access,
            String what) {
        if (resolve(thread, bytes, alignment) instanceof ResolvedAddress.InShared s) {
            access.report(thread, s, bytes);
            return s;
        }
        throw new Fault(Kind.OUT_OF_BOUNDS, what + " must be in shared memory, got an address in global memory");
    }

    /** The place for one thread, which must be in its own block's shared memory. */
    default ResolvedAddress.InShared own(ThreadState thread, int bytes, int alignment, OpAccess access, String what) {
        ResolvedAddress.InShared s = shared(thread, bytes, alignment, OpAccess.NONE, what);
        if (s.block() != thread.block) {
            throw new Fault(Kind.OUT_OF_BOUNDS, what + " must be in the block's own shared memory, got an address in "
                    + "that of the block of rank " + s.block().rank());
        }
        access.report(thread, s, bytes);
        return s;
    }

    /** The place for one thread, which must be in global memory. */
    default ResolvedAddress.InGlobal global(ThreadState thread, int bytes, int alignment, OpAccess access,
            String what) {
        if (resolve(thread, bytes, alignment) instanceof ResolvedAddress.InGlobal g) {
            access.report(thread, g, bytes);
            return g;
        }
        throw new Fault(Kind.OUT_OF_BOUNDS, what + " must be in global memory, got an address in shared memory");
    }
}

package dev.tilewright.reference;

import dev.tilewright.reference.ReferenceException.Kind;

/** Where an operation touches global memory: an allocation and an offset into it. */
record GlobalPlace(GlobalMemory memory, IndexCode offset) {

    /**
     * The byte offset for one thread.
     *
     * @param bytes how many bytes are touched from there on; with 0 the place may be anywhere
     * @param alignment what the offset must be a multiple of, a power of two
     */
    long offset(ThreadState thread, int bytes, int alignment) {
        long at = offset.value(thread);
        if ((at < 0 || at > memory.bytes() - bytes) && bytes > 0) {
            throw new Fault(Kind.OUT_OF_BOUNDS, "bytes " + at + " to " + (at + bytes - 1) + " are outside '"
                    + memory.name() + "', which has " + memory.bytes() + " bytes");
        }
        if ((at & alignment - 1) != 0) {
            throw new Fault(Kind.MISALIGNED,
                    "byte offset " + at + " of '" + memory.name() + "' must be a multiple of " + alignment);
        }
        return at;
    }
}

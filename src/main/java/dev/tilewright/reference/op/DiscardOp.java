package dev.tilewright.reference.op;

import dev.tilewright.reference.state.ResolvedAddress;
import dev.tilewright.reference.state.ThreadState;

/**
 * {@code discard}: what 128 bytes of global memory hold is lost, so that they must be written before they are read
 * again.
 */
public record DiscardOp(OpAccess access, AddressOperand at) implements Op {
    private static final int BYTES = 128;

    @Override
    public int run(ThreadState t, int pc) {
        ResolvedAddress.InGlobal g = at.global(t, BYTES, BYTES, access, "what is discarded").writable();
        g.memory().segment().asSlice(g.offset(), BYTES).fill(t.block.poison());
        return pc + 1;
    }
}

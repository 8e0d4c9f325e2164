package dev.tilewright.reference.op;

import dev.tilewright.reference.code.IndexCode;
import dev.tilewright.reference.fault.Fault;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import dev.tilewright.reference.state.ResolvedAddress;
import dev.tilewright.reference.state.SharedWindow;
import dev.tilewright.reference.state.ThreadState;

/** Where an operation touches the same shared buffer of another block of the cluster. */
public record RemotePlace(SharedPlace own, IndexCode rank) implements AddressOperand {

    @Override
    public ResolvedAddress resolve(ThreadState thread, int bytes, int alignment) {
        long block = rank.value(thread);
        int blocks = thread.block.cluster().blocks().length;
        if (block < 0 || block >= blocks) {
            throw new Fault(Kind.OUT_OF_BOUNDS, "block " + block + " of the cluster is meant, which has " + blocks
                    + " blocks");
        }
        int address = ((ResolvedAddress.InShared) own.resolve(thread, bytes, alignment)).address();
        return SharedWindow.at(thread, SharedWindow.address((int) block, address), bytes, alignment);
    }
}

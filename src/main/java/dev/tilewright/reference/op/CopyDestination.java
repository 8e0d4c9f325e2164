package dev.tilewright.reference.op;

import dev.tilewright.reference.code.IndexCode;
import dev.tilewright.reference.fault.Fault;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import dev.tilewright.reference.state.BlockState;
import dev.tilewright.reference.state.InFlight;
import dev.tilewright.reference.state.Mbarrier;
import dev.tilewright.reference.state.ResolvedAddress;
import dev.tilewright.reference.state.SharedWindow;
import dev.tilewright.reference.state.ThreadState;

/**
 * Where a copy into shared memory goes, and the barrier that counts it: in one block, or at the same offsets in each
 * block of a mask ({@code .multicast::cluster}). Sources: PTX ISA, "cp.async.bulk", "cp.async.bulk.tensor", "st.async".
 *
 * @param access how the copy touches what it is copied to
 * @param mask bit n stands for the block of rank n; null where there is one destination
 * @param own whether it must be the block's own
 */
public record CopyDestination(Site site, OpAccess access, AddressOperand to, AddressOperand barrier, IndexCode mask,
        boolean own) {
    private static final int BARRIER_BYTES = 8;

    /** Makes the copy into one block, its source looked up and reported. */
    @FunctionalInterface
    interface Starter {
        InFlight.Copy start(BlockState block, int address, Mbarrier barrier);
    }

    /** The only destination, in any block of the cluster. */
    public CopyDestination(Site site, OpAccess access, AddressOperand to, AddressOperand barrier) {
        this(site, access, to, barrier, null, false);
    }

    /**
     * Starts the copy.
     *
     * @param counted bytes that it counts on its barrier
     * @param bytes how far it reaches in shared memory
     */
    void start(ThreadState t, int counted, int bytes, int alignment, Starter starter) {
        ResolvedAddress.InShared destination = own ? to.own(t, bytes, alignment, OpAccess.NONE, "the destination")
                : to.shared(t, bytes, alignment, OpAccess.NONE, "the destination");
        ResolvedAddress.InShared word = barrier.shared(t, BARRIER_BYTES, BARRIER_BYTES, OpAccess.NONE, "the barrier");
        if (mask != null) {
            startInEach(t, destination.address(), word.address(), counted, bytes, starter);
            return;
        }
        if (word.block() != destination.block()) {
            throw new Fault(Kind.BARRIER_MISUSE, "the destination is in the shared memory of the block of rank "
                    + destination.block().rank() + " and the barrier in that of rank " + word.block().rank()
                    + ": the barrier must be in the same block as the destination");
        }
        startIn(t, destination.block(), destination.address(), word.address(), counted, bytes, 0, starter);
    }

    /** Whether its thread's block learns of the copy's end in this block: in its own, where the copy goes there too. */
    boolean tellsItsThread(ThreadState t, BlockState block) {
        return block == t.block || mask == null || (mask.value(t) >>> t.block.rank() & 1) == 0;
    }

    private void startInEach(ThreadState t, int address, int barrierAddress, int counted, int bytes, Starter starter) {
        long bits = mask.value(t) & 0xFFFF;
        BlockState[] blocks = t.block.cluster().blocks();
        if (bits == 0 || bits >>> blocks.length != 0) {
            throw new Fault(Kind.OUT_OF_BOUNDS, "the mask of blocks is 0x" + Long.toHexString(bits) + (bits == 0
                    ? ", which names no block" : ", which names a block that is not there: the cluster has "
                    + blocks.length
                    + (blocks.length == 1 ? " block" : " blocks") + ", bits 0 to " + (blocks.length - 1)));
        }
        for (BlockState block : blocks) {
            if ((bits >>> block.rank() & 1) != 0) {
                if (block != t.block) {
                    SharedWindow.requireThere(t, block);
                }
                startIn(t, block, address, barrierAddress, counted, bytes, (int) bits, starter);
            }
        }
    }

    private void startIn(ThreadState t, BlockState block, int address, int barrierAddress, int counted, int bytes,
            int blocks, Starter starter) {
        Mbarrier b = valid(t, block, barrierAddress);
        site.copyStarts(t, b, counted, blocks);
        InFlight.Copy copy = starter.start(block, address, b);
        access.shared(t, block, address, bytes);
        t.block.inFlight().start(copy);
    }

    private Mbarrier valid(ThreadState t, BlockState block, int address) {
        Mbarrier b = block.barrierAt(address);
        if (!b.isValid() && block.cluster().blocks().length > 1) {
            throw new Fault(Kind.BARRIER_MISUSE, "barrier " + b.name() + " of the block of rank " + block.rank()
                    + " is not initialised: its block must have initialised it, and a barrier of the cluster must lie "
                    + "in between");
        }
        return site.valid(t, b);
    }
}

package dev.tilewright.reference.state;

import dev.tilewright.Counted;
import dev.tilewright.reference.fault.Fault;
import dev.tilewright.reference.fault.ReferenceException.Kind;

/**
 * Shared addresses as numbers, which programs get from {@code mapa} and {@code cvta}. They are made up, the same ones
 * in every run: 32 bits with the block's rank in its cluster above the offset, and for generic addresses a window of
 * 64-bit ones. No memory lies at address 0.
 */
public final class SharedWindow {
    private static final int RANK_AT = 24;
    private static final int FIRST = 1024;
    /** Apart from all of {@link DeviceAddresses}. */
    private static final long GENERIC = 0x7D00_0000_0000L;
    private static final long GENERIC_MASK = 0xFFFF_FFFF_0000_0000L;

    private SharedWindow() { }

    /** The number of a byte of a block's shared memory. */
    public static int address(int rank, int offset) {
        return rank << RANK_AT | FIRST + offset;
    }

    public static boolean isGeneric(long address) {
        return (address & GENERIC_MASK) == GENERIC;
    }

    public static long toGeneric(long address) {
        return GENERIC | address & ~GENERIC_MASK;
    }

    public static long fromGeneric(long address) {
        return address & ~GENERIC_MASK;
    }

    /** The block of the thread's cluster that an address belongs to. */
    public static BlockState block(ThreadState t, long address) {
        long rank = (address & ~GENERIC_MASK) >>> RANK_AT;
        BlockState[] blocks = t.block.cluster().blocks();
        if (rank >= blocks.length) {
            throw new Fault(Kind.OUT_OF_BOUNDS, "shared address " + hex(address) + " belongs to a block of rank " + rank
                    + ", and the cluster has " + Counted.of(blocks.length, "block"));
        }
        return blocks[(int) rank];
    }

    /** The place at an address, where something is to be touched: if in another block, that must be there. */
    public static ResolvedAddress.InShared at(ThreadState t, long address, int bytes, int alignment) {
        ResolvedAddress.InShared place = place(t, address, bytes, alignment);
        if (place.block() != t.block) {
            requireThere(t, place.block());
        }
        return place;
    }

    /** The place at an address, at which nothing is about to be accessed. */
    public static ResolvedAddress.InShared place(ThreadState t, long address, int bytes, int alignment) {
        BlockState block = block(t, address);
        long offset = (address & (1 << RANK_AT) - 1) - FIRST;
        if (offset < 0 || offset > block.shared().size() - bytes) {
            throw new Fault(Kind.OUT_OF_BOUNDS, "shared address " + hex(address) + " is byte " + offset
                    + " of the block of rank "
                    + block.rank() + ", which has " + block.shared().size() + " bytes of shared memory");
        }
        if ((offset & alignment - 1) != 0) {
            throw new Fault(Kind.MISALIGNED, "shared address " + hex(address) + " (byte " + offset
                    + " of the block of rank " + block.rank() + ") must be a multiple of " + alignment);
        }
        return new ResolvedAddress.InShared(block, (int) offset);
    }

    /**
     * Refuses the shared memory of another block that may not have started, or whose threads have all exited (CUDA
     * Programming Guide, "Distributed Shared Memory").
     */
    public static void requireThere(ThreadState t, BlockState block) {
        if (!block.cluster().barrier().hasOpened()) {
            throw new Fault(Kind.BLOCK_NOT_STARTED, "block " + block.index() + " (rank " + block.rank()
                    + " of its cluster) may not "
                    + "have started: put " + (t.clusterArrival == ThreadState.NONE ? "a barrier of the cluster"
                            : "barrier.cluster.wait") + " before the first use of another block's shared memory");
        }
        if (!block.isAlive()) {
            throw new Fault(Kind.BLOCK_ENDED, "block " + block.index() + " (rank " + block.rank()
                    + " of its cluster) has "
                    + "ended, and its shared memory with it: let no block end before the others are done with it, with "
                    + "a barrier of the cluster at the end");
        }
    }

    private static String hex(long address) {
        return "0x" + Long.toHexString(address & ~GENERIC_MASK);
    }
}

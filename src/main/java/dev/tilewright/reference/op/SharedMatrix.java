package dev.tilewright.reference.op;

import dev.tilewright.layout.MatrixDescriptor;
import dev.tilewright.layout.MatrixMajor;
import dev.tilewright.reference.code.IndexCode;
import dev.tilewright.reference.fault.Fault;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import dev.tilewright.reference.observe.ExecutionObserver.UnwrittenRead;
import dev.tilewright.reference.state.SharedMemory;
import dev.tilewright.reference.state.SharedWindow;
import dev.tilewright.reference.state.ThreadState;
import java.util.BitSet;

/**
 * An operand of wgmma in shared memory, where a matrix descriptor says that it lies.
 *
 * @param descriptor its 64 bits, the same for every thread of the warpgroup
 * @param mn rows of A or columns of B
 * @param k what one instruction reads of the other index
 */
public record SharedMatrix(IndexCode descriptor, int mn, int k, int elementBytes, MatrixMajor major)
        implements MatrixOperand {
    /** A swizzle moves as many bytes at a time, and so does the instruction read them. */
    private static final int CHUNK = 16;

    /** Where each element lies in the block's shared memory, row by row of A, column by column of B. */
    private int[] addresses(ThreadState t) {
        long bits = descriptor.value(t);
        MatrixDescriptor d;
        try {
            d = MatrixDescriptor.decode(bits);
        } catch (IllegalArgumentException e) {
            throw new Fault(Kind.OUT_OF_BOUNDS, e.getMessage());
        }
        int size = t.block.shared().size();
        int first = SharedWindow.address(0, 0);
        int[] addresses = new int[mn * k];
        for (int i = 0; i < mn; i++) {
            for (int j = 0; j < k; j++) {
                int at = d.addressOf(i, j, elementBytes, major) - first;
                if (at < 0 || at > size - elementBytes) {
                    throw new Fault(Kind.OUT_OF_BOUNDS, "the matrix descriptor 0x" + Long.toHexString(bits)
                            + " leads to byte "
                            + at + " of shared memory, of which the block has " + size + ", for element mn " + i
                            + ", k " + j + ": " + d);
                }
                addresses[i * k + j] = at;
            }
        }
        return addresses;
    }

    @Override
    public long[] elements(ThreadState[] threads, OpAccess access) {
        ThreadState t = threads[0];
        int[] addresses = addresses(t);
        if (access.isReported()) {
            access.matrix(t, MatrixDescriptor.decode(descriptor.value(t)).swizzle());
            BitSet chunks = new BitSet();
            for (int at : addresses) {
                chunks.set(at / CHUNK);
            }
            for (int from = chunks.nextSetBit(0); from >= 0; from = chunks.nextSetBit(from)) {
                int to = chunks.nextClearBit(from);
                access.shared(t, t.block, from * CHUNK, (to - from) * CHUNK);
                from = to;
            }
        }
        SharedMemory shared = t.block.shared();
        long[] elements = new long[addresses.length];
        for (int i = 0; i < addresses.length; i++) {
            elements[i] = shared.get(addresses[i], elementBytes);
        }
        return elements;
    }

    @Override
    public UnwrittenRead[] origins(ThreadState[] threads, int step) {
        ThreadState t = threads[0];
        UnwrittenRead[] origins = null;
        int[] addresses = addresses(t);
        for (int i = 0; i < addresses.length; i++) {
            int first = t.block.defined().firstUndefined(addresses[i], elementBytes);
            if (first >= 0) {
                origins = origins == null ? new UnwrittenRead[addresses.length] : origins;
                origins[i] = t.block.defined().origin(first, addresses[i] + elementBytes, t, step, t.block);
            }
        }
        return origins;
    }
}

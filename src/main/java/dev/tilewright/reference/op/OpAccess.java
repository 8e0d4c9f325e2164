package dev.tilewright.reference.op;

import dev.tilewright.layout.Swizzle;
import dev.tilewright.reference.box.TensorBox;
import dev.tilewright.reference.observe.ExecutionObserver.AccessKind;
import dev.tilewright.reference.observe.ExecutionObserver.Reach;
import dev.tilewright.reference.observe.ExecutionObserver;
import dev.tilewright.reference.state.BlockState;
import dev.tilewright.reference.state.BoundTensor;
import dev.tilewright.reference.state.DeviceAddresses;
import dev.tilewright.reference.state.GlobalMemory;
import dev.tilewright.reference.state.ResolvedAddress;
import dev.tilewright.reference.state.ThreadState;
import java.lang.foreign.MemorySegment;

/**
 * How an operation touches what one of its operands points to. Without one no address is resolved, so that no operation
 * can touch bytes unseen.
 */
public final class OpAccess {
    /** The address alone is asked for: nothing is touched. */
    public static final OpAccess NONE = new OpAccess(null, null);

    private final Site site;
    private final ExecutionObserver observer;
    private final AccessKind kind;

    OpAccess(Site site, AccessKind kind) {
        this.site = site;
        this.observer = site != null && site.isObserved() ? site.observer() : null;
        this.kind = kind;
    }

    /** Whether anything is reported: where not, none of it need be gathered. */
    boolean isReported() {
        return observer != null;
    }

    /** Reports bytes of some memory. */
    void report(ThreadState t, ResolvedAddress at, int bytes) {
        if (observer != null) {
            switch (at) {
                case ResolvedAddress.InShared s -> shared(t, s.block(), s.address(), bytes);
                case ResolvedAddress.InGlobal g -> global(t, g.memory(), g.offset(), bytes);
            }
        }
    }

    /** Reports bytes of a block's shared memory. */
    void shared(ThreadState t, BlockState owner, int address, int bytes) {
        if (observer != null) {
            observer.shared(t.block.index(), t.index, site.step(), kind, owner.index(), address, bytes);
            if (kind.reads()) {
                t.undefined.reads(owner, address, bytes, t, site.step());
            }
            if (kind.writes()) {
                t.undefined.writes(owner, address, bytes, !kind.reads());
            }
        }
    }

    /** What was just read decides how the thread goes on. */
    void decides(ThreadState t) {
        if (observer != null && t.undefined.read != null) {
            site.undefinedReaches(t, t.undefined.read, Reach.BRANCH);
        }
    }

    /** Reports bytes of global memory; kernel parameters are none. */
    void global(ThreadState t, GlobalMemory memory, long offset, long bytes) {
        if (observer != null && bytes > 0) {
            global(t, memory.known(), offset, bytes);
        }
    }

    /** Reports that the value at a place is never the one that is waited for. */
    void stays(ThreadState t, ResolvedAddress at, int bytes, long value) {
        if (observer != null && at instanceof ResolvedAddress.InGlobal(GlobalMemory memory, long offset)) {
            DeviceAddresses.Known known = memory.known();
            if (known.piece() >= 0) {
                observer.globalValueStays(t.block.index(), t.index, site.step(), known.piece(),
                        known.offset() + offset, bytes, value);
            }
        }
    }

    private void global(ThreadState t, DeviceAddresses.Known known, long offset, long bytes) {
        if (known.piece() >= 0) {
            observer.global(t.block.index(), t.index, site.step(), kind, known.piece(), known.offset() + offset, bytes);
        }
    }

    /** Reports that what follows is of a matrix with this swizzle. */
    void matrix(ThreadState t, Swizzle swizzle) {
        if (observer != null) {
            observer.matrixRead(t.block.index(), t.index, site.step(), swizzle);
        }
    }

    /** Reports the rows of a box that lie in the tensor. */
    void box(ThreadState t, BoundTensor tensor, TensorBox box, int[] coordinates, int[] offsets) {
        if (observer != null) {
            MemorySegment home = tensor.memory().home();
            DeviceAddresses.Known known = site.addresses().find(home);
            box.forEachRow(tensor.memory(), coordinates, offsets, kind.writes(), (memory, offset, count) ->
                    global(t, memory == home ? known : site.addresses().find(memory), offset, count));
        }
    }
}

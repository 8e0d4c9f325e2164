package dev.tilewright.hazard.analysis;

import dev.tilewright.hazard.order.ReleasedValues;
import dev.tilewright.hazard.shadow.GlobalShadow.Piece;
import dev.tilewright.hazard.shadow.GlobalShadow;
import dev.tilewright.hazard.shadow.ShadowAccess;
import dev.tilewright.hazard.shadow.ShadowListener;
import dev.tilewright.ptx.Effects.Order;
import java.util.List;
import java.util.Set;

/** Ordinary accesses to memory, and the shadow of all of it. */
final class MemoryTracker {
    private final RunState run;
    private final ShadowListener listener;
    private final StepFacts facts;
    private final ReleasedValues released = new ReleasedValues();
    private GlobalShadow global;
    /** Null where the launch begins after the one before has ended. */
    private PriorGrid prior;

    /** @param listener is told what is wrong with accesses to global memory */
    MemoryTracker(RunState run, ShadowListener listener, StepFacts facts) {
        this.run = run;
        this.listener = listener;
        this.facts = facts;
    }

    /** What global memory consists of, before anything else. */
    void globalMemory(List<Piece> pieces) {
        global = new GlobalShadow(pieces, listener);
    }

    /** The launch may begin before another one has ended. */
    void follows(PriorGrid grid) {
        prior = grid;
    }

    /** All that was touched of it. */
    GlobalShadow globalMemory() {
        return global;
    }

    // ---- ordinary accesses

    /**
     * A thread touches shared memory.
     *
     * @param kind see {@link ShadowAccess}
     * @param order null for an access without a scope
     * @param owner the block whose shared memory it is
     */
    void shared(CheckedThread thread, int step, int kind, Order order, int owner, int address, int bytes) {
        run.touched(bytes);
        long place = Long.MIN_VALUE | (long) owner << 24 | address;
        if (ShadowAccess.reads(kind)) {
            reads(thread, step, order, ReleasedValues.word(place, bytes));
        }
        ShadowAccess access = access(thread, step, kind, order, ReleasedValues.word(place, bytes));
        CheckedBlock block = thread.cluster.block(owner);
        if (owner != thread.block()) {
            block.touchedRemotely(access);
        }
        block.shared.touch(address, bytes, access);
        if (ShadowAccess.writes(kind)) {
            writes(thread, step, kind, order, place, bytes);
        }
    }

    /** A thread touches global memory. */
    void global(CheckedThread thread, int step, int kind, Order order, int piece, long offset, long bytes) {
        run.touched(bytes);
        long place = (long) piece << 48 | offset;
        if (ShadowAccess.reads(kind)) {
            reads(thread, step, order, ReleasedValues.word(place, bytes));
        }
        touchGlobal(piece, offset, bytes, access(thread, step, kind, order, ReleasedValues.word(place, bytes)));
        if (ShadowAccess.writes(kind)) {
            writes(thread, step, kind, order, place, bytes);
        }
    }

    private static ShadowAccess access(CheckedThread thread, int step, int kind, Order order, long word) {
        if (order == null) {
            return thread.access(step, kind, null, null);
        }
        boolean releases = kind == ShadowAccess.WRITE
                && (thread.clock.hasReleasedByFence(order.scope()) || thread.clock.hasReleasedAt(word));
        return thread.access(step, releases ? kind | ShadowAccess.MEETING : kind, order.scope(), word,
                null);
    }

    private void reads(CheckedThread thread, int step, Order order, long word) {
        // A value that is loaded without a scope, into a fragment, decides nothing.
        if (order != null && facts.observes(step)) {
            released.read(thread.clock, step, order, facts.look(step), word);
        } else if (order != null) {
            released.discard(thread.clock, order, word);
        }
    }

    private void writes(CheckedThread thread, int step, int kind, Order order, long place, long bytes) {
        released.write(thread.clock, step, order, ShadowAccess.reads(kind), place, bytes);
        if (order == null && facts.mayBeWaitedFor(step)) {
            released.writePlain(thread.clock, step, place, bytes);
        }
    }

    /** The last writes of bytes of a piece of global memory. */
    Set<ShadowAccess> lastWrites(int piece, long offset, int bytes) {
        return global.lastWrites(piece, offset, bytes);
    }

    // ---- copies

    /** A copy touches shared memory of a cluster. */
    void copyShared(CheckedCluster cluster, ShadowAccess access, int owner, int address, int bytes) {
        run.touched(bytes);
        cluster.block(owner).shared.touch(address, bytes, access);
    }

    /** A copy touches global memory. @param piece -1 for memory that the program was not given */
    void copyGlobal(ShadowAccess access, int piece, long offset, long bytes) {
        run.touched(bytes);
        if (piece >= 0) {
            touchGlobal(piece, offset, bytes, access);
        }
    }

    private void touchGlobal(int piece, long offset, long bytes, ShadowAccess access) {
        if (prior != null) {
            prior.touched(access, piece, offset, bytes);
        }
        global.touch(piece, offset, bytes, access);
    }
}

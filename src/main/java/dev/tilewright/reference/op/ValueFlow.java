package dev.tilewright.reference.op;

import dev.tilewright.program.Warp;
import dev.tilewright.reference.code.IndexCode;
import dev.tilewright.reference.code.SuspectValue;
import dev.tilewright.reference.observe.ExecutionObserver.Reach;
import dev.tilewright.reference.observe.ExecutionObserver.UnwrittenRead;
import dev.tilewright.reference.op.Watched.After;
import dev.tilewright.reference.state.BlockState;
import dev.tilewright.reference.state.DefinedBytes;
import dev.tilewright.reference.state.ThreadState;
import dev.tilewright.reference.state.UndefinedValues;
import dev.tilewright.reference.state.WarpConvergence;

/**
 * How undefined bits go through the operations that move values: from shared memory to slots, between slots, and back.
 */
public final class ValueFlow {
    private static final int SLOT_BYTES = 8;

    private ValueFlow() { }

    /** Nothing is moved. */
    public static After nothing() {
        return (_, _) -> { };
    }

    /** An expression's value goes to a slot. */
    public static After let(int slot, SuspectValue value) {
        return (t, _) -> {
            long bits = value.bits(t);
            t.undefined.set(slot, bits, bits == 0 ? null : value.origin(t));
        };
    }

    /** A value goes to an element of a register. @param slot of the element */
    public static After assign(IndexCode slot, SuspectValue value) {
        return (t, _) -> {
            long bits = value.bits(t);
            if (!t.undefined.none()) {
                t.undefined.set((int) slot.value(t), bits, bits == 0 ? null : value.origin(t));
            }
        };
    }

    /** A value goes to every element of a register. */
    public static After fill(int slot, int count, SuspectValue value) {
        return (t, _) -> {
            long bits = value.bits(t);
            UnwrittenRead origin = bits == 0 ? null : value.origin(t);
            for (int i = slot; i < slot + count; i++) {
                t.undefined.set(i, bits, origin);
            }
        };
    }

    /** A register is made, and nothing is assigned to it. */
    public static After unassigned(int slot, int count, String name) {
        return (t, site) -> {
            UnwrittenRead origin = new UnwrittenRead(t.block.index(), t.index, site.step(), 0, 0, 0, name);
            for (int i = slot; i < slot + count; i++) {
                t.undefined.set(i, -1, origin);
            }
        };
    }

    /** What is defined goes to elements of a register. */
    public static After defined(IndexCode slot, int count) {
        return (t, _) -> {
            for (int i = 0; i < count && !t.undefined.none(); i++) {
                t.undefined.set((int) slot.value(t) + i, 0, null);
            }
        };
    }

    /** What was read goes to elements of a register. @param bytes of each */
    public static After loadValues(IndexCode slot, int count, int bytes) {
        return (t, _) -> {
            UndefinedValues u = t.undefined;
            if (u.none() && u.read == null) {
                return;
            }
            int first = (int) slot.value(t);
            for (int i = 0; i < count; i++) {
                u.set(first + i, u.read == null ? 0 : bits(u.readBytes >>> bytes * i & (1L << bytes) - 1), u.read);
            }
        };
    }

    /** Whatever of some values is undefined makes all of a result undefined. */
    public static After result(int slot, SuspectValue value) {
        return (t, _) -> {
            boolean undefined = value.bits(t) != 0;
            t.undefined.set(slot, undefined ? -1 : 0, undefined ? value.origin(t) : null);
        };
    }

    /** What was read goes to a slot, or to two. */
    public static After load(int slot, int bytes) {
        return (t, _) -> {
            UndefinedValues u = t.undefined;
            for (int i = 0; i * SLOT_BYTES < bytes; i++) {
                u.set(slot + i, u.read == null ? 0 : bits(u.readBytes >>> SLOT_BYTES * i), u.read);
            }
        };
    }

    /** What was read goes to a slot, or to two, where a value may not be wanted. */
    public static After loadValue(int slot, int bytes) {
        return (t, _) -> t.undefined.set(slot, t.undefined.read == null ? 0
                : bits(t.undefined.readBytes & (1L << bytes) - 1), t.undefined.read);
    }

    /** Eight bits for each of the lowest eight. */
    private static long bits(long bytes) {
        long bits = 0;
        for (int i = 0; i < SLOT_BYTES; i++) {
            bits |= (bytes >>> i & 1) == 0 ? 0 : 0xFFL << 8 * i;
        }
        return bits;
    }

    /** A fragment has been written to memory. */
    public static After store(int slot, int bytes) {
        return (t, site) -> {
            for (int i = 0; i < bytes && !t.undefined.none(); i += SLOT_BYTES) {
                int from = slot + i / SLOT_BYTES;
                stored(t, site, t.undefined.bits(from), from, i, Math.min(SLOT_BYTES, bytes - i));
            }
        };
    }

    private static void stored(ThreadState t, Site site, long bits, int slot, int at, int bytes) {
        long used = bits & (bytes == SLOT_BYTES ? -1 : (1L << 8 * bytes) - 1);
        if (used != 0) {
            stored(t, site, used, t.undefined.origin(slot), at, bytes);
        }
    }

    /** Undefined bits have been written. @param at behind where the thread's write began */
    private static void stored(ThreadState t, Site site, long bits, UnwrittenRead origin, int at, int bytes) {
        BlockState to = t.undefined.wroteTo;
        if (to == null) {
            site.undefinedReaches(t, origin, Reach.MEMORY);
            return;
        }
        for (int i = 0; i < bytes; i++) {
            if ((bits >>> 8 * i & 0xFF) != 0) {
                to.defined().writtenUndefined(t.undefined.wroteAt + at + i, origin);
            }
        }
    }

    /** Values have been written to memory, one behind the other. @param bytes of each */
    public static After storeValues(SuspectValue[] values, int bytes) {
        long used = bytes == SLOT_BYTES ? -1 : (1L << 8 * bytes) - 1;
        return (t, site) -> {
            for (int i = 0; i < values.length; i++) {
                long bits = values[i].bits(t) & used;
                if (bits != 0) {
                    stored(t, site, bits, values[i].origin(t), i * bytes, bytes);
                }
            }
        };
    }

    /** A value in memory has been combined with others. @param replaces whether nothing of the old one is left */
    public static After update(int slot, SuspectValue[] values, int bytes, boolean replaces) {
        After old = loadValue(slot, bytes);
        After stores = storeValues(values, bytes);
        return (t, site) -> {
            old.done(t, site);
            if (replaces && t.undefined.wroteTo != null) {
                t.undefined.wroteTo.defined().written(t.undefined.wroteAt, bytes);
            }
            for (SuspectValue value : values) {
                if (value.bits(t) != 0) {
                    stores.done(t, site);
                }
            }
        };
    }

    /** A warp has read matrices. */
    public static After loadMatrices(MatrixOps.Load load) {
        boolean transposed = load.transposed();
        return (t, _) -> {
            ThreadState[] threads = t.block.threads();
            int first = WarpConvergence.first(t);
            for (int m = 0; m < load.matrices(); m++) {
                for (int l = 0; l < Warp.LANES; l++) {
                    long bits = 0;
                    UnwrittenRead origin = null;
                    for (int which = 0; which < 2; which++) {
                        ThreadState row = threads[first + MatrixOps.row(m, l, which, transposed)];
                        long undefined = row.undefined.read == null ? 0
                                : row.undefined.readBytes >>> MatrixOps.offset(l, which, transposed) & 3;
                        if (undefined != 0) {
                            bits |= bits(undefined) << 16 * which;
                            origin = row.undefined.read;
                        }
                    }
                    threads[first + l].undefined.set((int) load.slots().value(threads[first + l]) + m, bits, origin);
                }
            }
        };
    }

    /** A warp has written matrices. */
    public static After storeMatrices(MatrixOps.Store store) {
        boolean transposed = store.transposed();
        return (t, _) -> {
            ThreadState[] threads = t.block.threads();
            int first = WarpConvergence.first(t);
            for (int m = 0; m < store.matrices(); m++) {
                for (int l = 0; l < Warp.LANES; l++) {
                    UndefinedValues from = threads[first + l].undefined;
                    int slot = from.none() ? 0 : (int) store.slots().value(threads[first + l]) + m;
                    long bits = from.bits(slot);
                    for (int which = 0; bits != 0 && which < 2; which++) {
                        ThreadState row = threads[first + MatrixOps.row(m, l, which, transposed)];
                        DefinedBytes to = row.undefined.wroteTo.defined();
                        int at = row.undefined.wroteAt + MatrixOps.offset(l, which, transposed);
                        for (int i = 0; i < 2; i++) {
                            if ((bits >>> 16 * which + 8 * i & 0xFF) != 0) {
                                to.writtenUndefined(at + i, from.origin(slot));
                            }
                        }
                    }
                }
            }
        };
    }

    /** Shared memory has been copied to, or combined with, shared memory. @param from the source's address */
    static void copied(ThreadState t, int step, int from, int bytes) {
        DefinedBytes source = t.block.defined();
        int first = source.firstUndefined(from, bytes);
        for (int at = first; first >= 0 && at < from + bytes; at++) {
            if (!source.isDefined(at)) {
                t.undefined.wroteTo.defined().writtenUndefined(t.undefined.wroteAt + at - from,
                        source.origin(at, from + bytes, t, step, t.block));
            }
        }
    }
}

package dev.tilewright.hazard.explore;

import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.DataType;

/** An asynchronous copy under way: it reads its source, writes its destination, says that it is done. */
final class Copy {
    /** How its end becomes known. */
    enum End { CP_ASYNC_GROUP, BULK_GROUP, BARRIER, ARRIVAL }

    /** What it does next. */
    enum Stage { READ, WRITE, COMPLETE }

    /** Bytes of a space. */
    record Place(int space, long offset) {
    }

    final int issuer;
    final End end;
    final boolean generic;
    /** Where it reads; null for values from registers and for arrivals. */
    final Place source;
    final int sourceBytes;
    /** Where it writes; null for arrivals. */
    final Place destination;
    final int bytes;
    /** The number of the barrier that counts its bytes, or -1. */
    final int barrier;
    /** A reduction instead of a plain write. */
    final AtomicOp op;
    final DataType type;
    final int group;
    final int bit;
    /** The number of the thread's step at barriers that started it. */
    int barrierStep;
    /** The number of the step that started it. */
    int step;
    Stage stage = Stage.READ;
    int data = -1;
    /** What its thread knew when it started, and its own accesses. */
    View view;
    /**
     * What it has itself read and written, and nothing that its thread did before: all that its end is ordered with
     * (PTX ISA 8.9.1.1). Of an arrival that follows copies, the same of those copies.
     */
    View own;

    Copy(int issuer, End end, boolean generic, Place source, int sourceBytes, Place destination, int bytes,
            int barrier, AtomicOp op, DataType type, int group, int bit) {
        this.issuer = issuer;
        this.end = end;
        this.generic = generic;
        this.source = source;
        this.sourceBytes = sourceBytes;
        this.destination = destination;
        this.bytes = bytes;
        this.barrier = barrier;
        this.op = op;
        this.type = type;
        this.group = group;
        this.bit = bit;
    }

    Copy copy() {
        Copy c = new Copy(issuer, end, generic, source, sourceBytes, destination, bytes, barrier, op, type, group,
                bit);
        c.barrierStep = barrierStep;
        c.step = step;
        c.stage = stage;
        c.data = data;
        c.view = view.copy();
        c.own = own.copy();
        return c;
    }

    /** Whether it touches the shared memory of a block. @param space the number of that memory */
    boolean touches(int space, int barriersPerBlock, int block) {
        return source != null && source.space == space || destination != null && destination.space == space
                || barrier >= 0 && barrier / barriersPerBlock == block;
    }

    void addTo(Key key, int gone) {
        key.add(issuer * 64L + end.ordinal() * 8 + stage.ordinal() * 2 + (generic ? 1 : 0));
        key.add(source == null ? -1 : source.space * 100_000L + source.offset);
        key.add(destination == null ? -1 : destination.space * 100_000L + destination.offset);
        key.add(bytes * 4096L + barrier);
        key.add(data);
        key.add((group - gone) * 4096L + bit);
        key.add(view);
        key.add(own);
    }
}

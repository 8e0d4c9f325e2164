package dev.tilewright.oracle;

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
    final Place[] destinations;
    final int bytes;
    /** For each destination the barrier that counts its bytes. */
    final int[] barriers;
    /** A reduction instead of a plain write. */
    final AtomicOp op;
    final DataType type;
    final int group;
    final int bit;
    Stage stage = Stage.READ;
    int data = -1;
    /** How many destinations it has written or counted. */
    int next;
    View view;

    Copy(int issuer, End end, boolean generic, Place source, int sourceBytes, Place[] destinations, int bytes,
            int[] barriers, AtomicOp op, DataType type, int group, int bit) {
        this.issuer = issuer;
        this.end = end;
        this.generic = generic;
        this.source = source;
        this.sourceBytes = sourceBytes;
        this.destinations = destinations;
        this.bytes = bytes;
        this.barriers = barriers;
        this.op = op;
        this.type = type;
        this.group = group;
        this.bit = bit;
    }

    Copy copy() {
        Copy c = new Copy(issuer, end, generic, source, sourceBytes, destinations, bytes, barriers, op, type, group,
                bit);
        c.stage = stage;
        c.data = data;
        c.next = next;
        c.view = view.copy();
        return c;
    }

    /** Whether it touches the shared memory of a block. @param space the number of that memory */
    boolean touches(int space, int barriersPerBlock, int block) {
        if (source != null && source.space == space) {
            return true;
        }
        for (Place p : destinations) {
            if (p.space == space) {
                return true;
            }
        }
        for (int b : barriers) {
            if (b / barriersPerBlock == block) {
                return true;
            }
        }
        return false;
    }

    void addTo(Key key, int gone) {
        key.add(issuer * 64L + end.ordinal() * 8 + stage.ordinal() * 2 + (generic ? 1 : 0));
        key.add(source == null ? -1 : source.space * 100_000L + source.offset);
        for (Place p : destinations) {
            key.add(p.space * 100_000L + p.offset);
        }
        key.add(bytes * 64L + next);
        key.add(barriers);
        key.add(data);
        key.add((group - gone) * 64L + bit);
        key.add(view);
    }
}

package dev.tilewright.hazard.explore;

import dev.tilewright.hazard.explore.paged.Key;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.DataType;
import java.util.List;
import java.util.stream.Stream;

/** An asynchronous copy under way: it reads its source, writes its destination, says that it is done. */
final class Copy {
    /** How its end becomes known. */
    enum End { CP_ASYNC_GROUP, BULK_GROUP, BARRIER, ARRIVAL }

    /** What it does next. */
    enum Stage { READ, WRITE, COMPLETE }

    /** Bytes of a space. */
    record Place(int space, long offset) { }

    /**
     * Neighbouring bytes of memory that a copy reads or writes.
     *
     * @param of which of the copy's bytes each is; null for the first ones in their order
     */
    record Part(Place place, int bytes, int[] of) {
        Part(Place place, int bytes) {
            this(place, bytes, null);
        }

        int at(int i) {
            return of == null ? i : of[i];
        }
    }

    final int issuer;
    final End end;
    final boolean generic;
    /** Where it reads; nothing for values from registers, for arrivals, and outside a tensor. */
    final List<Part> sources;
    /** Where it writes; nothing for arrivals, and outside a tensor. */
    final List<Part> destinations;
    /** What it counts at its barrier, or moves. */
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

    Copy(int issuer, End end, boolean generic, List<Part> sources, List<Part> destinations, int bytes,
            int barrier, AtomicOp op, DataType type, int group, int bit) {
        this.issuer = issuer;
        this.end = end;
        this.generic = generic;
        this.sources = List.copyOf(sources);
        this.destinations = List.copyOf(destinations);
        this.bytes = bytes;
        this.barrier = barrier;
        this.op = op;
        this.type = type;
        this.group = group;
        this.bit = bit;
    }

    /** How many bytes it carries between reading and writing, gaps between them among that. */
    int size() {
        int size = bytes;
        for (Part part : destinations) {
            size = Math.max(size, part.bytes);
            for (int i = 0; part.of != null && i < part.bytes; i++) {
                size = Math.max(size, part.of[i] + 1);
            }
        }
        return size;
    }

    Copy copy() {
        Copy c = new Copy(issuer, end, generic, sources, destinations, bytes, barrier, op, type, group, bit);
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
        return Stream.concat(sources.stream(), destinations.stream()).anyMatch(part -> part.place.space == space)
                || barrier >= 0 && barrier / barriersPerBlock == block;
    }

    void addTo(Key key, int gone) {
        key.add(issuer * 64L + end.ordinal() * 8 + stage.ordinal() * 2 + (generic ? 1 : 0));
        addTo(key, sources);
        addTo(key, destinations);
        key.add(bytes * 4096L + barrier);
        key.add(data);
        key.add((group - gone) * 4096L + bit);
        View.addTo(key, view);
        View.addTo(key, own);
    }

    private static void addTo(Key key, List<Part> parts) {
        key.add(parts.size());
        parts.forEach(part -> {
            key.add(part.place.space);
            key.add(part.place.offset);
            key.add(part.bytes);
        });
    }
}

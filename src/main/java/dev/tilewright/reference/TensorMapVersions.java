package dev.tilewright.reference;

import dev.tilewright.reference.ReferenceException.Kind;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

/**
 * The tensor maps that one block has changed and published: who set fields of a map in shared memory, who published a
 * map to global memory, and which threads have acquired it since. Of what orders one thread before another only
 * {@code __syncthreads} counts here.
 *
 * <p>Sources: PTX ISA, "Memory Consistency Model: Proxies" and "tensormap.cp_fenceproxy"; CUDA Programming Guide, "Using
 * TMA to transfer multi-dimensional arrays", "Modifying a tensor map in device memory".
 */
final class TensorMapVersions {
    private static final int MAP_BYTES = 128;

    /** A place for a map in global memory. @param name the pointer that the program names it by */
    record Place(String name, MemorySegment memory, long offset) {
        static Place of(GlobalPlace place, ThreadState t) {
            GlobalMemory memory = place.memory();
            return new Place(memory.name(), memory.segment(), place.offset(t, MAP_BYTES, MAP_BYTES));
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Place p && memory.equals(p.memory) && offset == p.offset;
        }

        @Override
        public int hashCode() {
            return 31 * memory.hashCode() + Long.hashCode(offset);
        }

        @Override
        public String toString() {
            return "byte " + offset + " of '" + name + "'";
        }
    }

    /** The last change to a map in shared memory. @param syncs how often the block had met at that time */
    private record Edit(int thread, long syncs) {
    }

    /** A published map. */
    private static final class Published {
        private final int firstThread;
        private final int lastThread;
        private final long syncs;
        private final BitSet acquiredBy = new BitSet();
        private BoundTensor tensor;

        Published(int firstThread, int lastThread, long syncs) {
            this.firstThread = firstThread;
            this.lastThread = lastThread;
            this.syncs = syncs;
        }
    }

    private final Map<Integer, Edit> edits = new HashMap<>();
    private final Map<Place, Published> published = new HashMap<>();
    private long syncs;

    /** Forgets everything: another block starts. */
    void restart() {
        if (!edits.isEmpty() || !published.isEmpty()) {
            edits.clear();
            published.clear();
        }
        syncs = 0;
    }

    /** All threads of the block have met. */
    void synced() {
        syncs++;
    }

    /** A thread has set a field of the map at this shared address. */
    void edited(int address, int thread) {
        edits.put(address, new Edit(thread, syncs));
    }

    /** A map goes from shared to global memory and becomes known. @param first, last the threads that do it together */
    void publish(int address, Place to, int first, int last) {
        Edit edit = edits.get(address);
        if (edit != null && edit.syncs == syncs && first != last) {
            throw new Fault(Kind.TENSOR_MAP, "thread " + edit.thread + " has set a field of the map at shared address "
                    + address + ", and no __syncthreads() lies between that and publishing it");
        }
        release(to, first, last);
    }

    /** A map in global memory becomes known as it is. */
    void release(Place place, int first, int last) {
        Published old = published.put(place, new Published(first, last, syncs));
        if (old != null && old.tensor != null && old.tensor.copiesUnderWay() > 0) {
            throw new Fault(Kind.TENSOR_MAP, "the map at " + place + " is published anew while "
                    + old.tensor.copiesUnderWay() + " copies through it are still under way: wait for them first");
        }
    }

    void acquire(Place place, int thread) {
        Published p = require(place, "the map at " + place);
        if (p.syncs == syncs && (thread < p.firstThread || thread > p.lastThread)) {
            throw new Fault(Kind.TENSOR_MAP, "thread " + thread + " acquires the map at " + place
                    + ", and no __syncthreads() lies between that and its publishing by thread " + p.lastThread);
        }
        p.acquiredBy.set(thread);
    }

    /** The tensor behind a map that a thread uses. @param read reads it, the first time since it was published */
    BoundTensor use(Place place, ThreadState t, String title, Function<Place, BoundTensor> read) {
        Published p = require(place, title + " at " + place);
        if (!p.acquiredBy.get(t.index)) {
            throw new Fault(Kind.TENSOR_MAP, "thread " + t.index + " uses " + title + " at " + place
                    + " without having acquired it since it was last published: put acquireMap before the use");
        }
        if (p.tensor == null) {
            p.tensor = read.apply(place);
        }
        return p.tensor;
    }

    private Published require(Place place, String what) {
        Published p = published.get(place);
        if (p == null) {
            throw new Fault(Kind.TENSOR_MAP, what + " has not been published by any thread of this block");
        }
        return p;
    }
}

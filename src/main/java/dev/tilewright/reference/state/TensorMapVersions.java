package dev.tilewright.reference.state;

import dev.tilewright.reference.fault.Fault;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * The tensor maps that one block has changed and published: which thread set fields of a map in shared memory, which
 * published a map to global memory, and which threads have acquired it since. Of what orders one thread before another only
 * {@code __syncthreads} counts here.
 *
 * <p>A release ({@code fence.proxy.tensormap::generic.release}) names no map: it publishes those whose bytes are others, when
 * they are acquired, than they were when last published. A map whose bytes have changed without a release since is refused
 * where it is acquired, or used for the first time.
 *
 * <p>Sources: PTX ISA, "Memory Consistency Model: Proxies" and "tensormap.cp_fenceproxy"; CUDA Programming Guide, "Using
 * TMA to transfer multi-dimensional arrays", "Modifying a tensor map in device memory".
 */
public final class TensorMapVersions {
    private static final int MAP_BYTES = 128;

    /** A place for a map in global memory. @param name the pointer that the program names it by */
    public record Place(String name, MemorySegment memory, long offset) {
        public static Place of(ResolvedAddress.InGlobal at) {
            return new Place(at.memory().name(), at.memory().segment(), at.offset());
        }

        byte[] bytes() {
            return memory.asSlice(offset, MAP_BYTES).toArray(ValueLayout.JAVA_BYTE);
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

    /** A release of all that a thread has written. @param syncs how often the block had met at that time */
    private record Release(int thread, long syncs) {
    }

    /** A published map. */
    private static final class Published {
        private final int firstThread;
        private final int lastThread;
        private final long syncs;
        /** How many releases had come before. */
        private final int releases;
        private final BitSet acquiredBy = new BitSet();
        private byte[] bytes;
        private BoundTensor tensor;

        Published(int firstThread, int lastThread, long syncs, int releases, byte[] bytes) {
            this.firstThread = firstThread;
            this.lastThread = lastThread;
            this.syncs = syncs;
            this.releases = releases;
            this.bytes = bytes;
        }

        int copiesUnderWay() {
            return tensor == null ? 0 : tensor.copiesUnderWay();
        }
    }

    private final Map<Integer, Edit> edits = new HashMap<>();
    private final Map<Place, Published> published = new HashMap<>();
    private final List<Release> releases = new ArrayList<>();
    private long syncs;

    /** Forgets everything: another block starts. */
    void restart() {
        if (!edits.isEmpty() || !published.isEmpty() || !releases.isEmpty()) {
            edits.clear();
            published.clear();
            releases.clear();
        }
        syncs = 0;
    }

    /** All threads of the block have met. */
    void synced() {
        syncs++;
    }

    /** A thread has set a field of the map at this shared address. */
    public void edited(int address, int thread) {
        edits.put(address, new Edit(thread, syncs));
    }

    /** A map is about to go from shared to global memory and becomes known. @param first, last the threads that do it together */
    public void publish(int address, Place to, int first, int last) {
        Edit edit = edits.get(address);
        if (edit != null && edit.syncs == syncs && first != last) {
            throw new Fault(Kind.TENSOR_MAP, "thread " + edit.thread + " has set a field of the map at shared address "
                    + address + ", and no __syncthreads() lies between that and publishing it");
        }
        requireNoCopies(to, published.get(to));
        published.put(to, new Published(first, last, syncs, releases.size(), to.bytes()));
    }

    /** A map that was published has been written to its place. */
    public void written(Place place) {
        published.get(place).bytes = place.bytes();
    }

    /** The maps that a thread has written to global memory become known as they are. */
    public void release(int thread) {
        published.forEach((place, p) -> {
            if (p.copiesUnderWay() > 0 && isChanged(place, p)) {
                requireNoCopies(place, p);
            }
        });
        releases.add(new Release(thread, syncs));
    }

    public void acquire(Place place, int thread) {
        Published p = published(place, thread);
        if (p.syncs == syncs && (thread < p.firstThread || thread > p.lastThread)) {
            throw new Fault(Kind.TENSOR_MAP, "thread " + thread + " acquires the map at " + place
                    + ", and no __syncthreads() lies between that and its publishing by thread " + p.lastThread);
        }
        p.acquiredBy.set(thread);
    }

    /** The map as a thread that acquires it finds it published: by name, or by a release since. */
    private Published published(Place place, int thread) {
        Published p = published.get(place);
        int seen = p == null ? 0 : p.releases;
        if (p != null && !isChanged(place, p)) {
            return p;
        }
        if (seen == releases.size()) {
            require(place, "the map at " + place);
            throw changed(place);
        }
        List<Release> since = releases.subList(seen, releases.size());
        // Which of them it was for, no instruction says: one that the thread may rely on, if there is one.
        Release r = since.stream().filter(s -> s.thread == thread || s.syncs < syncs).reduce((_, last) -> last)
                .orElse(since.getLast());
        Published now = new Published(r.thread, r.thread, r.syncs, releases.size(), place.bytes());
        published.put(place, now);
        return now;
    }

    private static boolean isChanged(Place place, Published p) {
        return !Arrays.equals(p.bytes, place.bytes());
    }

    private static Fault changed(Place place) {
        return new Fault(Kind.TENSOR_MAP, "the map at " + place
                + " has been written to since it was last published: put releaseMaps after the stores");
    }

    private static void requireNoCopies(Place place, Published p) {
        if (p != null && p.copiesUnderWay() > 0) {
            throw new Fault(Kind.TENSOR_MAP, "the map at " + place + " is published anew while "
                    + p.copiesUnderWay() + " copies through it are still under way: wait for them first");
        }
    }

    /** The tensor behind a map that a thread uses. @param read reads it, the first time since it was published */
    public BoundTensor use(Place place, ThreadState t, String title, Function<Place, BoundTensor> read) {
        Published p = require(place, title + " at " + place);
        if (!p.acquiredBy.get(t.index)) {
            throw new Fault(Kind.TENSOR_MAP, "thread " + t.index + " uses " + title + " at " + place
                    + " without having acquired it since it was last published: put acquireMap before the use");
        }
        if (p.tensor == null) {
            if (isChanged(place, p)) {
                throw changed(place);
            }
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

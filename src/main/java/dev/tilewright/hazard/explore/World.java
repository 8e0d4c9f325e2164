package dev.tilewright.hazard.explore;

import dev.tilewright.hazard.explore.NamedBarriers.NamedBarrier;
import dev.tilewright.hazard.explore.paged.Key;
import dev.tilewright.hazard.explore.paged.Marks;
import dev.tilewright.program.Warp;
import dev.tilewright.ptx.Scope;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** One state of a launch: every thread, every copy under way, every barrier, all memory. */
final class World {
    /** Of its maps and lists. */
    static final int BYTES_OF_THREAD = 800;
    /** Of its list of writes. */
    static final int BYTES_OF_CELL = 100;

    final Launched launched;
    ThreadState[] threads;
    List<Copy> copies = new ArrayList<>();
    Barrier[] barriers;
    /** {@value NamedBarriers#COUNT} of each block; none where the program has none. */
    NamedBarrier[] named;
    /** For each cell its writes, the newest last: a new list for each change, since states share them. */
    List<Write>[] writes;
    /** For each cell who has read it since the newest write. */
    Marks readers;
    boolean[] ended;
    /** Which blocks have begun; those of a cluster need not do so at once. */
    boolean[] started;
    /** What the threads that wait at the cluster's barrier hand on, and what the last that completed did. */
    View[] arriving;
    View[] met;
    /** What sequentially consistent fences have handed on. */
    View strict;
    /** For each mbarrier who has passed a wait, or announced bytes, since its last phase was complete. */
    Marks passers;
    /** How it came to this; no part of the state. */
    Trail trail;

    @SuppressWarnings({"unchecked", "rawtypes"})
    World(Launched launched) {
        this.launched = launched;
        int cells = launched.cells.count();
        threads = new ThreadState[launched.threads];
        for (int t = 0; t < threads.length; t++) {
            threads[t] = new ThreadState(t, launched.code.variables.size(), launched.code.fragments.size(),
                    launched.code.slots, launched.view());
        }
        barriers = new Barrier[launched.blocks * launched.barriersPerBlock];
        for (int b = 0; b < barriers.length; b++) {
            barriers[b] = new Barrier(launched.view());
        }
        named = new NamedBarrier[launched.named];
        for (int b = 0; b < named.length; b++) {
            named[b] = new NamedBarrier(launched.view());
        }
        writes = (List<Write>[]) new List<?>[cells];
        for (int c = 0; c < cells; c++) {
            writes[c] = List.of(Write.first(launched.initial(c)));
        }
        readers = launched.marks();
        ended = new boolean[launched.blocks];
        started = new boolean[launched.blocks];
        java.util.Arrays.fill(started, launched.clusterBlocks == 1);
        arriving = new View[launched.blocks / launched.clusterBlocks];
        met = new View[arriving.length];
        for (int i = 0; i < arriving.length; i++) {
            arriving[i] = launched.view();
            met[i] = launched.view();
        }
        strict = launched.view();
        passers = launched.barrierMarks();
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private World(World w) {
        launched = w.launched;
        threads = new ThreadState[w.threads.length];
        for (int t = 0; t < threads.length; t++) {
            threads[t] = w.threads[t].copy();
        }
        w.copies.forEach(c -> copies.add(c.copy()));
        barriers = new Barrier[w.barriers.length];
        for (int b = 0; b < barriers.length; b++) {
            barriers[b] = w.barriers[b].copy();
        }
        named = new NamedBarrier[w.named.length];
        for (int b = 0; b < named.length; b++) {
            named[b] = w.named[b].copy();
        }
        writes = (List<Write>[]) new List<?>[w.writes.length];
        for (int c = 0; c < writes.length; c++) {
            writes[c] = w.writes[c].stream().allMatch(m -> m.notes().isEmpty()) ? w.writes[c]
                    : w.writes[c].stream().map(Write::copy).toList();
        }
        readers = w.readers.copy();
        ended = w.ended.clone();
        started = w.started.clone();
        arriving = new View[w.arriving.length];
        met = new View[w.met.length];
        for (int i = 0; i < met.length; i++) {
            arriving[i] = w.arriving[i].copy();
            met[i] = w.met[i].copy();
        }
        strict = w.strict.copy();
        passers = w.passers.copy();
        trail = w.trail;
    }

    /** About how many bytes it takes that no other state has. */
    long bytes() {
        long[] sum = {threads.length * (BYTES_OF_THREAD + 8L * (launched.code.slots + launched.code.variables.size()))
                + writes.length * 8L + copies.size() * BYTES_OF_THREAD + readers.bytes() + passers.bytes()};
        forEachView(v -> sum[0] += v.bytes());
        return sum[0];
    }

    World copy() {
        return new World(this);
    }

    // ---- who is where

    int block(int thread) {
        return thread / launched.threadsPerBlock;
    }

    /** The number of its warp, of those of all blocks. */
    int warp(int thread) {
        return block(thread) * launched.threadsPerBlock + thread % launched.threadsPerBlock / Warp.LANES;
    }

    int cluster(int thread) {
        return block(thread) / launched.clusterBlocks;
    }

    /** How far a scope has to reach to include both threads: 0 for a block, 1 for a cluster, 2 for the GPU. */
    int distance(int one, int other) {
        return block(one) == block(other) ? 0 : cluster(one) == cluster(other) ? 1 : 2;
    }

    static int level(Scope scope) {
        return Math.min(scope.ordinal(), 2);
    }

    boolean includes(Scope scope, int one, int other) {
        return level(scope) >= distance(one, other);
    }

    /** Refuses a use of the shared memory of a block that is not there. */
    void requireThere(int block) {
        if (ended[block]) {
            throw new Ending("shared memory of a block that has ended");
        }
        if (!started[block]) {
            throw new Ending("shared memory of a block that may not have started");
        }
    }

    // ---- views

    void forEachView(Consumer<View> action) {
        for (ThreadState t : threads) {
            t.forEachView(action);
        }
        for (Copy c : copies) {
            action.accept(c.view);
            action.accept(c.own);
        }
        for (Barrier b : barriers) {
            b.forEachView(action);
        }
        for (NamedBarrier b : named) {
            action.accept(b.gathered);
        }
        for (List<Write> cell : writes) {
            cell.forEach(m -> m.notes().forEach(n -> action.accept(n.view())));
        }
        for (int i = 0; i < met.length; i++) {
            action.accept(arriving[i]);
            action.accept(met[i]);
        }
        action.accept(strict);
    }

    /** Forgets what makes no difference any more, so that states that mean the same look the same. */
    void tidy() {
        View known = null;
        for (ThreadState t : threads) {
            if (!t.finished) {
                known = meet(known, t.view);
            }
        }
        for (Copy c : copies) {
            known = meet(known, c.view);
        }
        if (known == null) {
            return;
        }
        View all = known;
        int[] drop = new int[writes.length];
        int[] seen = IntStream.range(0, writes.length).filter(c -> all.generic.get(c) + all.async.get(c) > 0).toArray();
        for (int c : seen) {
            drop[c] = Math.min(all.generic.get(c), all.async.get(c));
            writes[c] = drop[c] == 0 ? writes[c] : List.copyOf(writes[c].subList(drop[c], writes[c].size()));
        }
        readers.removeAll(all.reads);
        forEachView(v -> {
            for (int c : seen) {
                v.generic.set(c, Math.max(0, Math.max(v.generic.get(c), all.generic.get(c)) - drop[c]));
                v.async.set(c, Math.max(0, Math.max(v.async.get(c), all.async.get(c)) - drop[c]));
            }
            v.reads.keepAll(readers);
        });
    }

    private static View meet(View known, View view) {
        if (known == null) {
            return view.copy();
        }
        known.generic.lowerAll(view.generic);
        known.async.lowerAll(view.async);
        known.reads.keepAll(view.reads);
        return known;
    }

    Key.Print print() {
        Key key = new Key();
        for (ThreadState t : threads) {
            t.addTo(key);
        }
        key.add(copies.size());
        copies.stream().sorted(Comparator.comparingInt(c -> c.issuer)).forEach(c -> c.addTo(key, switch (c.end) {
            case CP_ASYNC_GROUP -> threads[c.issuer].cpAsync.gone;
            case BULK_GROUP -> threads[c.issuer].bulk.gone;
            case BARRIER, ARRIVAL -> 0;
        }));
        for (Barrier b : barriers) {
            b.addTo(key, launched.threadsPerBlock);
        }
        for (NamedBarrier b : named) {
            b.addTo(key);
        }
        for (List<Write> cell : writes) {
            key.add(cell.size());
            cell.forEach(m -> m.addTo(key));
        }
        readers.addTo(key);
        for (int b = 0; b < ended.length; b++) {
            key.add((ended[b] ? 1 : 0) + (started[b] ? 2 : 0));
        }
        for (int i = 0; i < met.length; i++) {
            View.addTo(key, arriving[i]);
            View.addTo(key, met[i]);
        }
        View.addTo(key, strict);
        passers.addTo(key);
        return key.print();
    }
}

package dev.tilewright.hazard.explore;

import dev.tilewright.hazard.explore.Write.Note;
import dev.tilewright.hazard.explore.paged.Key;
import dev.tilewright.ptx.Scope;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/** Where a thread stands and what it knows. */
final class ThreadState {
    /** How far it is with the cluster's barrier. */
    enum Cluster { AWAY, ARRIVED, PASSED }

    final int number;
    int pc;
    /** How many steps it has made at barriers. */
    int barrierSteps;
    long[] variables;
    /** Variables whose values come from bytes that nothing wrote. */
    BitSet undefined = new BitSet();
    /** The words of registers, by the slots of {@link FlatCode#registers}. */
    long[] registers;
    BitSet undefinedRegisters = new BitSet();
    /** The numbers of the bytes that fragments hold. */
    int[] fragments;
    View view;
    /** What it knew at its last releasing fence of a scope that reaches its block, its cluster, its GPU; or null. */
    View[] released = new View[3];
    /** What a fence of those scopes would make known of values already seen; or null. */
    View[] seen = new View[3];
    /** What it handed on at cells to which it has released. */
    Map<Integer, List<Note>> handedOn = new TreeMap<>();
    /**
     * What it has seen at cells by relaxed reads (PTX ISA 8.8, acquire patterns: a later acquire there makes it known).
     */
    Map<Integer, List<Note>> seenAt = new TreeMap<>();
    /** The cells that it has looked at in this turn of a loop, by accesses of a scope. */
    Map<Integer, Scope> looked = new TreeMap<>();
    /** What it knew at its last fence.mbarrier_init. */
    View initialised;
    Groups cpAsync = new Groups();
    Groups bulk = new Groups();
    /** What its cp.async copies that are over have themselves read and written. */
    View cpAsyncDone;
    boolean atSync;
    /** The members of its warp for whom it waits, a bit each; 0 where it does not. */
    int members;
    /** The barrier with a name at which it waits, its number among all barriers plus one; 0 for none. */
    int named;
    /** Whether its warp has come together at the step where it stands. */
    boolean together;
    Cluster cluster = Cluster.AWAY;
    boolean finished;

    ThreadState(int number, int variables, int fragments, int slots, View empty) {
        this.number = number;
        this.variables = new long[variables];
        this.registers = new long[slots];
        this.undefinedRegisters.set(0, slots);
        this.fragments = new int[fragments];
        Arrays.fill(this.fragments, -1);
        view = empty;
    }

    private ThreadState(int number) {
        this.number = number;
    }

    ThreadState copy() {
        ThreadState t = new ThreadState(number);
        t.pc = pc;
        t.barrierSteps = barrierSteps;
        t.variables = variables.clone();
        t.undefined = (BitSet) undefined.clone();
        t.registers = registers.clone();
        t.undefinedRegisters = (BitSet) undefinedRegisters.clone();
        t.fragments = fragments.clone();
        t.view = View.copy(view);
        for (int i = 0; i < 3; i++) {
            t.released[i] = View.copy(released[i]);
            t.seen[i] = View.copy(seen[i]);
        }
        handedOn.forEach((cell, notes) -> t.handedOn.put(cell, notes.stream().map(Note::copy).toList()));
        seenAt.forEach((cell, notes) -> t.seenAt.put(cell, new ArrayList<>(notes.stream().map(Note::copy).toList())));
        t.looked.putAll(looked);
        t.initialised = View.copy(initialised);
        t.cpAsync = cpAsync.copy();
        t.bulk = bulk.copy();
        t.cpAsyncDone = View.copy(cpAsyncDone);
        t.atSync = atSync;
        t.members = members;
        t.named = named;
        t.together = together;
        t.cluster = cluster;
        t.finished = finished;
        return t;
    }

    /** Forgets what no longer matters. */
    void finish() {
        finished = true;
        variables = new long[0];
        fragments = new int[0];
        registers = new long[0];
        undefinedRegisters = new BitSet();
        released = new View[3];
        seen = new View[3];
        handedOn.clear();
        seenAt.clear();
        looked.clear();
        initialised = null;
        cpAsyncDone = null;
    }

    void forEachView(Consumer<View> action) {
        List<View> all = new ArrayList<>(List.of(view));
        all.addAll(Arrays.asList(released));
        all.addAll(Arrays.asList(seen));
        all.add(initialised);
        all.add(cpAsyncDone);
        all.forEach(v -> {
            if (v != null) {
                action.accept(v);
            }
        });
        handedOn.values().forEach(notes -> notes.forEach(n -> action.accept(n.view())));
        seenAt.values().forEach(notes -> notes.forEach(n -> action.accept(n.view())));
        cpAsync.forEachView(action);
        bulk.forEachView(action);
    }

    void addTo(Key key) {
        key.add(pc * 128L + (together ? 64 : 0) + cluster.ordinal() * 4 + (atSync ? 2 : 0) + (finished ? 1 : 0));
        if (!finished) {
            key.add(members);
            key.add(named);
            for (long v : variables) {
                key.add(v);
            }
            for (long u : undefined.toLongArray()) {
                key.add(u);
            }
            for (long r : registers) {
                key.add(r);
            }
            for (long u : undefinedRegisters.toLongArray()) {
                key.add(u);
            }
            key.add(fragments);
            View.addTo(key, view);
            for (int i = 0; i < 3; i++) {
                View.addTo(key, released[i]);
                View.addTo(key, seen[i]);
            }
            handedOn.forEach((cell, notes) -> {
                key.add(cell);
                notes.forEach(n -> n.addTo(key));
            });
            seenAt.forEach((cell, notes) -> {
                key.add(cell);
                notes.forEach(n -> n.addTo(key));
            });
            looked.keySet().forEach(key::add);
            View.addTo(key, initialised);
            View.addTo(key, cpAsyncDone);
            cpAsync.addTo(key);
        }
        bulk.addTo(key);
    }
}

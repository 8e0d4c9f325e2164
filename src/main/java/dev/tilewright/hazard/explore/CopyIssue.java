package dev.tilewright.hazard.explore;

import dev.tilewright.hazard.explore.Copy.End;
import dev.tilewright.hazard.explore.Copy.Part;
import dev.tilewright.hazard.explore.Copy.Place;
import dev.tilewright.hazard.explore.Copy.Stage;
import dev.tilewright.hazard.explore.Groups.Group;
import dev.tilewright.program.Operation;
import dev.tilewright.program.expression.Input;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.copy.BulkClusterCopy;
import dev.tilewright.ptx.copy.BulkCommitGroup;
import dev.tilewright.ptx.copy.BulkLoad;
import dev.tilewright.ptx.copy.BulkPrefetch;
import dev.tilewright.ptx.copy.BulkReduce;
import dev.tilewright.ptx.copy.BulkStore;
import dev.tilewright.ptx.copy.BulkWaitGroup;
import dev.tilewright.ptx.copy.CopyInstruction;
import dev.tilewright.ptx.copy.CpAsync;
import dev.tilewright.ptx.copy.CpAsyncCommitGroup;
import dev.tilewright.ptx.copy.CpAsyncWaitAll;
import dev.tilewright.ptx.copy.CpAsyncWaitGroup;
import dev.tilewright.ptx.copy.LoadMode;
import dev.tilewright.ptx.copy.RedAsync;
import dev.tilewright.ptx.copy.StAsync;
import dev.tilewright.ptx.copy.StoreMode;
import dev.tilewright.ptx.copy.TensorLoad;
import dev.tilewright.ptx.copy.TensorPrefetch;
import dev.tilewright.ptx.copy.TensorReduce;
import dev.tilewright.ptx.copy.TensorStore;
import dev.tilewright.ptx.mbarrier.CpAsyncMbarrierArrive;
import java.util.BitSet;
import java.util.List;

/** Starts asynchronous copies, and waits for their groups (PTX ISA, "Asynchronous Operations"). */
final class CopyIssue {
    private final Machine m;
    private final World w;

    CopyIssue(Machine m) {
        this.m = m;
        this.w = m.w;
    }

    boolean isBlocked(ThreadState t, CopyInstruction form) {
        return switch (form) {
            case CpAsyncWaitGroup wait -> t.cpAsync.waitedFor(wait.pending()).stream()
                    .anyMatch(g -> g.outstanding > 0);
            case CpAsyncWaitAll _ -> t.cpAsync.pending.stream().anyMatch(g -> g.outstanding > 0);
            case BulkWaitGroup wait -> t.bulk.waitedFor(wait.pending()).stream()
                    .anyMatch(g -> (wait.read() ? g.unread : g.outstanding) > 0);
            default -> false;
        };
    }

    void issue(ThreadState t, Operation.Issue issue, CopyInstruction form) {
        Places places = new Places(w, t);
        switch (form) {
            case CpAsyncCommitGroup _ -> t.cpAsync.commit(w.launched.view());
            case BulkCommitGroup _ -> t.bulk.commit(w.launched.view());
            case CpAsyncWaitGroup wait -> waited(t, t.cpAsync, wait.pending(), false);
            case CpAsyncWaitAll _ -> {
                t.cpAsync.commit(w.launched.view());
                waited(t, t.cpAsync, 0, false);
            }
            case BulkWaitGroup wait -> waited(t, t.bulk, wait.pending(), wait.read());
            case CpAsync c -> cpAsync(t, issue, c, places);
            case BulkLoad load -> bulkLoad(t, issue, load, places);
            case BulkClusterCopy _ -> {
                int bytes = bytes(t, issue);
                start(new Copy(t.number, End.BARRIER, false, one(aligned(places.of(issue, "src"), 16), bytes),
                        one(aligned(places.of(issue, "dst"), 16), bytes), bytes,
                        places.barrier(places.of(issue, "mbar")), null, null, 0, freeBit()), t);
            }
            case BulkStore _ -> store(t, issue, places, null, null);
            case BulkReduce reduce -> store(t, issue, places, reduce.op(), reduce.type());
            case TensorLoad load when load.mode() == LoadMode.TILE && load.group() == TensorLoad.CtaGroup.NONE ->
                    tensorLoad(t, issue, load, places);
            case TensorStore store when store.mode() == StoreMode.TILE -> tensorStore(t, issue, places, null);
            case TensorReduce reduce when reduce.mode() == StoreMode.TILE -> tensorStore(t, issue, places, reduce.op());
            case TensorPrefetch _, BulkPrefetch _ -> { }
            case StAsync st when st.vector() == StAsync.Vector.ONE -> fromRegister(t, issue, places, null, st.type());
            case RedAsync red -> fromRegister(t, issue, places, red.op(), red.type());
            default -> throw new Unsupported(form.opcode());
        }
    }

    private void cpAsync(ThreadState t, Operation.Issue issue, CpAsync c, Places places) {
        int read = switch (c.source()) {
            case WHOLE -> c.bytes();
            case SIZED -> number(t, issue, "src_bytes");
            case IGNORABLE -> number(t, issue, "ignore_src") != 0 ? 0 : c.bytes();
        };
        int group = t.cpAsync.openNumber(w.launched.view());
        t.cpAsync.group(group).outstanding++;
        t.cpAsync.group(group).inFlight = true;
        start(new Copy(t.number, End.CP_ASYNC_GROUP, true, one(aligned(places.of(issue, "src"), c.bytes()), read),
                one(aligned(places.of(issue, "dst"), c.bytes()), c.bytes()), c.bytes(), -1, null, null, group,
                freeBit()), t);
    }

    private void bulkLoad(ThreadState t, Operation.Issue issue, BulkLoad load, Places places) {
        int bytes = bytes(t, issue);
        Place to = aligned(places.of(issue, "dst"), 16);
        List<Part> from = one(aligned(places.of(issue, "src"), 16), bytes);
        load(t, issue, load.multicast(), places, to, (place, barrier) -> start(new Copy(t.number, End.BARRIER, false,
                from, one(place, bytes), bytes, barrier, null, null, 0, freeBit()), t));
    }

    private void tensorLoad(ThreadState t, Operation.Issue issue, TensorLoad load, Places places) {
        Place to = aligned(places.of(issue, "dst"), Box.ALIGNMENT);
        Box box = Box.of(w, t, issue, to.offset());
        load(t, issue, load.multicast(), places, to, (place, barrier) -> start(new Copy(t.number, End.BARRIER, false,
                box.inTensor(), box.inShared(place), box.bytes(), barrier, null, null, 0, freeBit()), t));
    }

    private void tensorStore(ThreadState t, Operation.Issue issue, Places places, AtomicOp op) {
        Place from = aligned(places.of(issue, "src"), Box.ALIGNMENT);
        Box box = Box.of(w, t, issue, from.offset());
        start(new Copy(t.number, End.BULK_GROUP, false, box.inShared(from), box.inTensor(), box.bytes(), -1, op,
                op == null ? null : box.reduced(), openGroup(t), freeBit()), t);
    }

    /** Starts a load into one block, or into each. */
    private interface Load {
        void to(Place place, int barrier);
    }

    private void load(ThreadState t, Operation.Issue issue, boolean multicast, Places places, Place to, Load each) {
        Place barrier = places.of(issue, "mbar");
        if (!multicast) {
            each.to(to, places.barrier(barrier));
            return;
        }
        int mask = number(t, issue, "cta_mask");
        if (mask == 0 || mask >>> w.launched.clusterBlocks != 0) {
            throw new Ending("a multicast to blocks that are not there");
        }
        for (int rank = 0; rank < w.launched.clusterBlocks; rank++) {
            if ((mask >> rank & 1) != 0) {
                each.to(places.inBlockOf(to, rank), places.barrier(places.inBlockOf(barrier, rank)));
            }
        }
    }

    private static List<Part> one(Place place, int bytes) {
        return bytes == 0 ? List.of() : List.of(new Part(place, bytes));
    }

    private void store(ThreadState t, Operation.Issue issue, Places places, AtomicOp op, DataType type) {
        int bytes = bytes(t, issue);
        start(new Copy(t.number, End.BULK_GROUP, false, one(aligned(places.of(issue, "src"), 16), bytes),
                one(aligned(places.of(issue, "dst"), 16), bytes), bytes, -1, op, type, openGroup(t), freeBit()), t);
    }

    /** Takes note of one more bulk copy. @return the number of its group */
    private int openGroup(ThreadState t) {
        int group = t.bulk.openNumber(w.launched.view());
        Group g = t.bulk.group(group);
        g.outstanding++;
        g.unread++;
        g.inFlight = true;
        return group;
    }

    private void fromRegister(ThreadState t, Operation.Issue issue, Places places, AtomicOp op, DataType type) {
        Copy c = new Copy(t.number, End.BARRIER, true, List.of(),
                one(aligned(places.of(issue, "dst"), type.bytes()), type.bytes()), type.bytes(),
                places.barrier(places.of(issue, "mbar")), op, type, 0, freeBit());
        Input value = w.launched.input(issue, op == null ? "value0" : "value");
        c.data = w.launched.values.number(Values.of(new Eval(w, t).of(value), type.bytes()));
        start(c, t);
    }

    /** cp.async.mbarrier.arrive: an arrival that follows the thread's copies so far. */
    void arriveAfter(ThreadState t, Operation.Issue issue, CpAsyncMbarrierArrive form) {
        Places places = new Places(w, t);
        int number = places.barrier(places.of(issue, "mbar"));
        if (!form.noinc()) {
            m.barriers.counts(t.view, number);
            m.barriers.used(m.agent(t), number).pending++;
        }
        Copy c = new Copy(t.number, End.ARRIVAL, true, List.of(), List.of(), 0, number, null, null, 0,
                freeBit());
        start(c, t);
        if (!form.noinc()) {
            // After the start: that the phase lacks this arrival is no reason why the addition comes before its end.
            m.barriers.comesBefore(t, number, w.barriers[number].completed);
        }
        // From here on the arrival is under way for them.
        t.cpAsync.pending.forEach(g -> g.inFlight = false);
        if (t.cpAsyncDone != null) {
            c.own.join(t.cpAsyncDone);
        }
    }

    private void start(Copy copy, ThreadState t) {
        Places places = new Places(w, t);
        copy.sources.forEach(part -> places.whole(part.place(), part.bytes()));
        copy.destinations.forEach(part -> places.whole(part.place(), part.bytes()));
        copy.step = w.launched.code.steps.get(t.pc - 1);
        copy.view = t.view.copy();
        copy.barrierStep = copy.barrier < 0 ? 0 : t.barrierSteps++;
        copy.own = w.launched.view();
        if (copy.end == End.ARRIVAL || copy.data >= 0) {
            copy.stage = copy.end == End.ARRIVAL ? Stage.COMPLETE : Stage.WRITE;
        }
        w.copies.add(copy);
    }

    /** A number by which the reads of a copy are told from those of others. */
    private int freeBit() {
        long[] used = new long[w.readers.words()];
        w.readers.addTo(used);
        BitSet taken = BitSet.valueOf(used);
        taken.set(0, w.threads.length);
        w.copies.forEach(c -> taken.set(c.bit));
        int bit = taken.nextClearBit(0);
        if (bit >= used.length * Long.SIZE) {
            throw new Unsupported("more copies at once than it can tell apart");
        }
        return bit;
    }

    private void waited(ThreadState t, Groups groups, int left, boolean read) {
        List<Group> waited = groups.waitedFor(left);
        for (Group g : waited) {
            t.view.join(read ? g.read : g.done);
            g.inFlight = false;
        }
        if (!read) {
            groups.gone += waited.size();
            waited.clear();
        }
    }

    private static Place aligned(Place place, int bytes) {
        if (place.offset() % bytes != 0) {
            throw new Ending("a misaligned copy");
        }
        return place;
    }

    private int bytes(ThreadState t, Operation.Issue issue) {
        int bytes = number(t, issue, "bytes");
        if (bytes % 16 != 0 || bytes < 16) {
            throw new Ending("a bulk copy of " + bytes + " bytes");
        }
        return bytes;
    }

    private int number(ThreadState t, Operation.Issue issue, String operand) {
        return (int) new Eval(w, t).of(issue, operand);
    }
}

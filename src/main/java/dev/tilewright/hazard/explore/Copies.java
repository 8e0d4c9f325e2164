package dev.tilewright.hazard.explore;

import dev.tilewright.hazard.explore.Copy.End;
import dev.tilewright.hazard.explore.Copy.Part;
import dev.tilewright.hazard.explore.Copy.Place;
import dev.tilewright.hazard.explore.Copy.Stage;
import dev.tilewright.hazard.explore.Groups.Group;
import dev.tilewright.hazard.explore.Memory.Agent;
import dev.tilewright.program.Operation;
import dev.tilewright.program.expression.Input;
import dev.tilewright.ptx.AtomicOp;
import dev.tilewright.ptx.DataType;
import dev.tilewright.ptx.Scope;
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
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Starts asynchronous copies, moves them on, and waits for their groups (PTX ISA, "Asynchronous Operations"). */
final class Copies {
    private static final int[] NONE = {};

    private final Machine m;
    private final World w;

    Copies(Machine m) {
        this.m = m;
        this.w = m.w;
    }

    // ---- starting and waiting

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

    // ---- copies under way

    private int[] cells(Part part) {
        return w.launched.cells.of(part.place().space(), part.place().offset(), part.bytes());
    }

    private boolean isConstant(Part part) {
        return w.launched.constant(part.place(), part.bytes()) != null;
    }

    Machine.Next next(Copy c) {
        Cells cells = w.launched.cells;
        return switch (c.stage) {
            case READ -> local(c.sources.stream().allMatch(part -> isConstant(part)
                    || Memory.isLocal(cells, cells(part))));
            case WRITE -> local(c.destinations.stream().allMatch(part -> Memory.isLocal(cells, cells(part)))
                    && !(c.generic && c.end == End.BARRIER));
            case COMPLETE -> switch (c.end) {
                case CP_ASYNC_GROUP, BULK_GROUP -> Machine.Next.LOCAL;
                case BARRIER -> m.at(c.barrier);
                case ARRIVAL -> earlierCopies(c) ? Machine.Next.BLOCKED : m.at(c.barrier);
            };
        };
    }

    private static Machine.Next local(boolean is) {
        return is ? Machine.Next.LOCAL : Machine.Next.VISIBLE;
    }

    private boolean earlierCopies(Copy arrival) {
        for (Copy c : w.copies) {
            if (c == arrival) {
                return false;
            }
            if (c.issuer == arrival.issuer && c.end == End.CP_ASYNC_GROUP) {
                return true;
            }
        }
        return false;
    }

    void step(Copy c) {
        Agent agent = new Agent(c.issuer, c.bit, c.view, !c.generic);
        ThreadState t = w.threads[c.issuer];
        w.trail = new Trail(w.trail, c.issuer, c.step, switch (c.stage) {
            case READ -> Move.Kind.COPY_READS;
            case WRITE -> Move.Kind.COPY_WRITES;
            case COMPLETE -> Move.Kind.COPY_ENDS;
        });
        switch (c.stage) {
            case READ -> {
                short[] data = new short[c.size()];
                for (Part part : c.sources) {
                    short[] constant = w.launched.constant(part.place(), part.bytes());
                    short[] read = constant != null ? constant : m.memory.read(agent, cells(part));
                    for (int cell : constant != null ? NONE : cells(part)) {
                        c.own.reads.add(cell, c.bit);
                    }
                    for (int i = 0; i < read.length; i++) {
                        data[part.at(i)] = read[i];
                    }
                }
                c.data = w.launched.values.number(data);
                c.stage = Stage.WRITE;
                if (c.end == End.BULK_GROUP) {
                    Group g = t.bulk.group(c.group);
                    g.unread--;
                    g.read.join(c.view);
                }
            }
            case WRITE -> {
                short[] all = w.launched.values.bytes(c.data);
                for (Part part : c.destinations) {
                    short[] data = new short[part.bytes()];
                    for (int i = 0; i < data.length; i++) {
                        data[i] = all[part.at(i)];
                    }
                    int[] to = cells(part);
                    if (c.op == null) {
                        m.memory.write(agent, to, data);
                    } else {
                        m.memory.reduce(agent, to, c.op, c.type, data, c.generic ? Scope.CLUSTER : Scope.GPU);
                    }
                    for (int cell : to) {
                        c.own.generic.set(cell, c.view.generic.get(cell));
                        c.own.async.set(cell, c.view.async.get(cell));
                    }
                }
                c.stage = Stage.COMPLETE;
            }
            case COMPLETE -> complete(c, agent, t);
        }
    }

    private void complete(Copy c, Agent agent, ThreadState t) {
        switch (c.end) {
            case CP_ASYNC_GROUP -> {
                w.copies.subList(w.copies.indexOf(c), w.copies.size()).stream()
                        .filter(a -> a.issuer == c.issuer && a.end == End.ARRIVAL).forEach(a -> a.own.join(c.own));
                w.copies.remove(c);
                Group g = t.cpAsync.group(c.group);
                g.outstanding--;
                g.done.join(c.view);
                if (!t.finished) {
                    if (t.cpAsyncDone == null) {
                        t.cpAsyncDone = c.own.copy();
                    } else {
                        t.cpAsyncDone.join(c.own);
                    }
                }
            }
            case BULK_GROUP -> {
                w.copies.remove(c);
                Group g = t.bulk.group(c.group);
                g.outstanding--;
                g.done.join(c.view);
            }
            // 8.9.1.1: ordered with the memory operations of the thread's earlier cp.async, and with nothing else.
            case ARRIVAL -> land(c, agent, b -> b.arrive(1, false));
            // 8.9.1.1: complete-tx is ordered with the copy's own memory operations; it does not order what came
            // before the instruction in its thread.
            case BARRIER -> land(c, agent, b -> b.expect(-c.bytes));
        }
    }

    private void land(Copy c, Agent agent, Consumer<Barrier> change) {
        w.copies.remove(c);
        Barrier b = m.barriers.used(agent, c.barrier);
        m.facts.at(c.issuer, c.barrierStep, c.barrier, b.completed);
        m.barriers.counts(c.view, c.barrier);
        b.counted = b.completed;
        change.accept(b);
        b.landing.join(c.own);
        m.barriers.advance(c.barrier);
    }

    /**
     * At the end of a block: nothing may be under way in its shared memory, which is there no longer (PTX ISA, "State
     * Spaces"). Of copies of a group nothing but a wait guarantees the completion ("cp.async").
     */
    void requireNoneIn(int block) {
        int space = w.launched.sharedSpace(block);
        if (w.copies.stream().anyMatch(c -> c.touches(space, w.launched.barriersPerBlock, block))
                || Arrays.stream(w.threads).filter(t -> w.block(t.number) == block)
                        .flatMap(t -> Stream.of(t.cpAsync, t.bulk)).flatMap(g -> g.pending.stream())
                        .anyMatch(g -> g.inFlight)) {
            throw new Ending("a block ends while a copy uses its shared memory");
        }
    }
}

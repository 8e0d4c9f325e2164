package dev.tilewright.hazard.explore;

import dev.tilewright.hazard.explore.Copy.End;
import dev.tilewright.hazard.explore.Copy.Part;
import dev.tilewright.hazard.explore.Copy.Stage;
import dev.tilewright.hazard.explore.Groups.Group;
import dev.tilewright.hazard.explore.Memory.Agent;
import dev.tilewright.ptx.Scope;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Moves copies under way on: each reads its sources, then writes its destinations, then ends as its group or barrier
 * counts it (PTX ISA, "Asynchronous Operations").
 */
final class CopyProgress {
    private static final int[] NONE = {};

    private final Machine m;
    private final World w;

    CopyProgress(Machine m) {
        this.m = m;
        this.w = m.w;
    }

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

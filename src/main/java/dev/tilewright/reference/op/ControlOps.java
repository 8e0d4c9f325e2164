package dev.tilewright.reference.op;

import dev.tilewright.program.expression.Expr;
import dev.tilewright.program.expression.IntType;
import dev.tilewright.reference.code.ConditionCode;
import dev.tilewright.reference.code.IndexCode;
import dev.tilewright.reference.code.IndexFault;
import dev.tilewright.reference.fault.Fault;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import dev.tilewright.reference.state.ThreadState;

/** The operations that structured steps become: variables, loops, guards, the block-wide barrier, the end. */
public final class ControlOps {

    private ControlOps() { }

    public record Let(int slot, IndexCode value) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            t.keep(slot, value.value(t));
            return pc + 1;
        }
    }

    /** Goes on with the guarded body, or past it. */
    public record Branch(ConditionCode condition, Label otherwise) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            return condition.holds(t) ? pc + 1 : otherwise.pc();
        }
    }

    public record Jump(Label target) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            return target.pc();
        }
    }

    /** Begins another turn of a loop that ends by data, after others have had theirs: it may wait for what they do. */
    public record Again(Label turn) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            t.pc = turn.pc();
            t.again++;
            return YIELD;
        }
    }

    /**
     * Enters a loop or passes it. The variable, its bound and its step lie in three neighbouring slots; bound and step
     * are made of immutable variables, so computing them once is the same as in every turn. A loop that is passed does
     * not compute its step.
     */
    public record LoopEnter(int slot, IndexCode from, IndexCode until, IndexCode by, Label end) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            long start = from.value(t);
            long bound = until.value(t);
            if (start >= bound) {
                return end.pc();
            }
            long step = by.value(t);
            t.slots[slot] = start;
            t.slots[slot + 1] = bound;
            t.slots[slot + 2] = step;
            if (step <= 0) {
                throw new Fault(Kind.WOULD_HANG, "the loop from " + start + " to below " + bound + " in steps of "
                        + step + " would never end");
            }
            return pc + 1;
        }
    }

    public record LoopNext(int slot, IntType type, Label body) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            long[] slots = t.slots;
            long value = slots[slot];
            long step = slots[slot + 2];
            long next = value + step;
            if (type == IntType.S32 ? (int) next != next : next < value) {
                throw IndexFault.of(Expr.Op.ADD, type, value, step);
            }
            slots[slot] = next;
            return next < slots[slot + 1] ? body.pc() : pc + 1;
        }
    }

    public record SyncThreads(Site site) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            site.reachesSync(t);
            t.block.arriveAtSyncThreads(t, pc);
            if (t.pc == pc + 1) {
                site.syncThreads(t);
            }
            return YIELD;
        }
    }

    /** A block-wide barrier for a thread that goes alone while others go together: all are counted elsewhere. */
    public record SyncAlone() implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            t.status = ThreadState.Status.AT_SYNC_THREADS;
            t.pc = pc;
            return YIELD;
        }
    }

    /** The last operation of every program. */
    public record Exit(Site site) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            site.exits(t);
            t.block.exit(t);
            return YIELD;
        }
    }

    /** Something that only orders accesses that this executor performs in order anyway. */
    public record Fence(Site site) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            site.fence(t);
            return pc + 1;
        }
    }

    /** {@code griddepcontrol.wait}: here the grid before has ended. */
    public record AwaitPriorGrid(Site site) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            site.awaitsPriorGrid(t);
            return pc + 1;
        }
    }

    /** Something that changes no byte and orders nothing: a hint. */
    public record Nothing() implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            return pc + 1;
        }
    }
}

package dev.tilewright.reference;

import dev.tilewright.program.Expr;
import dev.tilewright.program.IntType;
import dev.tilewright.reference.ReferenceException.Kind;

/** The operations that structured steps become: variables, loops, guards, the block-wide barrier, the end. */
final class ControlOps {

    private ControlOps() {
    }

    record Let(int slot, IndexCode value) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            t.keep(slot, value.value(t));
            return pc + 1;
        }
    }

    /** Goes on with the guarded body, or past it. */
    record Branch(ConditionCode condition, Label otherwise) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            return condition.holds(t) ? pc + 1 : otherwise.pc();
        }
    }

    record Jump(Label target) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            return target.pc();
        }
    }

    /**
     * Enters a loop or passes it. The variable, its bound and its step lie in three neighbouring slots; bound and step
     * are made of immutable variables, so computing them once is the same as in every turn.
     */
    record LoopEnter(int slot, IndexCode from, IndexCode until, IndexCode by, Label end) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            long start = from.value(t);
            long bound = until.value(t);
            long step = by.value(t);
            t.slots[slot] = start;
            t.slots[slot + 1] = bound;
            t.slots[slot + 2] = step;
            if (start >= bound) {
                return end.pc();
            }
            if (step <= 0) {
                throw new Fault(Kind.WOULD_HANG, "the loop from " + start + " to below " + bound + " in steps of " + step
                        + " would never end");
            }
            return pc + 1;
        }
    }

    record LoopNext(int slot, IntType type, Label body) implements Op {
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

    record SyncThreads(Site site) implements Op {
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

    /** The last operation of every program. */
    record Exit(Site site) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            site.exits(t);
            t.block.exit(t);
            return YIELD;
        }
    }

    /** Something that only orders accesses that this executor performs in order anyway. */
    record Fence(Site site) implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            site.fence(t);
            return pc + 1;
        }
    }

    /** Something that changes no byte and orders nothing: a hint. */
    record Nothing() implements Op {
        @Override
        public int run(ThreadState t, int pc) {
            return pc + 1;
        }
    }
}

package dev.tilewright.reference.simt;

import dev.tilewright.reference.state.SharedMemory;
import java.util.ArrayList;
import java.util.List;

/**
 * One turn of threads that go together: each of them as far as it would go alone, or until an operation that each
 * performs alone. Where they part, the threads that are behind in the program go first, so that they meet again.
 *
 * <p>One by one they would take their turns in the order of their numbers. What they do together is the same, because
 * <ul>
 * <li>what a {@link LaneOp} does shows in the lane's own slots, which no other lane sees, and in memory; what it
 *     depends on besides is memory and phases of mbarriers. All that changes anything else a thread performs
 *     alone;</li>
 * <li>no lane touches a byte that another stores to in this turn, or they go one by one: {@link TurnMemory};</li>
 * <li>no lane touches anything that a lane with a lower number may change when it goes alone after this turn: such
 *     lanes come later, and a lane that was too early sends all one by one;</li>
 * <li>whatever ends the turn of one lane ends it where it would alone, and counts as its one turn of the round.</li>
 * </ul>
 */
final class Turn {
    /** Steps after which a turn ends that has touched nothing, and the rest is another: the budget wants to know. */
    private static final long LONG = 1 << 14;
    /** Steps after which a turn that has touched something is given up: it could not be taken back in parts. */
    private static final long TOO_LONG = 1 << 20;

    private final LaneOp[] ops;
    private final Lanes lanes;
    private final TurnMemory memory;
    /** All lanes of the part whose turn it is, without a gap: lanes that stop or end stay until the turn is over. */
    private final List<Part> parts = new ArrayList<>();
    /** The highest lane that has touched anything; -1 for none. */
    private int touched;
    private long steps;

    Turn(LaneOp[] ops, Lanes lanes, TurnMemory memory) {
        this.ops = ops;
        this.lanes = lanes;
        this.memory = memory;
    }

    /** Whether the last turn was of use: something was touched together. */
    boolean paid() {
        return touched >= 0;
    }

    /** Operations of all threads in the last turn. */
    long steps() {
        return steps;
    }

    /**
     * Performs it.
     *
     * @return what the part has come to, in the order of its lanes; some may still go on together. None where they have
     *     to go one by one: nothing has happened then
     */
    List<Part> take(Part part, SharedMemory shared) {
        parts.clear();
        parts.add(new Part(part.from, part.until, part.pc, Part.State.TOGETHER, part.moved));
        touched = -1;
        steps = 0;
        memory.begin(shared);
        for (int next = lowest(-1); next >= 0 && (touched >= 0 || steps < LONG); next = lowest(-1)) {
            goOn(next);
            if (lanes.areApart()) {
                lanes.takeBack();
                return List.of();
            }
        }
        assert noneWasEarly();
        memory.store();
        lanes.keep();
        return parts;
    }

    /** The running part that is furthest behind; -1 for none. @param but this one */
    private int lowest(int but) {
        int lowest = -1;
        for (int i = 0; i < parts.size(); i++) {
            Part p = parts.get(i);
            if (i != but && p.state == Part.State.TOGETHER && (lowest < 0 || p.pc < parts.get(lowest).pc)) {
                lowest = i;
            }
        }
        return lowest;
    }

    /** A part goes on until it stops, parts, or has come as far as another one. */
    private void goOn(int which) {
        Part p = parts.get(which);
        int other = lowest(which);
        int limit = other < 0 ? Integer.MAX_VALUE : parts.get(other).pc;
        boolean tooEarly = anyGoesAlone(which);
        lanes.from = p.from;
        lanes.until = p.until;
        do {
            LaneOp op = ops[p.pc];
            if (op == null) {
                goAlone(p);
                return;
            }
            if (op.touches()) {
                if (tooEarly) {
                    p.state = Part.State.LATER;
                    return;
                }
                touched = Math.max(touched, p.until - 1);
            }
            assert p.from == lanes.from && p.until == lanes.until;
            int next = op.run(lanes, p.pc);
            if (lanes.areApart()) {
                return;
            }
            switch (next) {
                case LaneOp.SPLIT -> {
                    split(which);
                    return;
                }
                case LaneOp.WAIT -> {
                    p.state = Part.State.WAITS;
                    p.waitsFor = lanes.waitsFor;
                    return;
                }
                case LaneOp.ALONE -> {
                    goAlone(p);
                    return;
                }
                case LaneOp.SYNC -> {
                    p.state = Part.State.ARRIVES;
                    performed(p);
                    return;
                }
                case LaneOp.EXIT -> {
                    p.state = Part.State.ENDS;
                    performed(p);
                    return;
                }
                default -> {
                    p.pc = next;
                    performed(p);
                }
            }
            if (steps >= TOO_LONG && touched >= 0) {
                lanes.goApart();
                return;
            }
        } while (p.pc < limit && (steps < LONG || touched >= 0));
        meet();
    }

    private void performed(Part p) {
        steps += p.size();
        p.moved = true;
    }

    /** What they do alone comes after this turn: a lane above that has touched something was too early. */
    private void goAlone(Part p) {
        if (touched > p.from) {
            lanes.goApart();
        }
        p.state = Part.State.PARTS;
    }

    /** No lane has touched anything above one that goes alone now. */
    private boolean noneWasEarly() {
        return parts.stream().noneMatch(p -> p.state == Part.State.PARTS && p.from < touched);
    }

    /** Whether any of the parts before this one does something alone before it may touch anything. */
    private boolean anyGoesAlone(int which) {
        for (int i = 0; i < which; i++) {
            if (parts.get(i).state == Part.State.PARTS) {
                return true;
            }
        }
        return false;
    }

    private void split(int which) {
        Part p = parts.remove(which);
        int first = lanes.splitFrom;
        int end = lanes.splitUntil;
        int at = which;
        if (p.from < first) {
            parts.add(at++, part(p.from, first, lanes.no));
        }
        parts.add(at++, part(first, end, lanes.yes));
        if (end < p.until) {
            parts.add(at, part(end, p.until, lanes.no));
        }
        steps += p.size();
    }

    /** One lane by itself is faster alone. */
    private Part part(int from, int until, int pc) {
        boolean one = until - from == 1 && touched <= from;
        return new Part(from, until, pc, one ? Part.State.PARTS : Part.State.TOGETHER, true);
    }

    /** Neighbours that are at the same place become one. */
    private void meet() {
        for (int i = parts.size() - 1; i > 0; i--) {
            Part a = parts.get(i - 1);
            Part b = parts.get(i);
            assert a.until == b.from && a.moved == b.moved;
            if (a.state == Part.State.TOGETHER && b.state == Part.State.TOGETHER && a.continuesIn(b)) {
                a.until = b.until;
                parts.remove(i);
            }
        }
    }
}

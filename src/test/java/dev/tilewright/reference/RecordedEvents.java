package dev.tilewright.reference;

import dev.tilewright.ptx.Effects;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.reference.fault.ReferenceException.Kind;
import dev.tilewright.reference.observe.ExecutionObserver;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Notes what one step of one block is seen to do: every byte that it touches, by memory and by kind of access, and what
 * else it reports, in words and in order, of one thread alone.
 */
final class RecordedEvents implements ExecutionObserver {

    /** Bytes of one memory, touched in one way. @param memory {@code shared 1} of block 1, or the name of a piece */
    record Touched(String memory, AccessKind kind) {
    }

    private final int block;
    private final int thread;
    private final int step;
    private final Map<Touched, BitSet> touched = new HashMap<>();
    private final List<String> others = new ArrayList<>();
    private Shape shape;

    RecordedEvents(int block, int thread, int step) {
        this.block = block;
        this.thread = thread;
        this.step = step;
    }

    Map<Touched, BitSet> touched() {
        return touched;
    }

    List<String> others() {
        return others;
    }

    private void touch(int byBlock, int byStep, String memory, AccessKind kind, long start, long bytes) {
        if (byBlock == block && byStep == step) {
            touched.computeIfAbsent(new Touched(memory, kind), _ -> new BitSet())
                    .set((int) start, (int) (start + bytes));
        }
    }

    private void note(int byBlock, int byThread, int byStep, String what) {
        if (byBlock == block && byThread == thread && byStep == step) {
            others.add(what);
        }
    }

    @Override
    public void starts(Shape of) {
        shape = of;
    }

    @Override
    public void shared(int by, int from, int at, AccessKind kind, int owner, int address, int bytes) {
        touch(by, at, "shared " + owner, kind, address, bytes);
    }

    @Override
    public void global(int by, int from, int at, AccessKind kind, int piece, long offset, long bytes) {
        touch(by, at, shape.pieces().get(piece).name(), kind, offset, bytes);
    }

    @Override
    public void wgmmaStarts(int by, int from, int at, RegisterRange sums, RegisterRange a) {
        note(by, from, at, "wgmma");
    }

    @Override
    public void wgmmaFence(int by, int from, int at) {
        note(by, from, at, "wgmma fence");
    }

    @Override
    public void wgmmaCommit(int by, int from, int at) {
        note(by, from, at, "wgmma commit");
    }

    @Override
    public void wgmmaWait(int by, int from, int at, int pending) {
        note(by, from, at, "wgmma wait " + pending);
    }

    @Override
    public void reachesSync(int by, int from, int at) {
        note(by, from, at, "reaches sync");
    }

    @Override
    public void syncThreads(int by, int at) {
        note(by, thread, at, "sync");
    }

    @Override
    public void warp(int by, int first, int last, int at) {
        note(by, thread, at, "warp " + first + " to " + last);
    }

    @Override
    public void awaitsPriorGrid(int by, int from, int at) {
        note(by, from, at, "waits for the grid before");
    }

    @Override
    public void lanesMeet(int by, int warp, int lanes, int at, boolean orders) {
        if (thread / 32 == warp) {
            note(by, thread, at, "lanes " + Integer.toHexString(lanes) + (orders ? " meet" : " come together"));
        }
    }

    @Override
    public void namedArrives(int by, int warp, int lanes, int at, int barrier, boolean waits) {
        if (thread / 32 == warp) {
            note(by, thread, at, "lanes " + Integer.toHexString(lanes) + (waits ? " wait" : " arrive") + " at barrier "
                    + barrier);
        }
    }

    @Override
    public void namedOpens(int by, int barrier, List<Integer> waiting) {
        note(by, thread, step, "barrier " + barrier + " opens for " + waiting.size());
    }

    @Override
    public void clusterArrive(int by, int from, int at, boolean release, long opened) {
        note(by, from, at, "cluster arrive, release " + release);
    }

    @Override
    public void clusterWait(int by, int from, int at) {
        note(by, from, at, "cluster wait");
    }

    @Override
    public void fence(int by, int from, int at, PtxInstruction form) {
        note(by, from, at, "fence " + form.opcode());
    }

    @Override
    public void barrierInit(int by, int from, int at, int owner, int address, String name, long arrivals) {
        note(by, from, at, "init " + owner + ":" + address + " for " + arrivals);
    }

    @Override
    public void barrierInvalidated(int by, int from, int at, int owner, int address) {
        note(by, from, at, "inval " + owner + ":" + address);
    }

    @Override
    public void barrierMissing(int by, int from, int at, int owner, int address, String name) {
        note(by, from, at, "missing " + owner + ":" + address);
    }

    @Override
    public void arrives(int by, int from, int at, int owner, int address, long phase, Effects.Order order, long count,
            boolean drops) {
        note(by, from, at, "arrive " + owner + ":" + address + ", " + order + ", count " + count
                + (drops ? ", drop" : ""));
    }

    @Override
    public void expects(int by, int from, int at, int owner, int address, long phase, long bytes, boolean alone) {
        note(by, from, at, "expect " + owner + ":" + address + ", " + bytes + " bytes" + (alone ? ", alone" : ""));
    }

    @Override
    public void completesTx(int by, int from, int at, int owner, int address, long phase, long bytes) {
        note(by, from, at, "complete " + owner + ":" + address + ", " + bytes + " bytes");
    }

    @Override
    public void parityPassed(int by, int from, int at, int owner, int address, long phase, long parity,
            Effects.Order order) {
        note(by, from, at, "parity " + parity + " of " + owner + ":" + address + ", " + order);
    }

    @Override
    public void tokenPassed(int by, int from, int at, int owner, int address, long phase, long tokenPhase,
            Effects.Order order) {
        note(by, from, at, "token of " + owner + ":" + address + ", " + order);
    }

    @Override
    public void blocked(int by, int from, int at, int owner, int address, long phase, long parity) {
        note(by, from, at, "blocked at " + owner + ":" + address);
    }

    @Override
    public void cpCommit(int by, int from, int at) {
        note(by, from, at, "cp.async commit");
    }

    @Override
    public void cpWait(int by, int from, int at, int pending) {
        note(by, from, at, "cp.async wait " + pending);
    }

    @Override
    public void cpArrive(int by, int from, int at, int owner, int address, long phase, boolean added) {
        note(by, from, at, "cp.async arrive " + owner + ":" + address + (added ? ", added" : ""));
    }

    @Override
    public void copyStarts(int by, int from, int at, int owner, int address, long phase, int counted, int mask) {
        note(by, from, at, "copy counts " + counted + " bytes on " + owner + ":" + address + ", mask " + mask);
    }

    @Override
    public void storeStarts(int by, int from, int at) {
        note(by, from, at, "bulk group copy");
    }

    @Override
    public void misplacedBox(int by, int from, int at, int owner, int address, int period) {
        note(by, from, at, "misplaced");
    }

    @Override
    public void bulkCommit(int by, int from, int at) {
        note(by, from, at, "bulk commit");
    }

    @Override
    public void bulkWait(int by, int from, int at, int pending, boolean read) {
        note(by, from, at, "bulk wait " + pending + (read ? ", read" : ""));
    }

    @Override
    public void exits(int by, int from, int at) {
        note(by, from, at, "exit");
    }

    @Override
    public void fault(int by, int from, int at, Kind kind, String sentence) {
        note(by, from, at, "fault " + kind + ": " + sentence);
    }
}

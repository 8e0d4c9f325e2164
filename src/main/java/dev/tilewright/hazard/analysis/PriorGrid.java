package dev.tilewright.hazard.analysis;

import dev.tilewright.hazard.HazardCode;
import dev.tilewright.hazard.order.ClusterClocks;
import dev.tilewright.hazard.order.ThreadClock;
import dev.tilewright.hazard.report.FindingSet;
import dev.tilewright.hazard.report.PriorGridFindings;
import dev.tilewright.hazard.report.ProgramNames;
import dev.tilewright.hazard.shadow.ByteRange;
import dev.tilewright.hazard.shadow.GlobalShadow;
import dev.tilewright.hazard.shadow.ShadowAccess;
import dev.tilewright.reference.observe.ExecutionObserver.Allocation;
import dev.tilewright.reference.observe.ExecutionObserver.Stretch;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * What the grid before the one that is checked did to global memory. Where the second begins before the first has
 * ended, nothing of it is ordered for a thread that has not waited for that, or comes after one that has. Source: PTX
 * ISA, "griddepcontrol".
 */
public final class PriorGrid {
    /**
     * Where bytes of a piece of this launch lie in one of the launch before. @param delta what is added to an offset
     */
    private record Overlap(int piece, long delta, long bytes) { }

    private final GlobalShadow memory;
    private final List<Allocation> pieces;
    private final ProgramNames names;
    private ThreadClock end;
    private FindingSet findings;
    private PriorGridFindings words;
    /** By the number of a piece of this launch. */
    private List<List<Overlap>> overlaps = List.of();

    /** @param memory all that was touched @param names of the program of that grid */
    PriorGrid(GlobalShadow memory, List<Allocation> pieces, ProgramNames names) {
        this.memory = memory;
        this.pieces = pieces;
        this.names = names;
    }

    /** A run begins of the grid after it. @param blocks of the launch */
    void precedes(List<Allocation> now, int blocks, FindingSet of) {
        // A cluster of its own, with a number that none of the launch has, and one thread: it stands for the whole
        // grid.
        end = new ClusterClocks(blocks, 1, 1).thread(0);
        findings = of;
        words = new PriorGridFindings(of.names(), names);
        overlaps = now.stream().map(this::overlaps).toList();
    }

    private List<Overlap> overlaps(Allocation now) {
        List<Overlap> all = new ArrayList<>();
        for (int piece = 0; piece < pieces.size(); piece++) {
            for (Stretch before : pieces.get(piece).stretches()) {
                for (Stretch after : now.stretches()) {
                    MemorySegment a = after.memory();
                    MemorySegment b = before.memory();
                    Overlap overlap = new Overlap(piece, a.address() - after.offset() - b.address() + before.offset(),
                            pieces.get(piece).bytes());
                    if (a.asOverlappingSlice(b).isPresent() && !all.contains(overlap)) {
                        all.add(overlap);
                    }
                }
            }
        }
        return all;
    }

    /** A thread has waited until the grid before has ended. */
    void awaitedBy(ThreadClock thread) {
        thread.learnAllOf(end);
    }

    /** Bytes are touched now. */
    void touched(ShadowAccess now, int piece, long offset, long bytes) {
        if (now.thread().isAfter(end, end.time())) {
            return;
        }
        for (Overlap o : overlaps.get(piece)) {
            long from = Math.max(0, offset + o.delta);
            long until = Math.min(o.bytes, offset + bytes + o.delta);
            ShadowAccess before = from >= until ? null : memory.any(o.piece, from, until - from, now.writes());
            if (before != null && !findings.has(HazardCode.PRIOR_GRID_NOT_AWAITED, now.step(), before.step())) {
                findings.add(words.notAwaited(now, before, new ByteRange(false, piece, offset, bytes)));
            }
        }
    }
}

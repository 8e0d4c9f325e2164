package dev.tilewright.hazard.async;

import dev.tilewright.hazard.async.CopyGroups.GroupWait;
import dev.tilewright.hazard.order.Clock;
import dev.tilewright.hazard.order.Gap;
import dev.tilewright.hazard.order.ThreadClock;
import dev.tilewright.layout.Swizzle;
import dev.tilewright.ptx.PtxInstruction;
import dev.tilewright.ptx.copy.BulkCommitGroup;
import dev.tilewright.ptx.copy.BulkWaitGroup;
import dev.tilewright.ptx.copy.CpAsyncCommitGroup;
import dev.tilewright.ptx.copy.CpAsyncWaitAll;
import dev.tilewright.ptx.copy.CpAsyncWaitGroup;
import dev.tilewright.ptx.mma.WgmmaCommitGroup;
import dev.tilewright.ptx.mma.WgmmaWaitGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;

/** How the end of an asynchronous copy, or of a part of what it does, becomes known. */
public final class CopyCompletion {

    /** What is waited for. */
    public enum Kind {
        /** A group of {@code cp.async} copies. */
        CP_ASYNC_GROUP,
        /** That a bulk group has read its sources. */
        BULK_GROUP_READ,
        /** That a bulk group has written its destinations. */
        BULK_GROUP_WRITE,
        /** That a group of a warpgroup's products has read shared memory. */
        WGMMA_GROUP,
        /** A phase of an mbarrier. */
        BARRIER;

        /** Whether an instruction closes a group of this kind. */
        public boolean isClosedBy(PtxInstruction form) {
            return switch (this) {
                case CP_ASYNC_GROUP -> form instanceof CpAsyncCommitGroup;
                case BULK_GROUP_READ, BULK_GROUP_WRITE -> form instanceof BulkCommitGroup;
                case WGMMA_GROUP -> form instanceof WgmmaCommitGroup;
                case BARRIER -> false;
            };
        }

        /** Whether an instruction waits for groups of this kind. */
        public boolean isWaitedForBy(PtxInstruction form) {
            return switch (this) {
                case CP_ASYNC_GROUP -> form instanceof CpAsyncWaitGroup || form instanceof CpAsyncWaitAll;
                case BULK_GROUP_READ, BULK_GROUP_WRITE -> form instanceof BulkWaitGroup;
                case WGMMA_GROUP -> form instanceof WgmmaWaitGroup;
                case BARRIER -> false;
            };
        }
    }

    /** In place of a time: its thread has not waited for it. */
    private static final int NEVER = Integer.MAX_VALUE;

    /** A phase of an mbarrier that completes only after the copy. */
    private record Following(Barrier barrier, long phase) { }

    private static final int MOST_LATER = 3;

    private final Kind kind;
    private final ThreadClock thread;
    private final int step;
    private final long startedAt;
    private final CopyGroups groups;
    private int closedBy;
    private long committedAt = Long.MAX_VALUE;
    private int waitedAt = NEVER;
    private Barrier barrier;
    private long phase;
    /** Later arrivals of its thread that follow it, too. */
    private List<Following> later = List.of();
    private boolean blamed;
    /** Null where it moves no box. */
    private Swizzle swizzle;
    /** Null for nothing. */
    private Ranges written;
    /** Other threads that have waited for it with its own. */
    private List<Waiter> together = List.of();

    private record Waiter(ThreadClock thread, int time) { }

    private CopyCompletion(Kind kind, ThreadClock thread, int step, long startedAt, CopyGroups groups) {
        this.kind = kind;
        this.thread = thread;
        this.step = step;
        this.startedAt = startedAt;
        this.groups = groups;
    }

    /**
     * Of a copy that is waited for in a group; it is added to the open group.
     *
     * @param event the number of the present event
     */
    public static CopyCompletion inGroup(Kind kind, ThreadClock thread, int step, long event, CopyGroups groups) {
        CopyCompletion completion = new CopyCompletion(kind, thread, step, event, groups);
        groups.add(completion);
        return completion;
    }

    /** Of a copy whose bytes a phase of an mbarrier counts. @param event the number of the present event */
    public static CopyCompletion onBarrier(ThreadClock thread, int step, long event, Barrier barrier, long phase) {
        CopyCompletion completion = new CopyCompletion(Kind.BARRIER, thread, step, event, null);
        completion.barrier = barrier;
        completion.phase = phase;
        return completion;
    }

    public Kind kind() {
        return kind;
    }

    /** The thread that started the copy. */
    public ThreadClock thread() {
        return thread;
    }

    /** The step that started the copy. */
    public int step() {
        return step;
    }

    /** The number of the event with which the copy started. */
    public long startedAt() {
        return startedAt;
    }

    /** The groups of its thread that it is among; null where it is waited for otherwise. */
    public CopyGroups groups() {
        return groups;
    }

    void commit(int byStep, long event) {
        closedBy = byStep;
        committedAt = event;
    }

    /** The step that closed its group; 0 for none. */
    public int closedBy() {
        return closedBy;
    }

    /** Whether its group was closed before a wait. */
    public boolean isCommittedBefore(GroupWait wait) {
        return committedAt < wait.event();
    }

    /** Whether its mbarrier's phase may complete without its bytes, as its thread's arrival in the one before did. */
    public boolean isUncounted() {
        return barrier != null && phase > 0 && barrier.phase() == phase && barrier.bytes().announced() == 0
                && barrier.bytes().started() > 0 && barrier.lastArrival(thread) == phase - 1;
    }

    /** The mbarrier whose phase says it, besides its group; null for none. */
    public Barrier barrier() {
        return barrier;
    }

    public long phase() {
        return phase;
    }

    /** A phase of an mbarrier says it as well from now on. Of many only the first few are kept. */
    public void follow(Barrier by, long ofPhase) {
        if (barrier == null) {
            barrier = by;
            phase = ofPhase;
        } else if (later.size() < MOST_LATER && !(barrier == by && phase == ofPhase)) {
            later = new ArrayList<>(later);
            later.add(new Following(by, ofPhase));
        }
    }

    /** Whether a phase that says it is known to be complete. @param known how many phases of a barrier are */
    private boolean isSaid(ToLongFunction<Barrier> known) {
        if (barrier == null) {
            return false;
        }
        if (known.applyAsLong(barrier) > phase) {
            return true;
        }
        for (Following f : later) {
            if (known.applyAsLong(f.barrier) > f.phase) {
                return true;
            }
        }
        return false;
    }

    /**
     * Its copies write these bytes of shared memory as well.
     *
     * @return whether none of them has written any of these before; if one has, nothing is noted
     */
    public boolean writesFirst(int address, int bytes) {
        if (written == null) {
            written = new Ranges();
        }
        return written.add(address, bytes);
    }

    /** It moves a box that lies in shared memory with this swizzle. */
    public void laysOut(Swizzle of) {
        swizzle = of;
    }

    /** How its box lies in shared memory; null where it moves none. */
    public Swizzle swizzle() {
        return swizzle;
    }

    /** Its thread has waited for it, at this time of its own. */
    public void waited(int time) {
        waitedAt = Math.min(waitedAt, time);
    }

    /** The other threads of its warp have waited for it as well, each at a time of its own. */
    public void waitedTogether(List<ThreadClock> threads) {
        List<Waiter> all = new ArrayList<>();
        threads.forEach(t -> all.add(new Waiter(t, t.time())));
        together = all;
    }

    /** Whether its thread has waited for it. */
    public boolean isWaitedFor() {
        return waitedAt != NEVER;
    }

    /** What would tell a thread that its thread has waited for it; null for nothing. */
    public Gap gapTo(ThreadClock other, Predicate<Gap> wanted) {
        if (waitedAt != NEVER) {
            return other.hints().gapTo(thread, waitedAt, wanted);
        }
        Gap gap = barrier == null ? null : other.hints().gapTo(barrier.cluster(), barrier.slot(), (int) phase + 1,
                wanted);
        return gap == null || gap.reason() != Gap.Reason.SCOPE ? null : gap;
    }

    /** Whether a thread knows that the copy is over, in time alone or in order. */
    public boolean isOverFor(ThreadClock other) {
        return waitedAt != NEVER && other.hasHappened(thread, waitedAt)
                || any(w -> other.hasHappened(w.thread, w.time))
                || barrier != null && isSaid(b -> other.knows(b.cluster(), b.slot(), Clock.IN_TIME));
    }

    /** Whether a thread knows that the copy is over. @param lane see {@link Clock} */
    public boolean isKnownTo(ThreadClock other, int lane) {
        return waitedAt != NEVER && other.knows(thread, lane) >= waitedAt
                || any(w -> other.knows(w.thread, lane) >= w.time)
                || barrier != null && isSaid(b -> other.knows(b.cluster(), b.slot(), lane));
    }

    /** Whether a clock of the copy's cluster holds that it is over. */
    public boolean isKnownIn(Clock clock) {
        return waitedAt != NEVER && clock.get(thread.slot(), Clock.IN_TIME) >= waitedAt
                || any(w -> clock.get(w.thread.slot(), Clock.IN_TIME) >= w.time)
                || barrier != null && isSaid(b -> clock.get(b.slot(), Clock.IN_TIME));
    }

    private boolean any(Predicate<Waiter> wanted) {
        for (Waiter w : together) {
            if (wanted.test(w)) {
                return true;
            }
        }
        return false;
    }

    /** Whether a finding says already what is wrong with it. */
    public boolean isBlamed() {
        return blamed;
    }

    public void blame() {
        blamed = true;
    }
}

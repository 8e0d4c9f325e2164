package dev.tilewright.gpu.emulation.state;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Runs what streams hold, in an order that CUDA allows: work waits for the work before it in its stream, for the events
 * that its stream waits for, and, as the default stream has it, for other streams. All of that was there before the
 * work itself, so that no wait can be circular.
 */
public final class Scheduler {
    /** So much may wait; then a stream does what it holds before it takes more, as a GPU's queues are finite too. */
    private static final int MOST_PENDING = 1024;

    private final ExecutionOrder order;
    private long next;
    private int pending;

    public Scheduler(ExecutionOrder order) {
        this.order = order;
    }

    /** Adds work that is at the end of no stream. */
    public Work add(EmulatedContext context, Task task, Collection<Work> before) {
        Work work = new Work(next++, context, task, before);
        pending++;
        if (order == ExecutionOrder.EAGER || pending > MOST_PENDING) {
            finish(work);
        }
        return work;
    }

    /** Adds work to the end of a stream. */
    public Work add(EmulatedStream stream, Task task, Collection<Work> also) {
        List<Work> before = new ArrayList<>(stream.ahead());
        before.addAll(also);
        Work work = add(stream.context(), task, before);
        stream.tail(work);
        return work;
    }

    /** Does some work, and before it all that must come before. */
    public void finish(Work work) {
        if (work != null) {
            unfinished(work).forEach(this::run);
        }
    }

    /** Does some work, and before it all that must come before; refuses if a GPU is or gets lost by it. */
    public void await(Work work) {
        finish(work);
        if (work != null) {
            work.context().device().requireWorking();
        }
    }

    /** Does the first piece of some work. */
    public void step(Work work) {
        unfinished(work).stream().findFirst().ifPresent(this::run);
    }

    private void run(Work work) {
        pending--;
        work.run();
    }

    /** The work and what must come before it, as far as it has not been done, in an order in which it can be. */
    private static List<Work> unfinished(Work work) {
        List<Work> found = new ArrayList<>();
        Set<Work> seen = new HashSet<>();
        Deque<Work> open = new ArrayDeque<>(List.of(work));
        while (!open.isEmpty()) {
            Work next = open.pop();
            if (!next.hasEnded() && seen.add(next)) {
                found.add(next);
                open.addAll(next.before());
            }
        }
        found.sort(Comparator.comparingLong(Work::number));
        return found;
    }
}

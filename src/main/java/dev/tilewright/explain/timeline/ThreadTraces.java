package dev.tilewright.explain.timeline;

import dev.tilewright.program.TileProgram;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The traces of all threads of the first cluster, as they are written: what other blocks do is not kept. */
final class ThreadTraces {
    /** Of all threads together. */
    private static final int MOST_EVENTS = 1 << 19;
    private static final int FEWEST_EVENTS = 32;

    /** A thread of the cluster. */
    record Who(int block, int thread) { }

    /** By blocks, then by threads. */
    static final Comparator<Who> ORDER = Comparator.comparingInt(Who::block).thenComparingInt(Who::thread);

    private final int blocks;
    private final int most;
    private final Map<Who, ThreadTrace> traces = new TreeMap<>(ORDER);
    private long order;

    ThreadTraces(TileProgram program) {
        blocks = program.clusterBlocks();
        most = Math.max(FEWEST_EVENTS, MOST_EVENTS / (program.threads() * blocks));
    }

    Map<Who, ThreadTrace> byThread() {
        return traces;
    }

    /** Whether the block is one of the first cluster. */
    boolean isShown(int block) {
        return block < blocks;
    }

    private ThreadTrace trace(int block, int thread) {
        return traces.computeIfAbsent(new Who(block, thread), _ -> new ThreadTrace(most));
    }

    private TimelineEvent event(int block, int thread, int step, StepAction action, String place) {
        TimelineEvent event = new TimelineEvent(block, thread, step, action, order++);
        event.place = place;
        return event;
    }

    /** Something that a thread does with others. */
    TimelineEvent add(int block, int thread, int step, StepAction action, String place) {
        TimelineEvent event = event(block, thread, step, action, place);
        if (isShown(block)) {
            trace(block, thread).add(event);
        }
        return event;
    }

    /** Something that a thread does by itself. */
    void alone(int block, int thread, int step, StepAction action, String place, long bytes) {
        if (isShown(block)) {
            trace(block, thread).addAlone(event(block, thread, step, action, place)).bytes += bytes;
        }
    }

    /** A wait that is over. @param by the events that ended it */
    void waits(int block, int thread, int step, String place, List<TimelineEvent> by) {
        add(block, thread, step, StepAction.WAIT, place).causes = by;
    }

    /** Threads of a block meet. @param by the events of threads that did not wait */
    void meet(int block, List<Integer> threads, int step, StepAction action, String place, List<TimelineEvent> by) {
        long meeting = order;
        for (int thread : threads) {
            TimelineEvent event = add(block, thread, step, action, place);
            event.causes = by;
            event.meeting = meeting;
        }
    }

    /** The event of a copy that is being told of; null where a step is none. */
    TimelineEvent copy(int block, int thread, int step) {
        TimelineEvent last = isShown(block) ? trace(block, thread).last() : null;
        return last != null && last.step == step && last.action != StepAction.COMMIT ? last : null;
    }
}

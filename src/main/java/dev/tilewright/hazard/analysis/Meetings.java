package dev.tilewright.hazard.analysis;

import dev.tilewright.hazard.flow.ProgramFlow;
import dev.tilewright.hazard.order.ThreadClock;
import dev.tilewright.hazard.report.MeetingPlaces;
import dev.tilewright.hazard.report.Race;
import dev.tilewright.program.TileProgram;
import dev.tilewright.program.Warp;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * By what the threads of two steps can meet between them: the smallest meeting to which all of them come. A
 * {@code __syncthreads()} where only some threads come hangs; lanes of one warp need none.
 */
final class Meetings implements MeetingPlaces {

    private final RunState run;
    private final ProgramFlow flow;
    /** By pairs of steps. */
    private final Map<Long, Meeting> meetings = new HashMap<>();

    /** What would do for the threads of two steps. */
    private static final class Meeting {
        private final String ofWarp;
        private final String ofBlock;
        /** Whether two threads of different warps are in a race there. */
        private boolean crossesWarps;

        Meeting(String ofWarp, String ofBlock) {
            this.ofWarp = ofWarp;
            this.ofBlock = ofBlock;
        }
    }

    Meetings(TileProgram program, RunState run) {
        this.run = run;
        this.flow = new ProgramFlow(program);
    }

    /** Two accesses are not ordered: the meeting that is named has to do for all such of their steps. */
    void isWanted(Race race) {
        ThreadClock a = race.before().thread();
        ThreadClock b = race.now().thread();
        meetings.computeIfAbsent(key(race), _ -> meeting(race)).crossesWarps |= a.block() != b.block()
                || a.thread() / Warp.LANES != b.thread() / Warp.LANES;
    }

    private static long key(Race race) {
        int first = Math.min(race.before().step(), race.now().step());
        int second = Math.max(race.before().step(), race.now().step());
        return (long) first << Integer.SIZE | second;
    }

    @Override
    public String between(Race race) {
        Meeting meeting = meetings.get(key(race));
        return meeting.crossesWarps ? meeting.ofBlock : meeting.ofWarp;
    }

    @Override
    public int place(int first, int other) {
        return flow.placeBetween(first, other);
    }

    @Override
    public boolean shareLoop(int a, int b) {
        return flow.shareLoop(a, b);
    }

    private Meeting meeting(Race race) {
        int place = flow.placeBetween(race.before().step(), race.now().step());
        if (place == 0) {
            return new Meeting(HAND_OVER, HAND_OVER);
        }
        CheckedThread one = run.thread(race.now().thread());
        List<CheckedThread> block = one.cluster.threads().stream().filter(t -> t.block() == one.block()).toList();
        List<CheckedThread> come = block.stream().filter(t -> flow.surelyPerforms(run.values(t), place)).toList();
        int warp = one.clock.thread() / Warp.LANES;
        long lanes = come.stream().filter(t -> t.clock.thread() / Warp.LANES == warp).count();
        return new Meeting(MeetingPlaces.ofLanes(lanes == Warp.LANES),
                MeetingPlaces.ofThreads(come.size(), come.size() == block.size()));
    }
}

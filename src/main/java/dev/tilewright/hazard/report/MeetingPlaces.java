package dev.tilewright.hazard.report;

import dev.tilewright.program.Warp;
import java.util.function.Supplier;

/** Where the threads of two steps can meet, and by what. */
public interface MeetingPlaces {
    /** What orders two accesses where no place is common to their threads. */
    String HAND_OVER = "an mbarrier, at which the one arrives and for which the other waits,";

    /** A meeting of one warp's lanes. @param all whether all of its lanes come there */
    static String ofLanes(boolean all) {
        return all ? "__syncwarp()" : "__syncwarp() with a mask of the lanes that come there";
    }

    /** A meeting of several warps. @param threads that come there @param all whether they are the whole block */
    static String ofThreads(int threads, boolean all) {
        return all ? "__syncthreads()" : threads > 0 && threads % Warp.LANES == 0
                ? "a named barrier (bar.sync) for the " + threads + " threads that come there" : "an mbarrier";
    }

    /** What to put between the steps of two accesses, as in "put ... between the two". */
    String between(Race race);

    /** What of the innermost list of steps that has two steps has the first of them; 0 where none has both. */
    int place(int first, int other);

    /** Whether two steps are in one loop. */
    boolean shareLoop(int a, int b);

    /** Where two threads can meet that do something to the same bytes, in the order in which they do it. */
    default String betweenTheTwo(Race race) {
        int earlier = race.earlier();
        int later = race.later();
        boolean nextTurn = earlier > later && shareLoop(earlier, later) && place(earlier, later) != 0;
        return nextTurn ? " after step " + place(earlier, later) + ", in each turn" : " between the two";
    }

    /** What to put there, in words around it, as it is known when the run is over. */
    default Supplier<String> meet(Race race, String before, String after) {
        return () -> before + between(race) + after;
    }

    /** What two threads do to the same bytes in one step no meeting orders, unless their turns differ. */
    default Supplier<String> meetBetweenTheTwo(Race race, String before) {
        int step = race.later();
        if (race.earlier() != step) {
            return meet(race, before + "put ", betweenTheTwo(race));
        }
        String apart = "let one thread perform step " + step + ", or each for bytes of its own";
        return shareLoop(step, step) ? meet(race, apart + "; where their turns differ, " + before + "put ",
                " after it, in each turn") : () -> apart;
    }

    /** What comes after a step and as often as another: the step, or the loop or the guard that it is in. */
    default int behind(int step, int other) {
        int place = place(step, other);
        return place == 0 ? step : place;
    }
}

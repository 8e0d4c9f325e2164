package dev.tilewright.hazard.explore;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What exploring has come across besides how runs end. */
final class Facts {
    /** The first few accesses that nothing orders. */
    final List<String> races = new ArrayList<>();
    /** Whether accesses with scopes were seen that nothing else orders. */
    boolean meetings;
    /** Whether a run ended with bytes announced at an mbarrier that did not come, or others that came. */
    boolean bytesLeft;
    /** Whether a step at an mbarrier came in different phases of it in different runs. */
    boolean phases;
    private final Map<Long, Integer> phaseOf = new HashMap<>();
    /** Whether a cell turned out to be raced for, or a barrier to be used, in an order that was not tried out. */
    boolean unwatchedRace;

    /** A step at a barrier. @param step the number of the thread's or the copy's step at barriers */
    void at(int thread, int step, int barrier, int completed) {
        Integer before = phaseOf.putIfAbsent(((long) thread << 20 | step) << 10 | barrier, completed);
        phases |= before != null && before != completed;
    }

    void race(Cells cells, int cell, String how) {
        String text = how + " at " + cells.range(cell);
        if (races.size() < 8 && !races.contains(text)) {
            races.add(text);
        }
        if (!cells.isWatched(cell)) {
            cells.contend(cell);
            unwatchedRace = true;
        }
    }

    /** Notes that steps at a barrier may come in an order that makes a difference. */
    void meetAt(Launched launched, int barrier) {
        if (!launched.isWatched[barrier]) {
            launched.isWatched[barrier] = true;
            unwatchedRace = true;
        }
    }

    /** Notes a race that no order of steps shows, since reads are made in the order of the program here. */
    void raceAtEnd(Cells cells, int cell) {
        String text = "the end of a block that may come before another's access at " + cells.range(cell);
        if (races.size() < 8 && !races.contains(text)) {
            races.add(text);
        }
    }

    /** Notes that two accesses with scopes may come in any order, which is no race, but has to be tried out. */
    void meeting(Cells cells, int cell) {
        meetings = true;
        if (!cells.isWatched(cell)) {
            cells.contend(cell);
            unwatchedRace = true;
        }
    }
}

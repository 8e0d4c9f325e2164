package dev.tilewright.hazard.order;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/** What a thread has read with a scope and not acquired. */
final class RelaxedReads {
    /** By the level of a fence that makes up for it. */
    private final Clock[] byLevel = new Clock[ThreadClock.LEVELS];
    /** By the place it was read at: a later acquiring read of that place makes up for it; null for nothing. */
    private Map<Long, Clock[]> byPlace;

    /** @param level of the fence or read that is needed @param key the place; null for none */
    void add(Clock clock, int level, Long key) {
        add(byLevel, level, clock);
        if (key != null) {
            if (byPlace == null) {
                byPlace = new HashMap<>();
            }
            add(byPlace.computeIfAbsent(key, _ -> new Clock[ThreadClock.LEVELS]), level, clock);
        }
    }

    private static void add(Clock[] clocks, int level, Clock clock) {
        clocks[level] = clocks[level] == null ? clock : clocks[level].join(clock);
    }

    /** What an acquiring read of a place makes up for. @param level of its scope */
    void at(long key, int level, Consumer<Clock> acquired) {
        Clock[] clocks = byPlace == null ? null : byPlace.get(key);
        for (int i = 0; clocks != null && i <= level; i++) {
            if (clocks[i] != null) {
                acquired.accept(clocks[i]);
            }
        }
    }

    /** A fence makes up for the reads up to its level. @param left takes what a fence of a wider scope would add */
    void fence(int level, Consumer<Clock> acquired, Consumer<Clock> left) {
        for (int i = 0; i < byLevel.length; i++) {
            if (byLevel[i] != null && i <= level) {
                acquired.accept(byLevel[i]);
                byLevel[i] = null;
            } else if (byLevel[i] != null) {
                left.accept(byLevel[i]);
            }
        }
    }
}

package dev.tilewright.hazard.analysis;

/**
 * The last time that a thread performed a step that orders others: a fence, a commit, a wait for groups.
 *
 * @param time the thread's own
 * @param event its number
 */
record OrderingStep(int step, int time, long event) { }

package dev.tilewright.reference;

/**
 * A summary of a run that ended normally; its results are in the memory it was given.
 *
 * @param blocks blocks that ran
 * @param threadSteps steps performed, counted once for every thread that performed them; a turn of a loop counts too
 */
public record ReferenceRun(int blocks, long threadSteps) { }

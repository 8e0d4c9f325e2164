package dev.tilewright.explain.timeline;

/**
 * The time of a step on a GPU, with all that its thread did since the step before.
 *
 * @param role the column of the thread
 * @param step its number in the program
 * @param line of the emitted source
 * @param from nanoseconds from the first time stamp
 * @param to when it had ended
 */
public record StepTime(int role, int step, int line, StepAction action, String purpose, double from, double to) {
    /** How long it took, in nanoseconds. */
    double lasts() {
        return to - from;
    }
}

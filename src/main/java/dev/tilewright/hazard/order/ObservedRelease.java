package dev.tilewright.hazard.order;

import dev.tilewright.hazard.order.Gap.Missed;

/**
 * That a thread has read a value by which a thread of another block told what came before.
 *
 * @param teller the thread that stored or updated it
 * @param told the step by which it did
 * @param toldAt when that was, in the teller's time
 * @param step the one that read it
 * @param time when that was, in the reader's time
 * @param known what the value tells of
 */
public record ObservedRelease(ThreadClock teller, int told, int toldAt, int step, int time, Missed known) { }

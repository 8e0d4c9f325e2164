package dev.tilewright.hazard.async;

import dev.tilewright.hazard.order.ThreadClock;

/**
 * An arrival that a thread has asked for and that follows its copies: it comes some time after them, and nothing but
 * the end of its phase tells when (PTX ISA, "cp.async.mbarrier.arrive": it is asynchronous).
 */
public record FollowingArrival(ThreadClock thread, int step, long phase) { }

package dev.tilewright.hazard.async;

/**
 * A wait for an mbarrier that passed.
 *
 * @param parity that it waited for; -1 for a token
 * @param vain whether it taught its thread nothing
 * @param event its number
 */
public record PassedWait(Barrier barrier, int step, long parity, boolean vain, long event) { }

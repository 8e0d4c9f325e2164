package dev.tilewright.hazard.async;

/**
 * A wait for an mbarrier that passed.
 *
 * @param vain whether it taught its thread nothing
 * @param event its number
 */
public record BarrierWait(Barrier barrier, int step, boolean vain, long event) {
}

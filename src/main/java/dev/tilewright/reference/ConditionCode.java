package dev.tilewright.reference;

/** A condition made ready to run. */
@FunctionalInterface
interface ConditionCode {
    boolean holds(ThreadState thread);
}

package dev.tilewright.hazard.report;

import dev.tilewright.hazard.async.CopyCompletion.Kind;

/**
 * What several findings have in common: the same change mends them all, so that only the first is said.
 *
 * @param what is missing, or wrong
 * @param of tells it from others of its sort: a step, or a name
 */
record Cause(What what, Object of) {

    /** What is missing, or wrong. */
    private enum What { NOT_COMMITTED, NOT_WAITED_FOR, TOO_SHALLOW, TORN_UPDATE, PLAIN_STORE, PHASE_NOT_WAITED_FOR }

    /** No commit closes the open group of a kind. */
    static Cause notCommitted(Kind kind) {
        return new Cause(What.NOT_COMMITTED, kind);
    }

    /** No wait is for the group that a step closes. */
    static Cause notWaitedFor(int commit) {
        return new Cause(What.NOT_WAITED_FOR, commit);
    }

    /** A wait leaves too many groups in flight. */
    static Cause tooShallow(int wait) {
        return new Cause(What.TOO_SHALLOW, wait);
    }

    /** A step stores what was loaded before, changed. */
    static Cause tornUpdate(int store) {
        return new Cause(What.TORN_UPDATE, store);
    }

    /** A step stores by a plain store what another thread waits for. */
    static Cause plainStore(int store) {
        return new Cause(What.PLAIN_STORE, store);
    }

    /** No wait is for the phases of an mbarrier of an array. */
    static Cause phaseNotWaitedFor(String array) {
        return new Cause(What.PHASE_NOT_WAITED_FOR, array);
    }

    /** Whether it left two accesses in no order, which the same steps of other threads may lack for another reason. */
    boolean isOfOrder() {
        return what == What.PLAIN_STORE;
    }

    /** Whether phases begin and end too soon because of it. */
    boolean disturbsPhases() {
        return what == What.PHASE_NOT_WAITED_FOR;
    }
}

package dev.tilewright.hazard.order;

/**
 * Something that a thread would know if a step were stronger: a value told it that this has happened, and what happened
 * before is not ordered for it all the same.
 *
 * @param step the one that falls short
 * @param by the thread that performed it
 * @param missed what would be known
 */
public record Gap(Reason reason, int step, ThreadClock by, Missed missed) {

    /** What would be known. */
    @FunctionalInterface
    public interface Missed {
        /** Whether the thread, or the mbarrier, with a slot had come this far. */
        boolean covers(ClusterClocks of, int slot, int value);

        /** What a clock says. @param own the cluster in whose slots it is */
        static Missed of(Clock clock, ClusterClocks own) {
            return (of, slot, value) -> (of == own ? clock : clock.other(of)).get(slot, Clock.IN_TIME) >= value;
        }
    }

    /** What a step lacks; the least that would do comes first. */
    public enum Reason {
        /** A scope that leaves the other thread out. */
        SCOPE,
        /** A load, an update or a wait that does not acquire. */
        NOT_ACQUIRED,
        /** A store or an update that does not release. */
        NOT_RELEASED,
        /** A load whose value decides nothing, so that it may as well come before the store. */
        UNCHECKED,
        /** A store without a scope, which others wait for. */
        PLAIN
    }
}

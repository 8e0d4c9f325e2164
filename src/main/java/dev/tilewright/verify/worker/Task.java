package dev.tilewright.verify.worker;

import dev.tilewright.verify.CaseSet;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/** A case that a worker has been told, and how far it is. */
final class Task {
    private final CaseSet.Numbered numbered;
    private Optional<Moment> begun = Optional.empty();
    private Optional<Moment> onDevice = Optional.empty();

    /** A time. @param nanoTime by the clock @param computed by the worker's process until then */
    record Moment(long nanoTime, Duration computed) {
        static Moment now(Duration computed) {
            return new Moment(System.nanoTime(), computed);
        }

        Duration since(Moment before) {
            return Duration.ofNanos(nanoTime - before.nanoTime);
        }

        Duration computedSince(Moment before) {
            return computed.minus(before.computed);
        }

        /** What counts of the time. */
        Duration taken(Moment before, WorkerLimits limits) {
            return limits.threads() == 0 ? since(before) : computedSince(before).dividedBy(limits.threads());
        }
    }

    Task(CaseSet.Numbered numbered) {
        this.numbered = numbered;
    }

    CaseSet.Numbered numbered() {
        return numbered;
    }

    void begin(Moment now) {
        begun = Optional.of(now);
    }

    void takeDevice(Moment now) {
        onDevice = Optional.of(now);
    }

    boolean hasBegun() {
        return begun.isPresent();
    }

    boolean hasDevice() {
        return onDevice.isPresent();
    }

    /** Since it began; 0 if it has not. */
    double seconds() {
        return begun.map(time -> (System.nanoTime() - time.nanoTime) / 1e9).orElse(0.0);
    }

    /** Why it has taken longer than it may, if it has. */
    Optional<String> overdue(Moment now, WorkerLimits limits) {
        if (onDevice.filter(time -> now.taken(time, limits).compareTo(limits.device()) > 0).isEmpty()
                && begun.filter(time -> now.taken(time, limits).compareTo(limits.whole()) > 0).isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(limits.threads() == 0 ? "hang: it had not ended after " + seconds(seconds())
                : "time limit: it had not ended after " + seconds(seconds()) + ", in which its worker computed for "
                + seconds(begun.map(now::computedSince).orElse(Duration.ZERO).toNanos() / 1e9));
    }

    private static String seconds(double seconds) {
        return String.format(Locale.ROOT, "%.1f s", seconds);
    }
}

package dev.tilewright.verify;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Goes from a case that fails to the smallest that still does: takes the first of the smaller cases that fails, and
 * begins anew from there, until none does or a limit is reached.
 *
 * @param check runs cases and says which is the first that fails
 * @param tries how many cases are run at most
 * @param time after which no further cases are begun
 */
public record Shrink(Check check, int tries, Duration time) {
    /** Enough for the cases that are drawn, and short beside a run of thousands. */
    public static final int TRIES = 1000;
    public static final Duration TIME = Duration.ofSeconds(30);
    /** Cases that are run at once, of which one may do. */
    private static final int AT_ONCE = 64;

    /** What runs cases. */
    @FunctionalInterface
    public interface Check {
        /** The first of these that fails, or nothing. */
        Optional<Failure> firstFailure(List<VerifyCase> cases);
    }

    /** A case, and what is wrong with it. */
    public record Failure(VerifyCase failed, String complaint) { }

    /**
     * The outcome of shrinking.
     *
     * @param smallest of the cases that failed @param tried how many cases were run at most
     * @param complete whether none of the smaller cases fails, so that it is as small as it gets
     */
    public record Result(Failure smallest, int tried, boolean complete) { }

    public Shrink {
        if (tries < 0) {
            throw new IllegalArgumentException("the tries must be at least 0, got " + tries);
        }
    }

    /** With limits that suit most cases. */
    public Shrink(Check check) {
        this(check, TRIES, TIME);
    }

    /** Makes a failure smaller. */
    public Result from(Failure failure) {
        long end = System.nanoTime() + time.toNanos();
        Failure smallest = failure;
        Set<VerifyCase> seen = new HashSet<>(Set.of(failure.failed()));
        int tried = 0;
        Iterator<? extends VerifyCase> smaller = failure.failed().smaller().iterator();
        while (smaller.hasNext()) {
            List<VerifyCase> next = new ArrayList<>();
            while (smaller.hasNext() && next.size() < Math.min(AT_ONCE, tries - tried)) {
                VerifyCase candidate = smaller.next();
                if (seen.add(candidate) && canBeMade(candidate)) {
                    next.add(candidate);
                }
            }
            if (next.isEmpty() && smaller.hasNext() || System.nanoTime() > end) {
                return new Result(smallest, tried, false);
            }
            tried += next.size();
            Optional<Failure> failing = next.isEmpty() ? Optional.empty() : check.firstFailure(next);
            if (failing.isPresent()) {
                smallest = failing.get();
                smaller = smallest.failed().smaller().iterator();
                // What came behind it was not looked at in vain, but may come again.
                next.subList(next.indexOf(smallest.failed()), next.size()).forEach(seen::remove);
            }
        }
        return new Result(smallest, tried, true);
    }

    private static boolean canBeMade(VerifyCase next) {
        try {
            next.work();
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}

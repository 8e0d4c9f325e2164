package dev.tilewright.verify;

import java.time.Duration;
import java.util.HashSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Goes from a case that fails to the smallest that still does: takes the first of the smaller cases that fails, and begins
 * anew from there, until none does or a limit is reached.
 *
 * @param check runs a case and says what is wrong with it, or nothing; what it throws counts as wrong
 * @param tries how many cases are run at most
 * @param time after which no further case is begun
 */
public record Shrink(Function<VerifyCase, Optional<String>> check, int tries, Duration time) {
    /** Enough for the cases that are drawn, and short beside a run of thousands. */
    public static final int TRIES = 500;
    public static final Duration TIME = Duration.ofSeconds(30);

    public Shrink {
        Objects.requireNonNull(check, "check");
        Objects.requireNonNull(time, "time");
        if (tries < 0) {
            throw new IllegalArgumentException("the tries must be at least 0, got " + tries);
        }
    }

    /** With limits that suit most cases. */
    public Shrink(Function<VerifyCase, Optional<String>> check) {
        this(check, TRIES, TIME);
    }

    /**
     * What was found.
     *
     * @param smallest of the cases that failed @param complaint what is wrong with it
     * @param tried how many cases were run
     * @param complete whether none of the smaller cases fails, so that it is as small as it gets
     */
    public record Result(VerifyCase smallest, String complaint, int tried, boolean complete) {
    }

    /** @param complaint what is wrong with the case */
    public Result from(VerifyCase failing, String complaint) {
        Objects.requireNonNull(failing, "failing");
        Objects.requireNonNull(complaint, "complaint");
        long end = System.nanoTime() + time.toNanos();
        VerifyCase smallest = failing;
        String wrong = complaint;
        Set<VerifyCase> seen = new HashSet<>(Set.of(failing));
        int tried = 0;
        boolean found = true;
        while (found) {
            found = false;
            for (VerifyCase next : smallest.smaller()) {
                if (!seen.add(next) || !canBeMade(next)) {
                    continue;
                }
                if (tried >= tries || System.nanoTime() > end) {
                    return new Result(smallest, wrong, tried, false);
                }
                tried++;
                Optional<String> complaintOfNext = complaint(next);
                if (complaintOfNext.isPresent()) {
                    smallest = next;
                    wrong = complaintOfNext.get();
                    found = true;
                    break;
                }
            }
        }
        return new Result(smallest, wrong, tried, true);
    }

    private static boolean canBeMade(VerifyCase next) {
        try {
            next.work();
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private Optional<String> complaint(VerifyCase next) {
        try {
            return check.apply(next);
        } catch (RuntimeException e) {
            return Optional.of(e.toString());
        }
    }
}

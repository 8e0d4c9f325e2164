package dev.tilewright.builder.pipeline;

import dev.tilewright.NotNull;
import dev.tilewright.program.Body;
import dev.tilewright.program.Warp;
import dev.tilewright.program.expression.Expr.Builtin;
import dev.tilewright.program.expression.Expr;
import java.util.function.Consumer;

/**
 * Threads of a block with consecutive numbers that share a role, such as loading or computing.
 *
 * @param first the number of the first one, counted along x first
 * @param count how many they are
 */
public record ThreadRange(int first, int count) {
    private static final int MOST_THREADS = 1024;

    public ThreadRange {
        if (first < 0 || count < 1 || (long) first + count > MOST_THREADS) {
            throw new IllegalArgumentException("a range has 1 or more of a block's threads 0 to " + (MOST_THREADS - 1)
                    + ", got " + count + " from " + first + " on");
        }
    }

    /** The first threads of a block, or all of them. */
    public static ThreadRange first(int count) {
        return new ThreadRange(0, count);
    }

    /** One thread. */
    public static ThreadRange thread(int number) {
        return new ThreadRange(number, 1);
    }

    /**
     * One whole warp.
     *
     * @param number 0 for threads 0 to 31
     */
    public static ThreadRange warp(int number) {
        return warps(number, 1);
    }

    /**
     * Whole warps.
     *
     * @param first the number of the first one
     * @param count how many they are
     */
    public static ThreadRange warps(int first, int count) {
        if (first < 0 || count < 1 || first > MOST_THREADS / Warp.LANES || count > MOST_THREADS / Warp.LANES) {
            throw new IllegalArgumentException("a range has 1 or more of a block's warps 0 to "
                    + (MOST_THREADS / Warp.LANES - 1) + ", got " + count + " from " + first + " on");
        }
        return new ThreadRange(Warp.LANES * first, Warp.LANES * count);
    }

    /** Whether they are whole warps. */
    public boolean isWarps() {
        return first % Warp.LANES == 0 && count % Warp.LANES == 0;
    }

    /**
     * How many warps they are.
     *
     * @throws IllegalArgumentException if they are not whole warps
     */
    public int warps() {
        requireWarps("counting warps");
        return count / Warp.LANES;
    }

    /** Refuses what only whole warps can do. */
    void requireWarps(String what) {
        if (!isWarps()) {
            throw new IllegalArgumentException(what + " takes whole warps, whose first thread and count are multiples "
                    + "of " + Warp.LANES + ", got " + this);
        }
    }

    /** Whether a thread is one of them. */
    public Expr contains() {
        if (count == 1) {
            return isFirst();
        }
        Expr below = Builtin.THREAD_NUMBER.lessThan(first + count);
        if (first == 0) {
            return below;
        }
        Expr notBefore = Builtin.THREAD_NUMBER.atLeast(first);
        return first + count == MOST_THREADS ? notBefore : notBefore.and(below);
    }

    /** Whether a thread is the first of them. */
    public Expr isFirst() {
        return Builtin.THREAD_NUMBER.isEqualTo(first);
    }

    /** A thread's number among them, from 0 on. */
    public Expr number() {
        return Builtin.THREAD_NUMBER.minus(first);
    }

    /** A thread's number within its warp. */
    static Expr lane() {
        return Builtin.THREAD_NUMBER.bitAnd(Warp.LANES - 1);
    }

    /** Adds steps for these threads alone. */
    public void only(Body body, Consumer<Body> code) {
        NotNull.all("body, code", body, code);
        body.when(contains(), code);
    }

    /** Adds steps for the first of these threads alone. */
    public void one(Body body, Consumer<Body> code) {
        NotNull.all("body, code", body, code);
        body.when(isFirst(), code);
    }

    @Override
    public String toString() {
        return count == 1 ? "thread " + first : "threads " + first + " to " + (first + count - 1);
    }
}

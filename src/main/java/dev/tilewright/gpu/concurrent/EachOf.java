package dev.tilewright.gpu.concurrent;

import java.util.Collection;

/** Does several things, whatever becomes of each: what has to be given back is, though some of it fails. */
public final class EachOf {
    private EachOf() { }

    /** Does all of them, in order. @throws RuntimeException the first failure, once all have been done */
    public static void run(Collection<? extends Runnable> all) {
        RuntimeException first = null;
        for (Runnable one : all) {
            first = failureOf(one, first);
        }
        if (first != null) {
            throw first;
        }
    }

    /** Does all of them, in order, because of a failure that is what matters: the first of theirs is noted in it. */
    public static void run(Collection<? extends Runnable> all, Throwable because) {
        try {
            run(all);
        } catch (RuntimeException e) {
            because.addSuppressed(e);
        }
    }

    /** Does one. @return the earlier failure, or else its own, or null */
    public static RuntimeException failureOf(Runnable one, RuntimeException earlier) {
        try {
            one.run();
            return earlier;
        } catch (RuntimeException e) {
            return earlier == null ? e : earlier;
        }
    }
}

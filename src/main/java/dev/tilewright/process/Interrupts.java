package dev.tilewright.process;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * Signals that end all processes of a terminal alike, such as Ctrl-C's: one that is waited for may be gone before this
 * process knows that it is to end, too.
 */
public final class Interrupts {
    /** What tells of a process that was killed: this and the signal's number. */
    private static final int KILLED = 128;
    private static final int HUP = 1;
    private static final int INT = 2;
    private static final int TERM = 15;
    /** Until a busy machine has told this process, too. */
    private static final Duration LONG = Duration.ofSeconds(10);
    private static final Duration SHORT = Duration.ofMillis(100);
    private static final Duration LOOK = Duration.ofMillis(10);

    private Interrupts() { }

    /** Whether this number is of a signal that others have been sent, too. */
    public static boolean isSignal(int signal) {
        return signal == HUP || signal == INT || signal == TERM;
    }

    /** Whether such a signal has ended a process. @param code its exit code */
    public static boolean isExitCode(int code) {
        return isSignal(code - KILLED);
    }

    /**
     * Waits a little for the news that the work is to end.
     *
     * @param likely whether it is to be expected: it is waited for longer
     * @param stopped whether the news has come
     * @return whether it has
     * @throws InterruptedException if the thread is interrupted
     */
    public static boolean await(boolean likely, BooleanSupplier stopped) throws InterruptedException {
        long until = System.nanoTime() + (likely ? LONG : SHORT).toNanos();
        while (!stopped.getAsBoolean()) {
            if (System.nanoTime() - until > 0) {
                return false;
            }
            Thread.sleep(LOOK);
        }
        return true;
    }
}

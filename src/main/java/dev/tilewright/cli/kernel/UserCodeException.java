package dev.tilewright.cli.kernel;

import java.util.Arrays;
import java.util.Set;

/** Code of the user's own that the command ran has failed: where, down to the user's own line. */
public final class UserCodeException extends RuntimeException {
    private static final long serialVersionUID = 1;
    /** Of a recursion that does not end all are alike. */
    private static final int MOST_FRAMES = 40;

    /**
     * A failure with its trace down to the last line of what was called.
     *
     * @param member what was called, such as {@code my.Kernels#softmax}
     * @param cause what it ended with
     * @param entry classes that the command called into
     */
    public UserCodeException(String member, Throwable cause, Set<String> entry) {
        super(text(member, cause, entry), cause);
    }

    private static String text(String member, Throwable cause, Set<String> entry) {
        StackTraceElement[] trace = cause.getStackTrace();
        int last = trace.length - 1;
        while (last >= 0 && !entry.contains(trace[last].getClassName())) {
            last--;
        }
        StringBuilder text = new StringBuilder("--program " + member + " failed: " + cause);
        // Without a line of the user's all of it says more than nothing.
        Arrays.stream(trace, 0, last < 0 ? trace.length : last + 1).limit(MOST_FRAMES)
                .forEach(frame -> text.append("\n    at ").append(frame));
        return text.toString();
    }
}

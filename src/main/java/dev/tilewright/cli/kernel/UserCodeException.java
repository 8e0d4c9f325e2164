package dev.tilewright.cli.kernel;

import java.util.Arrays;
import java.util.List;

/** Code of the user's own that the command ran has failed: with what, and in which of the user's own lines. */
public final class UserCodeException extends RuntimeException {
    private static final long serialVersionUID = 1;
    /** Of a recursion that does not end all are alike. */
    private static final int MOST_FRAMES = 40;

    /**
     * A failure with the lines of its trace that are the user's.
     *
     * @param member what was called, such as {@code --program my.Kernels#softmax}
     * @param cause what it ended with
     * @param loader the name of the class loader of the user's own classes
     */
    public UserCodeException(String member, Throwable cause, String loader) {
        super(text(member, cause, loader), cause);
    }

    private static String text(String member, Throwable cause, String loader) {
        StackTraceElement[] trace = cause.getStackTrace();
        List<StackTraceElement> own = Arrays.stream(trace).filter(f -> loader.equals(f.getClassLoaderName())).toList();
        StringBuilder text = new StringBuilder(member + " failed: " + cause);
        // Without a line of the user's all of it says more than nothing.
        (own.isEmpty() ? List.of(trace) : own).stream().limit(MOST_FRAMES).map(UserCodeException::line)
                .forEach(frame -> text.append("\n    at ").append(frame));
        return text.toString();
    }

    /** A frame without the names of its class loader and module. */
    private static String line(StackTraceElement frame) {
        return new StackTraceElement(null, null, null, frame.getClassName(), frame.getMethodName(),
                frame.getFileName(), frame.getLineNumber()).toString();
    }
}

package dev.tilewright.tile;

import java.util.Arrays;
import java.util.Optional;

/** Adds to a refusal the line of the application's source that is refused. */
final class UserLine {
    private UserLine() { }

    /**
     * The exception with {@code (at Gemm.java:17)} in its message, or itself where an application threw it or it
     * has a line.
     */
    static RuntimeException in(RuntimeException e) {
        if (e instanceof LineException) {
            return e;
        }
        Optional<StackTraceElement> thrower = Arrays.stream(e.getStackTrace()).filter(f -> !isOfJava(f)).findFirst();
        Optional<String> line = first(e);
        return line.isEmpty() || !isInternal(thrower.orElseThrow()) || isSaid(line.get(), e) ? e : at(line.get(), e);
    }

    /** Whether the trace of a kernel within has said it. */
    private static boolean isSaid(String line, RuntimeException e) {
        return e.getMessage() != null && e.getMessage().endsWith(" (at " + line + ")");
    }

    /** The application's line that this thread is in. */
    static String here() {
        return StackWalker.getInstance().walk(frames -> frames.map(StackWalker.StackFrame::toStackTraceElement)
                .filter(f -> !isOfJava(f) && !isInternal(f)).findFirst()).map(UserLine::shown)
                .orElse("an unknown line");
    }

    private static String shown(StackTraceElement frame) {
        return frame.getFileName() + ":" + frame.getLineNumber();
    }

    private static Optional<String> first(Throwable e) {
        return Arrays.stream(e.getStackTrace()).filter(f -> !isOfJava(f) && !isInternal(f)).findFirst()
                .map(UserLine::shown);
    }

    private static RuntimeException at(String line, RuntimeException e) {
        String message = e.getMessage() + " (at " + line + ")";
        RuntimeException named = switch (e) {
            case NullPointerException _ -> new NullPointerException(message);
            case ArithmeticException _ -> new ArithmeticException(message);
            case IllegalStateException _ -> new IllegalStateException(message, e.getCause());
            case IllegalArgumentException _ -> new IllegalArgumentException(message, e.getCause());
            default -> e;
        };
        named.setStackTrace(e.getStackTrace());
        return named;
    }

    private static boolean isOfJava(StackTraceElement frame) {
        return frame.getClassName().startsWith("java.") || frame.getClassName().startsWith("jdk.");
    }

    /** Whether a frame is of the rooms that run while a kernel is traced. */
    private static boolean isInternal(StackTraceElement frame) {
        String room = frame.getClassName().substring(0, frame.getClassName().lastIndexOf('.') + 1);
        return room.equals("dev.tilewright.") || room.equals("dev.tilewright.tile.")
                || room.startsWith("dev.tilewright.program.") || room.startsWith("dev.tilewright.layout.");
    }
}

package dev.tilewright.tile;

import java.util.Arrays;
import java.util.Optional;
import java.util.Set;

/** Adds to a refusal the line of the application's source that is refused. */
final class UserLine {
    /** What looks at a kernel once it has been traced. */
    private static final Set<String> ALSO = Set.of("dev.tilewright.tile.launch.TracedKernel",
            "dev.tilewright.tile.launch.Room");

    private UserLine() { }

    /** The exception with {@code (at Gemm.java:17)} in its message, or itself where an application threw it. */
    static RuntimeException in(RuntimeException e) {
        Optional<StackTraceElement> thrower = Arrays.stream(e.getStackTrace()).filter(f -> !isOfJava(f)).findFirst();
        Optional<StackTraceElement> line = Arrays.stream(e.getStackTrace()).filter(f -> !isOfJava(f) && !isInternal(f))
                .findFirst();
        if (line.isEmpty() || !isInternal(thrower.orElseThrow())) {
            return e;
        }
        String message = e.getMessage() + " (at " + line.get().getFileName() + ":" + line.get().getLineNumber() + ")";
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
                || ALSO.contains(frame.getClassName())
                || room.startsWith("dev.tilewright.program.") || room.startsWith("dev.tilewright.layout.");
    }
}

package dev.tilewright.program;

import java.lang.StackWalker.StackFrame;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A line of Java that added a step to a program, by which a finding leads back to what a person wrote. Finding it takes
 * about a microsecond a step; {@code -Dtilewright.java-lines=false} leaves it out.
 *
 * @param file the source file's name, without its folder
 */
public record JavaLine(String file, int line) {
    public JavaLine {
        Objects.requireNonNull(file, "file");
    }

    private static final boolean WANTED = !"false".equals(System.getProperty("tilewright.java-lines"));
    private static final StackWalker STACK = StackWalker.getInstance();
    /** The classes that steps are added through: those here, and the pipelines that are built on them. */
    private static final Pattern DOORS = Pattern.compile("dev\\.tilewright\\.(program\\.(JavaLine|Body|NamedBarrier|Procedure|Warp|\\w*Step)"
            + "|builder\\.pipeline\\.\\w*(Arrival|Copy|Cursor|Overlap|Pipeline|Range|Ring|Setup|Sync|Turns))(\\$.*)?");

    /** The innermost line of the calling thread that uses one of these classes. */
    static Optional<JavaLine> ofCaller() {
        return WANTED ? STACK.walk(frames -> frames.filter(JavaLine::isCaller).findFirst())
                .filter(f -> f.getFileName() != null).map(f -> new JavaLine(f.getFileName(), f.getLineNumber()))
                : Optional.empty();
    }

    private static boolean isCaller(StackFrame frame) {
        return !DOORS.matcher(frame.getClassName()).matches();
    }

    /** As people write it: {@code Blur.java:17}. */
    @Override
    public String toString() {
        return file + ":" + line;
    }
}

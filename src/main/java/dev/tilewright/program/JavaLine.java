package dev.tilewright.program;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
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

    private static final Pattern LINE = Pattern.compile("(.+):(\\d{1,9})");
    private static final boolean WANTED = !"false".equals(System.getProperty("tilewright.java-lines"));
    private static final StackWalker STACK = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);
    /** The packages through which kernels add steps, with those within them. */
    private static final List<String> DOORS = List.of("dev.tilewright.program", "dev.tilewright.builder.pipeline",
            "dev.tilewright.builder.collective");
    private static final ClassValue<Boolean> WRITES_KERNELS = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            return !isOfJdk(type) && !isDoor(type);
        }
    };

    /** The line that a text such as {@code Blur.java:17} names; nothing where it names none. */
    public static Optional<JavaLine> parse(String text) {
        Matcher line = LINE.matcher(Objects.requireNonNull(text, "text"));
        return line.matches() ? Optional.of(new JavaLine(line.group(1), Integer.parseInt(line.group(2))))
                : Optional.empty();
    }

    /** The innermost line of the calling thread that is neither of the JDK nor of the classes that add steps. */
    static Optional<JavaLine> ofCaller() {
        return WANTED ? STACK.walk(frames -> frames.filter(f -> WRITES_KERNELS.get(f.getDeclaringClass())).findFirst())
                .filter(f -> f.getFileName() != null).map(f -> new JavaLine(f.getFileName(), f.getLineNumber()))
                : Optional.empty();
    }

    private static boolean isOfJdk(Class<?> type) {
        return type.getClassLoader() == null || type.getClassLoader() == ClassLoader.getPlatformClassLoader();
    }

    /** A test of a door may be in its package: it is not of the library all the same. */
    private static boolean isDoor(Class<?> type) {
        String name = type.getPackageName();
        return DOORS.stream().anyMatch(door -> name.equals(door) || name.startsWith(door + "."))
                && Objects.equals(type.getProtectionDomain().getCodeSource(),
                        JavaLine.class.getProtectionDomain().getCodeSource());
    }

    /** The line as people write it: {@code Blur.java:17}. */
    @Override
    public String toString() {
        return file + ":" + line;
    }
}

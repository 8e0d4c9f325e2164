import java.io.File;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Arrays;
import java.util.List;

/**
 * CPU time of {@link Measured} in two states of the library, both in this JVM, each with class loaders of its own: they
 * take turns of milliseconds, so that a neighbour's work on the machine slows both. Prints "WHAT PRESET BEFORE AFTER
 * RATIO", the medians of all turns and of the ratios of turns that follow each other, in microseconds a call.
 *
 * <p>Arguments: class path before, class path after, seconds of CPU time for each row, and what is measured.
 */
class Compared {
    private static final List<String> PRESETS = List.of("vector-copy", "cp-async-scale", "bulk-copy", "bulk-add",
            "tensor-copy", "tensor-scale");
    private static final List<String> ALL = List.of("emission", "check", "launch", "reference");
    private static final long TURN_NANOS = 5_000_000;
    /** CLOCK_PROCESS_CPUTIME_ID of Linux. What Java says of a process has a resolution of 10 ms. */
    private static final int CLOCK = 2;
    private static final MemorySegment TIME = Arena.global().allocate(16, 8);
    private static final MethodHandle GET_TIME = Linker.nativeLinker().downcallHandle(
            Linker.nativeLinker().defaultLookup().findOrThrow("clock_gettime"),
            FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS));

    private static long nanos() {
        try {
            if ((int) GET_TIME.invokeExact(CLOCK, TIME) != 0) {
                throw new IllegalStateException("no clock of a process's CPU time");
            }
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
        return TIME.get(ValueLayout.JAVA_LONG, 0) * 1_000_000_000 + TIME.get(ValueLayout.JAVA_LONG, 8);
    }

    private static long took(Runnable work, int calls) {
        long begin = nanos();
        for (int i = 0; i < calls; i++) {
            work.run();
        }
        return nanos() - begin;
    }

    private static Class<?> measured(String classPath) throws Exception {
        URL[] urls = Arrays.stream(classPath.split(File.pathSeparator)).map(file -> {
            try {
                return new File(file).toURI().toURL();
            } catch (java.net.MalformedURLException e) {
                throw new IllegalArgumentException(e);
            }
        }).toArray(URL[]::new);
        return new URLClassLoader(urls, ClassLoader.getPlatformClassLoader()).loadClass("Measured");
    }

    private static Runnable work(Class<?> measured, String what, String preset) throws Exception {
        Thread.currentThread().setContextClassLoader(measured.getClassLoader());
        return (Runnable) measured.getMethod("of", String.class, String.class).invoke(null, what, preset);
    }

    private static double median(double[] all, int count) {
        double[] sorted = Arrays.copyOf(all, count);
        Arrays.sort(sorted);
        return sorted[count / 2];
    }

    private static String row(Runnable before, Runnable after, long nanos) {
        // The first half warms up, and says how many calls make a turn.
        int calls = 0;
        for (long begin = nanos(); nanos() - begin < nanos / 2; calls++) {
            before.run();
            after.run();
        }
        calls = Math.toIntExact(Math.max(1, 2 * TURN_NANOS * calls / (nanos / 2)));
        double[] first = new double[100_000];
        double[] second = new double[100_000];
        double[] ratios = new double[100_000];
        int turns = 0;
        for (long begin = nanos(); turns < ratios.length && nanos() - begin < nanos / 2; turns++) {
            // Who comes first changes, as what one leaves behind, such as garbage, is paid by the other.
            if (turns % 2 == 0) {
                first[turns] = took(before, calls);
                second[turns] = took(after, calls);
            } else {
                second[turns] = took(after, calls);
                first[turns] = took(before, calls);
            }
            ratios[turns] = second[turns] / first[turns];
        }
        return "%.1f %.1f %.2f".formatted(median(first, turns) / 1e3 / calls, median(second, turns) / 1e3 / calls,
                median(ratios, turns));
    }

    public static void main(String[] args) throws Exception {
        Class<?> before = measured(args[0]);
        Class<?> after = measured(args[1]);
        long nanos = Long.parseLong(args[2]) * 1_000_000_000;
        List<String> whats = args.length > 3 ? List.of(args).subList(3, args.length) : ALL;
        for (String what : whats) {
            for (String preset : PRESETS) {
                System.out.println(what + " " + preset + " " + row(work(before, what, preset),
                        work(after, what, preset), nanos));
            }
        }
        System.exit(0);
    }
}

import dev.tilewright.builder.Presets;
import dev.tilewright.emit.CudaEmitter;
import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.layout.ElementType;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;

/**
 * CPU time of what a user waits for on a machine without a GPU: prints "WHAT PRESET MICROSECONDS" for each, the least
 * of twenty turns. Compiled against the jar that it measures, so it takes of the library only what jars of all ages
 * have. Arguments say what alone is measured.
 */
class Measured {
    private static final List<String> PRESETS = List.of("vector-copy", "cp-async-scale", "bulk-copy", "bulk-add",
            "tensor-copy", "tensor-scale");
    private static final String[] ALL = {"emission", "check", "launch", "reference"};
    private static final int TURNS = 20;
    private static final long LEAST_NANOS = 100_000_000;
    /** CLOCK_PROCESS_CPUTIME_ID of Linux. What Java says of a process has a resolution of 10 ms. */
    private static final int CLOCK = 2;
    private static final MemorySegment TIME = Arena.global().allocate(16, 8);
    private static final MethodHandle GET_TIME = Linker.nativeLinker().downcallHandle(
            Linker.nativeLinker().defaultLookup().findOrThrow("clock_gettime"),
            FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS));

    private interface Work {
        void once() throws Exception;
    }

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

    /** Microseconds of CPU time of one call, of all threads of the process. */
    private static double measured(Work work) throws Exception {
        long begin = nanos();
        int calls = 0;
        while (nanos() - begin < LEAST_NANOS) {
            work.once();
            calls++;
        }
        return (nanos() - begin) / 1e3 / calls;
    }

    private static Work launches(Gpu gpu, String preset, long rows, long columns) {
        var kernel = gpu.load(Presets.named(preset).build(ElementType.F32));
        Buffer<float[]> from = gpu.upload(new float[Math.toIntExact(rows * columns)]);
        Buffer<float[]> to = gpu.floats(Math.toIntExact(rows * columns));
        var launch = kernel.prepare(List.of(rows, columns), from, to);
        boolean scales = preset.endsWith("scale") || preset.endsWith("add");
        if (scales) {
            launch.set("scalar", 2);
        }
        return () -> {
            launch.start();
            gpu.synchronize();
        };
    }

    private static Work check(String preset) throws Exception {
        Method run = Class.forName("dev.tilewright.cli.Main").getDeclaredMethod("run", String[].class,
                PrintStream.class, PrintStream.class, boolean.class);
        run.setAccessible(true);
        PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream());
        return () -> {
            if ((int) run.invoke(null, new String[] {"check", preset}, nowhere, nowhere, false) != 0) {
                throw new AssertionError(preset + " is not clean");
            }
        };
    }

    private static Work of(Gpu gpu, String what, String preset) throws Exception {
        return switch (what) {
            case "emission" -> () -> CudaEmitter.emit(Presets.named(preset).build(ElementType.F32).program());
            case "check" -> check(preset);
            // A launch of a few tiles: what comes before and after the kernel's steps counts.
            case "launch" -> launches(gpu, preset, 8, 64);
            case "reference" -> launches(gpu, preset, 1024, 1024);
            default -> throw new AssertionError(what);
        };
    }

    public static void main(String[] args) throws Exception {
        try (Gpu gpu = Gpu.emulated()) {
            for (String what : args.length > 0 ? args : ALL) {
                double[] least = new double[PRESETS.size()];
                List<Work> works = new ArrayList<>();
                for (String preset : PRESETS) {
                    works.add(of(gpu, what, preset));
                }
                for (int turn = 0; turn < TURNS; turn++) {
                    for (int i = 0; i < least.length; i++) {
                        double took = measured(works.get(i));
                        least[i] = turn == 0 ? took : Math.min(least[i], took);
                    }
                }
                for (int i = 0; i < least.length; i++) {
                    System.out.printf("%s %s %.1f%n", what, PRESETS.get(i), least[i]);
                }
            }
        }
    }
}

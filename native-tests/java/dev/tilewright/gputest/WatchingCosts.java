package dev.tilewright.gputest;

import com.sun.management.ThreadMXBean;
import dev.tilewright.gpu.Buffer;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.Kernel;
import dev.tilewright.gpu.KernelLaunch;
import dev.tilewright.gpu.Stream;
import dev.tilewright.gpu.compile.CudaFunction;
import dev.tilewright.gpu.trace.Trace;
import dev.tilewright.program.expression.Parameter;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Locale;
import jdk.jfr.Recording;

/**
 * What it costs to be watched: a launch before any recording, during one with and without the launches' event, and
 * after, in nanoseconds and bytes allocated; and the question alone that a launch asks. A program for a GPU, not a
 * test.
 */
final class WatchingCosts {
    private static final int TIMES = 20_000;
    private static final int ROUNDS = 7;

    private WatchingCosts() { }

    private interface Work {
        void run();
    }

    public static void main(String[] args) {
        CudaFunction nothing = CudaFunction.of("nothing", "extern \"C\" __global__ void nothing(int *x) { }", 32,
                List.of(new Parameter.Pointer("x", true)));
        try (Gpu gpu = Gpu.open(); Stream stream = gpu.stream(); Kernel kernel = gpu.load(nothing);
                Buffer<int[]> x = gpu.ints(1)) {
            KernelLaunch launch = kernel.prepare().grid(1).set("x", x).on(stream);
            Work launches = () -> {
                for (int i = 0; i < TIMES; i++) {
                    launch.start();
                    if (i % 512 == 511) {
                        stream.synchronize();
                    }
                }
                stream.synchronize();
            };
            measure("no recording yet", launches);
            measure("the question, no recording yet", WatchingCosts::ask);
            try (Recording recording = new Recording()) {
                recording.disable("dev.tilewright.Launch");
                recording.start();
                measure("recording, launches not", launches);
                measure("the question, launches not recorded", WatchingCosts::ask);
                recording.enable("dev.tilewright.Launch").withoutThreshold();
                measure("recording launches", launches);
            }
            measure("after the recording", launches);
            measure("the question, after the recording", WatchingCosts::ask);
        }
    }

    private static void ask() {
        int yes = 0;
        for (int i = 0; i < TIMES; i++) {
            yes += Trace.launches() ? 1 : 0;
        }
        if (yes > 0) {
            throw new AssertionError("nobody watches");
        }
    }

    private static void measure(String what, Work work) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        double best = Double.MAX_VALUE;
        long bytes = 0;
        for (int round = 0; round < ROUNDS; round++) {
            long allocated = threads.getCurrentThreadAllocatedBytes();
            long begin = System.nanoTime();
            work.run();
            best = Math.min(best, (System.nanoTime() - begin) / (double) TIMES);
            bytes = threads.getCurrentThreadAllocatedBytes() - allocated;
        }
        System.out.printf(Locale.ROOT, "%-40s %8.1f ns, %6.2f bytes%n", what, best, bytes / (double) TIMES);
    }
}

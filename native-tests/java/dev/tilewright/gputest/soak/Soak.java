package dev.tilewright.gputest.soak;

import dev.tilewright.bench.runtime.ConcurrentRun;
import dev.tilewright.builder.VectorCopy;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.Kernel;
import dev.tilewright.gpu.Stream;
import dev.tilewright.layout.ElementType;
import dev.tilewright.program.ElementStep;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Many launches from many threads on few streams, with buffers allocated and freed, graphs replayed and sizes drawn:
 * every word is checked, and memory is read after each leg.
 *
 * <p>As a program: {@code Soak [LAUNCHES [THREADS [STREAMS [SEED]]]]}, by default a million from 16 on 4. Exit code 1
 * where a word is wrong or memory has grown.
 */
final class Soak {
    private static final VectorCopy ADD = VectorCopy.of(ElementType.U32).step(ElementStep.ADD).build();

    private Soak() {
    }

    public static void main(String[] arguments) {
        long launches = arguments.length > 0 ? Long.parseLong(arguments[0]) : 1_000_000;
        int threads = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 16;
        int streams = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 4;
        long seed = arguments.length > 3 ? Long.parseLong(arguments[3]) : 1;
        try (Gpu gpu = Gpu.open()) {
            System.out.printf("%s: %,d launches from %d threads on %d streams, seed %d%n", gpu.name(), launches,
                    threads, streams, seed);
            System.out.println(Growth.allowed());
            long begin = System.nanoTime();
            List<String> grown = Growth.of(run(gpu, new Plan(launches, threads, streams, 10, 1 << 18, seed),
                    System.out::println));
            System.out.printf("%.1f s; every word right%n", (System.nanoTime() - begin) / 1e9);
            grown.forEach(System.out::println);
            System.exit(grown.isEmpty() ? 0 : 1);
        }
    }

    /**
     * Soaks.
     *
     * @param progress is told each reading
     * @return the readings after each leg
     * @throws IllegalStateException for a wrong word
     */
    static List<Reading> run(Gpu gpu, Plan plan, Consumer<Reading> progress) {
        SplittableRandom random = new SplittableRandom(plan.seed());
        List<Stream> streams = new ArrayList<>();
        List<SoakThread> threads = new ArrayList<>();
        try (Kernel kernel = gpu.load(ADD)) {
            for (int i = 0; i < plan.streams(); i++) {
                streams.add(gpu.stream());
            }
            for (int i = 0; i < plan.threads(); i++) {
                threads.add(new SoakThread(gpu, ADD, kernel, streams, plan.mostWords(), random.split()));
            }
            List<Reading> readings = new ArrayList<>();
            long launched = 0;
            while (launched < plan.launches()) {
                long leg = Math.min(plan.launchesOfLeg(), plan.launches() - launched);
                AtomicLong left = new AtomicLong(leg);
                ConcurrentRun.run(plan.threads(), () -> left.set(0), i -> threads.get(i).run(left));
                launched += leg;
                gpu.synchronize();
                Reading reading = Reading.of(gpu, launched);
                progress.accept(reading);
                readings.add(reading);
            }
            return readings;
        } finally {
            threads.forEach(SoakThread::close);
            streams.forEach(Stream::close);
        }
    }
}

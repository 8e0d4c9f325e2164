package dev.tilewright.jmh;

import dev.tilewright.NotNull;
import dev.tilewright.gpu.Event;
import dev.tilewright.gpu.Gpu;
import dev.tilewright.gpu.Stream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.DoubleAdder;
import java.util.concurrent.atomic.LongAdder;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Times what a benchmark starts on a GPU, by CUDA events: a parameter of the benchmark's method, beside its own state.
 * With {@link DeviceTimeProfiler} the result says {@code device.time}, the microseconds of the GPU for one operation.
 *
 * {@snippet lang=java :
 * @Benchmark
 * public void scale(DeviceTime device) {
 *     device.time(stream, () -> kernel.launch(launch, stream, source, result));
 * }
 * }
 *
 * <p>Nothing waits for the work but every {@value #IN_FLIGHT}th call, for that of as many calls ago: so the GPU is kept
 * busy, and the score of a benchmark that does not wait itself is what starting costs, or what the GPU takes where that
 * is more. An iteration ends when its work has ended.
 */
@State(Scope.Thread)
public class DeviceTime {
    /** How many timed pieces of work may be under way. */
    static final int IN_FLIGHT = 64;

    /** Of all threads, since the iteration began. */
    private static final DoubleAdder MILLISECONDS = new DoubleAdder();
    private static final LongAdder TIMES = new LongAdder();

    private final Deque<Span> running = new ArrayDeque<>();
    private final Deque<Span> free = new ArrayDeque<>();

    /** Two events of a GPU. */
    private record Span(Gpu gpu, Event begin, Event end) {
        static Span of(Gpu gpu) {
            Event begin = gpu.timedEvent();
            try {
                return new Span(gpu, begin, gpu.timedEvent());
            } catch (RuntimeException | Error e) {
                begin.close();
                throw e;
            }
        }

        void close() {
            begin.close();
            end.close();
        }
    }

    /** A counter with nothing timed yet; JMH makes one for each thread. */
    public DeviceTime() {
        // JMH wants a constructor.
    }

    /**
     * Does what starts work in a stream, and counts the time from when the stream reaches it until it has ended. Only
     * for the thread that this belongs to, and not in a capture, which does nothing yet.
     *
     * @param work starts it; what it throws comes out, and nothing is counted
     * @throws IllegalStateException if the stream is being captured
     */
    public void time(Stream stream, Runnable work) {
        NotNull.all("stream, work", stream, work);
        if (stream.isCapturing()) {
            throw new IllegalStateException(stream + " is being captured, and captured work takes no time: time the"
                    + " graph's launches");
        }
        Span span = take(stream.gpu());
        boolean started = false;
        try {
            stream.record(span.begin());
            work.run();
            stream.record(span.end());
            started = true;
        } finally {
            (started ? running : free).add(span);
        }
    }

    /** Two events that nothing waits for any more. */
    private Span take(Gpu gpu) {
        if (running.size() >= IN_FLIGHT) {
            finishFirst();
        }
        Span known = free.poll();
        if (known == null || known.gpu() == gpu) {
            return known == null ? Span.of(gpu) : known;
        }
        known.close();
        return Span.of(gpu);
    }

    private void finishFirst() {
        Span first = running.remove();
        first.end().synchronize();
        MILLISECONDS.add(first.end().millisecondsSince(first.begin()));
        TIMES.increment();
        free.add(first);
    }

    /** Waits for all that was started, and gives the events back. JMH calls it when an iteration ends. */
    @TearDown(Level.Iteration)
    public void finish() {
        try {
            while (!running.isEmpty()) {
                finishFirst();
            }
        } finally {
            running.forEach(Span::close);
            free.forEach(Span::close);
            running.clear();
            free.clear();
        }
    }

    /** Forgets what was counted by now. */
    static void restart() {
        MILLISECONDS.reset();
        TIMES.reset();
    }

    /** How often something was timed, and has ended. */
    static long times() {
        return TIMES.sum();
    }

    /** Milliseconds that it took, all threads together. */
    static double milliseconds() {
        return MILLISECONDS.sum();
    }

    /** {@code device time}. */
    @Override
    public String toString() {
        return "device time";
    }
}

package dev.tilewright.bench.tune;

import dev.tilewright.builder.Schedule;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * What is made of schedules ahead, by other threads, in the order in which it is asked for first, while what came
 * before is measured: kernels that are built, compiled and loaded.
 *
 * @param <R> what is made
 */
final class MadeAhead<R> implements AutoCloseable {
    private final ExecutorService compilers;
    private final Function<Schedule, R> make;
    private final Consumer<R> unload;
    private final Map<Schedule, Future<R>> made = new LinkedHashMap<>();
    /** What is to be unloaded. */
    private final List<R> loaded = new ArrayList<>();
    private boolean closed;

    MadeAhead(ExecutorService compilers, Function<Schedule, R> make, Consumer<R> unload) {
        this.compilers = compilers;
        this.make = make;
        this.unload = unload;
    }

    /** Asks for schedules; one may be asked for several times. */
    void request(List<Schedule> schedules) {
        schedules.forEach(schedule -> made.computeIfAbsent(schedule, _ -> compilers.submit(() ->
                keep(make.apply(schedule)))));
    }

    /** What was being made when all was closed is not needed any more. */
    private R keep(R one) {
        synchronized (loaded) {
            if (!closed) {
                loaded.add(one);
                return one;
            }
        }
        unload.accept(one);
        throw new CancellationException("closed meanwhile");
    }

    /** What is made of a schedule, once it is there. @throws RuntimeException what making it threw */
    R get(Schedule schedule) {
        request(List.of(schedule));
        try {
            return made.get(schedule).get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CancellationException("the search was interrupted");
        } catch (ExecutionException e) {
            throw switch (e.getCause()) {
                case RuntimeException cause -> cause;
                case Error error -> throw error;
                default -> new IllegalStateException(e.getCause());
            };
        }
    }

    /** Unloads what is loaded; what is not begun is not begun any more. */
    @Override
    public void close() {
        made.values().forEach(one -> one.cancel(false));
        List<R> all;
        synchronized (loaded) {
            closed = true;
            all = List.copyOf(loaded);
            loaded.clear();
        }
        all.forEach(unload);
    }
}

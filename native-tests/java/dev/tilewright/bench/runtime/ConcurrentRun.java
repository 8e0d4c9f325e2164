package dev.tilewright.bench.runtime;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;

/** Runs something on several threads of the operating system at once. */
public final class ConcurrentRun {

    private ConcurrentRun() {
    }

    /**
     * Runs a body for each number from 0, and waits for all. Throws what the first to fail threw.
     *
     * @param failed called as soon as one has failed
     */
    public static void run(int threads, Runnable failed, IntConsumer body) {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        List<Thread> running = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            int number = i;
            running.add(Thread.ofPlatform().start(() -> {
                try {
                    body.accept(number);
                } catch (RuntimeException | Error e) {
                    if (failure.compareAndSet(null, e)) {
                        failed.run();
                    }
                }
            }));
        }
        try {
            for (Thread thread : running) {
                thread.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
        switch (failure.get()) {
            case null -> { }
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            case Throwable e -> throw new IllegalStateException(e);
        }
    }
}

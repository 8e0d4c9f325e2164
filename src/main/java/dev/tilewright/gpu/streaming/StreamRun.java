package dev.tilewright.gpu.streaming;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * A run of a {@link Streamer} that is under way. It has ended when nothing of it is left: no thread, no copy, no memory
 * of a GPU. Until then its sources and targets must stay open. Safe for use by several threads.
 */
public final class StreamRun implements AutoCloseable {
    private final Job job;
    private final CompletableFuture<StreamSummary> end;

    StreamRun(Job job, CompletableFuture<StreamSummary> end) {
        this.job = job;
        this.end = end;
    }

    /**
     * Asks the run to stop, and returns at once: work under way on the GPUs ends, and nothing new begins. What has been
     * written to memory or to the application's own file stays; a new file does not appear. Does nothing if it has
     * ended.
     */
    public void cancel() {
        job.cancel();
    }

    /** Whether the run has ended, normally or not. */
    public boolean isDone() {
        return end.isDone();
    }

    /**
     * Completed when it has ended: exceptionally with what went wrong, or a {@link CancellationException}. Cancelling
     * or completing this future does not touch the run: there is {@link #cancel}.
     */
    public CompletableFuture<StreamSummary> future() {
        CompletableFuture<StreamSummary> future = new CompletableFuture<>();
        end.whenComplete((summary, failure) -> {
            if (failure == null) {
                future.complete(summary);
            } else {
                future.completeExceptionally(failure);
            }
        });
        return future;
    }

    /**
     * Waits for its end. An interrupt cancels it; the end is waited for all the same, as the copies that are under way
     * use the application's memory, and the thread is interrupted again.
     *
     * @throws CancellationException if it was cancelled
     * @throws RuntimeException what went wrong: {@link dev.tilewright.gpu.device.CudaException}, {@link
     *     dev.tilewright.gpu.device.OutOfDeviceMemoryException}, {@link java.io.UncheckedIOException}, or what the step
     *     has thrown
     */
    public StreamSummary await() {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return end.get();
                } catch (InterruptedException e) {
                    interrupted = true;
                    cancel();
                } catch (CancellationException e) {
                    // The future's own says no more than that it was asked.
                    throw job.cancelled(e);
                } catch (ExecutionException e) {
                    if (e.getCause() instanceof Error error) {
                        throw error;
                    }
                    throw (RuntimeException) e.getCause();
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Cancels it if it has not ended, and waits for its end. What went wrong is not thrown here. */
    @Override
    public void close() {
        cancel();
        boolean interrupted = false;
        while (!end.isDone()) {
            try {
                end.exceptionally(_ -> null).get();
            } catch (InterruptedException e) {
                interrupted = true;
            } catch (ExecutionException e) {
                throw new IllegalStateException(e);
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** {@code run of 1000 rows, ended}. */
    @Override
    public String toString() {
        return "run of " + job.rows() + (isDone() ? ", ended" : ", under way");
    }
}

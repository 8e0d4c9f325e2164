package dev.tilewright.verify.worker;

import dev.tilewright.MissingRequirementException;
import dev.tilewright.verify.CaseSet;
import dev.tilewright.verify.CaseTimes;
import dev.tilewright.verify.CheckSummary.Outcome;
import dev.tilewright.verify.VerifyCase;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Runs one case after another in a worker of its own: what is wrong with each, whatever it does to its process. */
public final class CaseAsker implements AutoCloseable {
    private static final long PATIENCE_MILLIS = 100;

    private final SynchronousQueue<VerifyCase> asked = new SynchronousQueue<>();
    private final BlockingQueue<Optional<String>> answers = new LinkedBlockingQueue<>();
    private final BooleanSupplier interrupted;
    private final Thread thread;
    private volatile boolean closed;
    private volatile RuntimeException problem;
    private long number;

    /** @param command starts the worker @param interrupted whether to stop at once */
    public CaseAsker(ProcessBuilder command, WorkerLimits limits, BooleanSupplier interrupted) {
        this.interrupted = interrupted;
        this.thread = Thread.ofPlatform().daemon().name("asking-worker").start(() -> {
            try {
                new Worker(command, 1, limits, new Asked()).run();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (RuntimeException e) {
                problem = e;
            }
        });
    }

    /**
     * What is wrong with the case, or nothing.
     *
     * @throws MissingRequirementException if no worker can be started
     * @throws CancellationException if it was interrupted
     */
    public Optional<String> complaint(VerifyCase one) {
        try {
            boolean taken = false;
            while (thread.isAlive() || !answers.isEmpty()) {
                taken = taken || asked.offer(one, PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
                Optional<String> answer = taken ? answers.poll(PATIENCE_MILLIS, TimeUnit.MILLISECONDS) : null;
                if (answer != null) {
                    return answer;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (problem != null) {
            throw problem;
        }
        throw new CancellationException("the case was interrupted");
    }

    @Override
    public void close() {
        closed = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private final class Asked implements Worker.Work {
        @Override
        public List<List<CaseSet.Numbered>> next(int groups) {
            try {
                VerifyCase next = asked.poll(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
                return next == null ? List.of() : List.of(List.of(new CaseSet.Numbered(++number, next)));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return List.of();
            }
        }

        @Override
        public boolean isOver() {
            return closed;
        }

        @Override
        public void ended(CaseSet.Numbered numbered, Outcome outcome, String detail, double seconds) {
            answers.add(outcome == Outcome.FAILED ? Optional.of(detail) : Optional.empty());
        }

        @Override
        public boolean isStopped() {
            return interrupted.getAsBoolean();
        }

        @Override
        public CaseTimes times() {
            return new CaseTimes();
        }
    }
}

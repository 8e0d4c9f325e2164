package dev.tilewright.gpu.nvrtc.child;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Watches one compilation from a thread of its own, and ends its process when it takes more than it may, or when the
 * thread that waits for it is interrupted: that one then finds the process ended, and here why.
 */
final class CompilationWatch implements AutoCloseable {
    private static final long EVERY = 20;
    private static final long KIB = 1024;

    private final Process process;
    private final CompilerLimits limits;
    private final Thread waiting = Thread.currentThread();
    private final long end;
    private boolean done;
    private String reason;

    /** Watches what the calling thread waits for, until it is closed. */
    CompilationWatch(Process process, CompilerLimits limits) {
        this.process = process;
        this.limits = limits;
        this.end = System.nanoTime() + limits.time().toNanos();
        Thread.ofPlatform().daemon().name("tilewright-watch-of-compiler-" + process.pid()).start(this::watch);
    }

    private synchronized void watch() {
        while (!done) {
            reason = waiting.isInterrupted() ? "was not waited for: the thread that had asked for it was interrupted"
                    : System.nanoTime() - end > 0 ? limits.tooLong()
                    : memory() > limits.bytes() ? limits.tooLarge() : null;
            if (reason != null) {
                process.destroyForcibly();
                return;
            }
            try {
                wait(EVERY);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    /** Bytes of memory that the process has in use; 0 where the system does not say. */
    private long memory() {
        try {
            return Files.readAllLines(Path.of("/proc", Long.toString(process.pid()), "status")).stream()
                    .filter(line -> line.startsWith("VmRSS:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * KIB).findFirst().orElse(0);
        } catch (IOException | NumberFormatException e) {
            return 0;
        }
    }

    /** Why the process was ended, if it was. */
    synchronized Optional<String> reason() {
        return Optional.ofNullable(reason);
    }

    @Override
    public synchronized void close() {
        done = true;
        notifyAll();
    }
}

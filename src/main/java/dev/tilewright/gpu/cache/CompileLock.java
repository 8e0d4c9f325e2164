package dev.tilewright.gpu.cache;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;

/**
 * Held by the process that compiles a kernel, so that others that want the same one wait for its entry instead of
 * compiling it, too. One of a few files stands for many kernels. A process that waits too long, or cannot lock,
 * compiles: this saves work and is needed for nothing else. A process that ends has let go.
 */
final class CompileLock implements AutoCloseable {
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(60);
    private static final long PAUSE_MILLIS = 5;

    private final FileChannel channel;

    private CompileLock(FileChannel channel) {
        this.channel = channel;
    }

    /**
     * Waits until no other process compiles a kernel with this key.
     *
     * @param folder the cache's, which is there
     */
    static CompileLock of(Path folder, String key) {
        FileChannel channel = null;
        try {
            channel = FileChannel.open(folder.resolve(".lock-" + key.substring(0, 2)), StandardOpenOption.CREATE,
                    StandardOpenOption.WRITE);
            long end = System.nanoTime() + LONGEST_WAIT.toNanos();
            while (!isLocked(channel) && System.nanoTime() < end) {
                Thread.sleep(PAUSE_MILLIS);
            }
        } catch (IOException e) {
            // Compiled without.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return new CompileLock(channel);
    }

    private static boolean isLocked(FileChannel channel) throws IOException {
        try {
            FileLock lock = channel.tryLock();
            return lock != null;
        } catch (OverlappingFileLockException e) {
            // Another thread of this process, with another kernel.
            return false;
        }
    }

    @Override
    public void close() {
        if (channel != null) {
            try {
                channel.close();
            } catch (IOException e) {
                // The lock goes with the process.
            }
        }
    }
}

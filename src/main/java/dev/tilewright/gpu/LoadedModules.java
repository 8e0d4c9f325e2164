package dev.tilewright.gpu;

import dev.tilewright.program.TileProgram;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;

/**
 * The kernels that are loaded in a context: each once, however many threads ask for it at the same moment and however
 * often; unloaded when nobody uses it any more. Safe for use by several threads.
 */
final class LoadedModules {
    private final Context context;
    private final KernelImages images;
    private final Map<Object, Entry> entries = new HashMap<>();

    /** A kernel and how many use it. */
    static final class Entry {
        private final Object key;
        private final KernelSignature signature;
        private final FutureTask<KernelModule> loading;
        private int users;

        private Entry(Object key, KernelSignature signature, FutureTask<KernelModule> loading) {
            this.key = key;
            this.signature = signature;
            this.loading = loading;
        }

        KernelSignature signature() {
            return signature;
        }

        KernelModule module() {
            return loading.resultNow();
        }
    }

    LoadedModules(Context context, KernelImages images) {
        this.context = context;
        this.images = images;
    }

    KernelImages images() {
        return images;
    }

    Entry acquire(TileProgram program) {
        return acquire(program, KernelSignature.of(program), () -> images.of(program));
    }

    Entry acquire(CudaFunction function) {
        return acquire(function, KernelSignature.of(function), () -> images.of(function));
    }

    /** A function that other code has loaded: no one else's entry, and never unloaded. */
    Entry borrow(CudaFunction description, long function) {
        KernelSignature signature = KernelSignature.of(description);
        FutureTask<KernelModule> loaded = new FutureTask<>(() -> KernelModule.borrow(context, signature, function));
        loaded.run();
        if (loaded.state() == Future.State.FAILED) {
            throw rethrow(loaded.exceptionNow());
        }
        Entry entry = new Entry(new Object(), signature, loaded);
        entry.users = 1;
        return entry;
    }

    private interface Image {
        byte[] make();
    }

    private Entry acquire(Object key, KernelSignature signature, Image image) {
        Entry entry;
        synchronized (entries) {
            entry = entries.computeIfAbsent(key, _ -> new Entry(key, signature,
                    new FutureTask<>(() -> KernelModule.load(context, signature, image.make()))));
            entry.users++;
        }
        // The first to come runs it, the others wait.
        entry.loading.run();
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    entry.loading.get();
                    return entry;
                } catch (InterruptedException e) {
                    // Compiling takes a moment, and the thread that does it is not interrupted.
                    interrupted = true;
                } catch (ExecutionException e) {
                    forget(entry);
                    throw rethrow(e.getCause());
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static RuntimeException rethrow(Throwable cause) {
        if (cause instanceof Error error) {
            throw error;
        }
        return (RuntimeException) cause;
    }

    /** A kernel that did not load is tried again the next time. */
    private void forget(Entry entry) {
        synchronized (entries) {
            entries.remove(entry.key, entry);
        }
    }

    void release(Entry entry) {
        synchronized (entries) {
            entry.users--;
            if (entry.users > 0) {
                return;
            }
            entries.remove(entry.key, entry);
        }
        entry.module().unload(context, entry.signature.name());
    }
}

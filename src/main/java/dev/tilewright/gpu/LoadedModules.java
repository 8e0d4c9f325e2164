package dev.tilewright.gpu;

import dev.tilewright.program.TileProgram;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The kernels that are loaded in a context: each once, however many threads ask for it at the same moment and however
 * often. Those that nobody uses any more stay loaded, the last {@value #MOST_UNUSED} of them, as loading takes the
 * driver milliseconds and a program that opens and closes its kernel comes back for it; all go with the context. Safe
 * for use by several threads.
 */
final class LoadedModules {
    /** Kernels that stay loaded while nobody uses them. */
    static final int MOST_UNUSED = 16;

    private final Context context;
    private final KernelImages images;
    private final Map<Object, Entry> entries = new HashMap<>();
    /** Those of them that nobody uses, the one that was used last at the end. */
    private final Set<Entry> unused = new LinkedHashSet<>();
    /** Whether there is a lease that gives them back with the context. */
    private final AtomicBoolean leased = new AtomicBoolean();
    /** Whether that has ended: what nobody uses is unloaded at once. */
    private boolean ended;

    /** A kernel and how many use it. */
    static final class Entry {
        private final Object key;
        private final KernelSignature signature;
        private final FutureTask<KernelModule> loading;
        private int users;
        /** Whether somebody has set an attribute of the function, which the next to load it must not find. */
        private volatile boolean changed;

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

        private void unload(Context context) {
            module().unload(context, signature.name());
        }

        /** An attribute of the function is not as it was when it was loaded. */
        void isChanged() {
            changed = true;
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
        Compilation make();
    }

    private Entry acquire(Object key, KernelSignature signature, Image image) {
        if (leased.compareAndSet(false, true)) {
            Lease.ofContext(context, "the kernels that nobody uses", this::end);
        }
        Entry entry;
        synchronized (entries) {
            entry = entries.computeIfAbsent(key, _ -> new Entry(key, signature,
                    new FutureTask<>(() -> {
                        Compilation made = image.make();
                        return context.taking(() -> KernelModule.load(context, signature, made));
                    })));
            entry.users++;
            unused.remove(entry);
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

    /** One user less. What is unloaded is what has been unused for longest, where there are too many such. */
    void release(Entry entry) {
        Entry leaving;
        synchronized (entries) {
            entry.users--;
            if (entry.users > 0 || entries.get(entry.key) != entry) {
                // In use; or of other code, or unloaded before.
                return;
            }
            unused.add(entry);
            boolean now = entry.changed || ended || context.isClosed();
            leaving = now ? entry : unused.size() > MOST_UNUSED ? unused.iterator().next() : null;
            if (leaving == null) {
                return;
            }
            unused.remove(leaving);
            entries.remove(leaving.key);
        }
        leaving.unload(context);
    }

    /** The context goes: unloads what nobody uses. What is in use has a lease of its own. */
    private void end() {
        List<Entry> leaving;
        synchronized (entries) {
            ended = true;
            leaving = List.copyOf(unused);
            unused.clear();
            leaving.forEach(entry -> entries.remove(entry.key));
        }
        RuntimeException first = null;
        for (Entry entry : leaving) {
            try {
                entry.unload(context);
            } catch (RuntimeException e) {
                first = first == null ? e : first;
            }
        }
        if (first != null) {
            throw first;
        }
    }
}

package dev.tilewright.gpu.module;

import dev.tilewright.gpu.compile.Compilation;
import dev.tilewright.gpu.compile.CudaFunction;
import dev.tilewright.gpu.concurrent.EachOf;
import dev.tilewright.gpu.concurrent.Outcome;
import dev.tilewright.gpu.context.Context;
import dev.tilewright.gpu.context.Lease;
import dev.tilewright.program.TileProgram;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The kernels that are loaded in a context: each once, however many threads ask for it at the same moment and however
 * often. Those no longer in use stay loaded, the last {@value #MOST_UNUSED} of them, as loading takes the
 * driver milliseconds and a program that opens and closes its kernel comes back for it; all go with the context. Safe
 * for use by several threads.
 */
public final class LoadedModules {
    /** Unused kernels that stay loaded. */
    public static final int MOST_UNUSED = 16;

    private final Context context;
    private final KernelImages images;
    private final Map<Object, Entry> entries = new HashMap<>();
    /** Unused entries, least recently used first. */
    private final Set<Entry> unused = new LinkedHashSet<>();
    /** Whether there is a lease that gives them back with the context. */
    private final AtomicBoolean leased = new AtomicBoolean();
    /** Whether that has ended: what is unused is unloaded at once. */
    private boolean ended;

    /** A kernel and how many use it. */
    public static final class Entry {
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

        public KernelSignature signature() {
            return signature;
        }

        public KernelModule module() {
            return loading.resultNow();
        }

        private void unload(Context context) {
            module().unload(context, signature.name());
        }

        /** An attribute of the function is not as it was when it was loaded. */
        public void isChanged() {
            changed = true;
        }
    }

    public LoadedModules(Context context, KernelImages images) {
        this.context = context;
        this.images = images;
    }

    public KernelImages images() {
        return images;
    }

    public Entry acquire(TileProgram program) {
        return acquire(program, KernelSignature.of(program), () -> images.of(program));
    }

    public Entry acquire(CudaFunction function) {
        return acquire(function, KernelSignature.of(function), () -> images.of(function));
    }

    /** A function that other code has loaded: no one else's entry, and never unloaded. */
    public Entry borrow(CudaFunction description, long function) {
        KernelSignature signature = KernelSignature.of(description);
        FutureTask<KernelModule> loaded = new FutureTask<>(() -> KernelModule.borrow(context, signature, function));
        loaded.run();
        Outcome.of(loaded);
        Entry entry = new Entry(new Object(), signature, loaded);
        entry.users = 1;
        return entry;
    }

    private interface Image {
        Compilation make();
    }

    private Entry acquire(Object key, KernelSignature signature, Image image) {
        if (leased.compareAndSet(false, true)) {
            Lease.ofContext(context, "the unused kernels", this::end);
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
        try {
            Outcome.of(entry.loading);
            return entry;
        } catch (RuntimeException | Error e) {
            forget(entry);
            throw e;
        }
    }

    /** A kernel that did not load is tried again the next time. */
    private void forget(Entry entry) {
        synchronized (entries) {
            entries.remove(entry.key, entry);
        }
    }

    /** One user less. What is unloaded is what has been unused for longest, where there are too many such. */
    public void release(Entry entry) {
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

    /** The context goes: unloads what is unused. What is in use has a lease of its own. */
    private void end() {
        List<Entry> leaving;
        synchronized (entries) {
            ended = true;
            leaving = List.copyOf(unused);
            unused.clear();
            leaving.forEach(entry -> entries.remove(entry.key));
        }
        EachOf.run(leaving.stream().<Runnable>map(entry -> () -> entry.unload(context)).toList());
    }
}

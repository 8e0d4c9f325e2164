package dev.tilewright.gpu;

import dev.tilewright.gpu.trace.Log;
import java.lang.ref.Cleaner;

/**
 * Something that was taken from the driver and has to be given back once: when its owner is closed, or its GPU, or when
 * the garbage collector has found that the owner was forgotten, which is then reported. Safe for use by several
 * threads. Does not keep its owner alive.
 */
final class Lease {
    private static final Cleaner CLEANER = Cleaner.create();

    private final Context context;
    private final String what;
    private final Runnable release;
    private volatile boolean open = true;

    private Lease(Context context, String what, Runnable release) {
        this.context = context;
        this.what = what;
        this.release = release;
    }

    /**
     * A lease that ends with its owner.
     *
     * @param what what it is, for messages: {@code the buffer of 16 bytes}
     * @param release gives it back; must not refer to the owner
     */
    static Lease of(Object owner, Context context, String what, Runnable release) {
        Lease lease = new Lease(context, what, release);
        context.add(lease);
        CLEANER.register(owner, lease::forgotten);
        return lease;
    }

    /** The lease of a GPU itself, which is none of its own. */
    static Lease ofContext(Object owner, Context context, Runnable release) {
        Lease lease = new Lease(context, context.title(), release);
        CLEANER.register(owner, lease::forgotten);
        return lease;
    }

    /** A lease that ends with the context: of what nobody but the GPU owns. */
    static Lease ofContext(Context context, String what, Runnable release) {
        Lease lease = new Lease(context, what, release);
        context.add(lease);
        return lease;
    }

    /** What belongs to other code, and is never given back. */
    static Lease none(Context context, String what) {
        return new Lease(context, what, () -> { });
    }

    boolean isOpen() {
        return open;
    }

    /** Refuses what is closed. */
    void requireOpen() {
        if (!open) {
            throw new IllegalStateException(what + " is closed");
        }
    }

    /** Gives it back, the first time. Returns when it has been given back, by whichever thread. */
    synchronized void close() {
        if (open) {
            end();
        }
    }

    private void end() {
        open = false;
        context.calls().awaitEnd();
        try {
            release.run();
        } finally {
            context.remove(this);
        }
    }

    /** Its context lists it until it has been given back, and waits for that before it goes itself. */
    private synchronized void forgotten() {
        if (open) {
            Log.warning(what + (what.equals(context.title()) ? "" : " on " + context.title())
                    + " was never closed, and is given back now that nothing refers to it: close it when it is no"
                    + " longer needed");
            try {
                end();
            } catch (RuntimeException e) {
                Log.warning(what + " could not be given back", e);
            }
        }
    }
}

package dev.tilewright.gpu.context;

import dev.tilewright.gpu.concurrent.UseCount;
import dev.tilewright.gpu.cuda.DriverApi;
import dev.tilewright.gpu.trace.Log;
import java.lang.ref.Cleaner;
import java.util.function.Supplier;

/**
 * Something that was taken from the driver and has to be given back once: when its owner is closed, or its GPU, or when
 * the garbage collector has found that the owner was forgotten, which is then reported. Safe for use by several
 * threads. Does not keep its owner alive.
 */
public final class Lease {
    private static final Cleaner CLEANER = Cleaner.create();

    private final Context context;
    private final String what;
    private final Runnable release;
    private final UseCount uses = new UseCount();

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
    public static Lease of(Object owner, Context context, String what, Runnable release) {
        Lease lease = new Lease(context, what, release);
        context.add(lease);
        CLEANER.register(owner, lease::forgotten);
        return lease;
    }

    /** The lease of a GPU itself, which is none of its own. */
    public static Lease ofContext(Object owner, Context context, Runnable release) {
        Lease lease = new Lease(context, context.title(), release);
        CLEANER.register(owner, lease::forgotten);
        return lease;
    }

    /** A lease that ends with the context: of what only the GPU owns. */
    public static Lease ofContext(Context context, String what, Runnable release) {
        Lease lease = new Lease(context, what, release);
        context.add(lease);
        return lease;
    }

    /** What belongs to other code, and is never given back. */
    public static Lease none(Context context, String what) {
        return new Lease(context, what, () -> { });
    }

    public boolean isOpen() {
        return !uses.haveEnded();
    }

    /** Refuses what is closed. */
    public void requireOpen() {
        if (uses.haveEnded()) {
            throw closed();
        }
    }

    private IllegalStateException closed() {
        return new IllegalStateException(what + " is closed");
    }

    /**
     * Makes a call that uses it, which is not given back meanwhile; may take long.
     *
     * @return the call's result
     * @throws IllegalStateException if it is closed
     */
    public <T> T whileOpen(Supplier<T> call) {
        return uses.during(call, () -> {
            throw closed();
        });
    }

    /** Does something that uses it, which is not given back meanwhile. @throws IllegalStateException if it is closed */
    public void whileOpen(Runnable work) {
        whileOpen(() -> {
            work.run();
            return DriverApi.SUCCESS;
        });
    }

    /** Makes a call that uses it, or another if it is closed. */
    public <T> T whileOpen(Supplier<T> call, Supplier<T> otherwise) {
        return uses.during(call, otherwise);
    }

    /** Gives it back, the first time. Returns when it has been given back, by whichever thread. */
    public synchronized void close() {
        if (isOpen()) {
            end();
        }
    }

    private void end() {
        uses.refuse();
        uses.awaitEnd();
        context.calls().awaitEnd();
        try {
            release.run();
        } finally {
            context.remove(this);
        }
    }

    /** Its context lists it until it has been given back, and waits for that before it goes itself. */
    private synchronized void forgotten() {
        if (isOpen()) {
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

package dev.tilewright.gpu.trace;

import dev.tilewright.NotNull;
import java.lang.System.Logger.Level;
import java.lang.System.Logger;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * The runtime's logger, {@code dev.tilewright.gpu}: warnings, and at level DEBUG what is compiled, loaded and taken
 * from the cache.
 *
 * <p>The first question to a {@link Logger} loads the logging library, which takes 10 milliseconds and more: too long
 * for a program that starts with a kernel from the cache. So a thread of its own asks it; lines before it is there
 * wait.
 */
public final class Log {
    private static final String NAME = "dev.tilewright.gpu";
    /** Guards what follows. */
    private static final Object LOCK = new Object();
    /** Lines that wait for the logger; null before the first. */
    private static List<Supplier<String>> early;
    private static volatile boolean loaded;

    private static final class Holder {
        private static final Logger LOGGER = System.getLogger(NAME);
    }

    private Log() { }

    /** Something that the application should see to. */
    public static void warning(String text) {
        Objects.requireNonNull(text, "text");
        Holder.LOGGER.log(Level.WARNING, text);
    }

    /** Something that the application should see to, with its cause. */
    public static void warning(String text, Throwable cause) {
        NotNull.all("text, cause", text, cause);
        Holder.LOGGER.log(Level.WARNING, text, cause);
    }

    /** What is going on. @param text made only if somebody wants it, perhaps later and by another thread */
    public static void debug(Supplier<String> text) {
        Objects.requireNonNull(text, "text");
        if (loaded) {
            Holder.LOGGER.log(Level.DEBUG, text);
            return;
        }
        synchronized (LOCK) {
            if (loaded) {
                Holder.LOGGER.log(Level.DEBUG, text);
                return;
            }
            if (early == null) {
                early = new ArrayList<>();
                // No daemon: a program that ends at once still has its lines.
                Thread.ofPlatform().daemon(false).name("tilewright-log").start(Log::load);
            }
            early.add(text);
        }
    }

    private static void load() {
        Holder.LOGGER.isLoggable(Level.DEBUG);
        synchronized (LOCK) {
            early.forEach(text -> Holder.LOGGER.log(Level.DEBUG, text));
            early.clear();
            loaded = true;
        }
    }
}

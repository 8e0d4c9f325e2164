package dev.tilewright.gpu.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

/** Lines of the runtime's logger. */
class LogTest {
    private static final Logger LOGGER = Logger.getLogger("dev.tilewright.gpu");

    @Test
    void linesComeInTheirOrderAndOnlyWhereTheyAreWanted() throws InterruptedException {
        List<String> lines = new CopyOnWriteArrayList<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord line) {
                if (line.getMessage().startsWith("test ")) {
                    lines.add(line.getLevel() + " " + line.getMessage());
                }
            }

            @Override
            public void flush() { }

            @Override
            public void close() { }
        };
        Level before = LOGGER.getLevel();
        LOGGER.addHandler(handler);
        LOGGER.setUseParentHandlers(false);
        try {
            LOGGER.setLevel(Level.FINE);
            Log.debug(() -> "test a");
            Log.debug(() -> "test b");
            long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
            while (lines.size() < 2 && System.nanoTime() < deadline) {
                Thread.sleep(5);
            }
            Log.warning("test c");
            Log.warning("test d", new IllegalStateException("why"));
            LOGGER.setLevel(Level.INFO);
            Log.debug(() -> {
                throw new AssertionError("nobody wants it");
            });
            assertEquals(List.of("FINE test a", "FINE test b", "WARNING test c", "WARNING test d"), lines);
        } finally {
            LOGGER.setLevel(before);
            LOGGER.setUseParentHandlers(true);
            LOGGER.removeHandler(handler);
        }
    }
}

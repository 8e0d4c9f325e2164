package dev.tilewright.gpu;

import static org.junit.jupiter.api.Assertions.fail;

import java.lang.ref.Cleaner;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Collections of garbage that tests ask for. Each stops all tests of the JVM. */
final class Garbage {
    private static final Cleaner CLEANER = Cleaner.create();

    private Garbage() {
    }

    /** Collects until an object that nobody holds has been cleaned up, mostly once, and gives others' cleaners time. */
    static void collect() throws InterruptedException {
        CountDownLatch cleaned = new CountDownLatch(1);
        CLEANER.register(new Object(), cleaned::countDown);
        for (int tries = 0; tries < 100; tries++) {
            System.gc();
            if (cleaned.await(2, TimeUnit.SECONDS)) {
                Thread.sleep(20);
                return;
            }
        }
        fail("garbage is not collected");
    }
}

package dev.tilewright.bench.suite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Short work is done so often that one piece that had to wait is not what is told. */
class RepeatedTest {
    private int batches;

    private void batch() {
        // Longer than all that it is to take, as where the processor was another's.
        if (batches++ == 0) {
            try {
                Thread.sleep(100);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    @Test
    void aMedianIsOfManyBatchesThoughTheFirstTakesAllTheTime() {
        Repeated.micros(10, 1, this::batch);
        assertEquals(15, batches);
    }

    @Test
    void whatIsShortIsRepeatedForAWhile() {
        long start = System.nanoTime();
        Repeated.micros(20, 100, () -> batches++);
        assertTrue(System.nanoTime() - start >= 20_000_000, "it ended early");
        assertTrue(batches >= 15, batches + " batches");
    }
}

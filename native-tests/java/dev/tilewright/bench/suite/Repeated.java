package dev.tilewright.bench.suite;

import dev.tilewright.bench.result.Spread;
import java.util.stream.DoubleStream;

/** Times work that is too short to be timed once: what else the machine does in a moment would be all that is seen. */
final class Repeated {

    /** What a median needs at least: where the first batch waits for a processor, it is not the only one. */
    private static final int LEAST_BATCHES = 15;

    private Repeated() { }

    /** Runs a batch of pieces once. @return µs of a piece */
    static double once(int pieces, Runnable batch) {
        long start = System.nanoTime();
        batch.run();
        return (System.nanoTime() - start) / 1e3 / pieces;
    }

    /**
     * Runs a batch of pieces again and again for a while.
     *
     * @param millis that it takes at least
     * @param pieces of a batch
     * @return µs of a piece, in the median batch: one in which this thread had to wait for a processor does not count
     */
    static double micros(double millis, int pieces, Runnable batch) {
        DoubleStream.Builder batches = DoubleStream.builder();
        long begin = System.nanoTime();
        for (int i = 0; i < LEAST_BATCHES || System.nanoTime() - begin < millis * 1e6; i++) {
            batches.add(once(pieces, batch));
        }
        return Spread.of(batches.build().toArray()).median();
    }
}

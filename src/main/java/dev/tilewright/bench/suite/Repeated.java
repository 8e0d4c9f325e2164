package dev.tilewright.bench.suite;

import dev.tilewright.bench.result.Spread;
import java.util.stream.DoubleStream;

/** Times work that is too short to be timed once: what else the machine does in a moment would be all that is seen. */
final class Repeated {

    private Repeated() { }

    /**
     * Runs a batch of pieces again and again for a while.
     *
     * @param millis that it takes at least, at least one batch
     * @param pieces of a batch
     * @return µs of a piece, in the median batch: one in which this thread had to wait for a processor does not count
     */
    static double micros(double millis, int pieces, Runnable batch) {
        DoubleStream.Builder batches = DoubleStream.builder();
        long begin = System.nanoTime();
        long start = begin;
        do {
            batch.run();
            long end = System.nanoTime();
            batches.add((end - start) / 1e3 / pieces);
            start = end;
        } while (start - begin < millis * 1e6);
        return Spread.of(batches.build().toArray()).median();
    }
}

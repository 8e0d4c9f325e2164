package dev.tilewright.bench.result;

import java.util.Arrays;
import java.util.function.DoubleUnaryOperator;

/**
 * How samples of one figure lie.
 *
 * @param median of the samples; of an even number, the upper of the two in the middle
 * @param least of them
 * @param lowerQuartile a quarter of them are less
 * @param upperQuartile a quarter of them are more
 * @param most of them
 * @param samples how many, at least 1
 */
public record Spread(double median, double least, double lowerQuartile, double upperQuartile, double most,
        int samples) {

    public Spread {
        if (samples < 1) {
            throw new IllegalArgumentException("a spread of no samples");
        }
        if (!(least <= lowerQuartile && lowerQuartile <= median && median <= upperQuartile && upperQuartile <= most)) {
            throw new IllegalArgumentException("a spread in which the order is not kept: " + least + ", "
                    + lowerQuartile + ", " + median + ", " + upperQuartile + ", " + most);
        }
    }

    /** Of samples in any order; there is at least one. */
    public static Spread of(double... samples) {
        if (samples.length == 0) {
            throw new IllegalArgumentException("a spread of no samples");
        }
        double[] sorted = samples.clone();
        Arrays.sort(sorted);
        int last = sorted.length - 1;
        return new Spread(sorted[sorted.length / 2], sorted[0], sorted[last / 4], sorted[last - last / 4], sorted[last],
                sorted.length);
    }

    /** These figures in another measure, such as times as rates. @param other monotone, up or down */
    public Spread as(DoubleUnaryOperator other) {
        double first = other.applyAsDouble(least);
        double last = other.applyAsDouble(most);
        double lower = other.applyAsDouble(lowerQuartile);
        double upper = other.applyAsDouble(upperQuartile);
        return new Spread(other.applyAsDouble(median), Math.min(first, last), Math.min(lower, upper),
                Math.max(lower, upper), Math.max(first, last), samples);
    }

    /** Times of something in µs, as the rate at which it moves bytes, in GB/s. */
    public Spread gigabytesPerSecond(long bytes) {
        return as(micros -> bytes / micros / 1e3);
    }

    /** Times of something in µs, as the rate of its operations, in TFLOP/s. */
    public Spread teraflops(double operations) {
        return as(micros -> operations / micros / 1e6);
    }
}

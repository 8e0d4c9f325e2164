package dev.tilewright.bench.result;

/**
 * A figure divided by another of the same run and unit.
 *
 * @param of what the other is of, such as {@code cuMemcpy}, {@code C++} or {@code rating}
 * @param value the ratio
 * @param demanded what it has to be: at least that for rates, at most for times; null where nothing is demanded
 */
public record Ratio(String of, double value, Double demanded) {

    /** Whether it is what it has to be; one of which nothing is demanded is. */
    public boolean reached(Unit unit) {
        return demanded == null || (unit.isMoreBetter() ? value >= demanded : value <= demanded);
    }
}

package dev.tilewright.bench.report;

import dev.tilewright.bench.result.Unit;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Locale;

/** Numbers as reports write them for people: enough digits to tell measurements apart, and no more. */
final class Figures {
    private static final String[] SIZES = {"B", "KiB", "MiB", "GiB", "TiB"};

    private Figures() { }

    /** A measured value: from 1,000 on without decimals, below with four digits. */
    static String number(double value) {
        if (!Double.isFinite(value)) {
            return "-";
        }
        double size = Math.abs(value);
        if (size >= 1e12 || size > 0 && size < 1e-4) {
            return String.format(Locale.ROOT, "%.3e", value);
        }
        if (size >= 1000) {
            return String.format(Locale.ROOT, "%,.0f", value);
        }
        BigDecimal rounded = BigDecimal.valueOf(value).round(new MathContext(4));
        return rounded.signum() == 0 ? "0" : rounded.stripTrailingZeros().toPlainString();
    }

    /** A unit's symbol. */
    static String symbol(Unit unit) {
        return unit == Unit.MICROSECONDS ? "µs" : unit.toString();
    }

    /** One figure as a part of another. */
    static String ratio(double value) {
        return Double.isFinite(value) ? String.format(Locale.ROOT, value < 10 ? "%.3f" : "%,.1f", value) : "-";
    }

    /** One figure as a part of another, with as many digits as it takes to see on which side of a bound it is. */
    static String ratio(double value, double bound) {
        if (!Double.isFinite(value) || !Double.isFinite(bound) || value == bound) {
            return ratio(value);
        }
        int needed = Math.max(value, bound) < 10 ? 3 : 1;
        while (decimals(value, needed).equals(decimals(bound, needed))) {
            needed++;
        }
        return decimals(value, needed);
    }

    private static String decimals(double value, int decimals) {
        return new BigDecimal(value).setScale(decimals, RoundingMode.HALF_EVEN).toPlainString();
    }

    /** A number of bytes in the largest binary unit that it is at least one of. */
    static String bytes(long bytes) {
        double value = bytes;
        int unit = 0;
        while (value >= 1024 && unit < SIZES.length - 1) {
            value /= 1024;
            unit++;
        }
        return number(value) + " " + SIZES[unit];
    }
}

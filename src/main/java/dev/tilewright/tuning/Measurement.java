package dev.tilewright.tuning;

import dev.tilewright.NotNull;
import dev.tilewright.ptx.Target;
import java.time.LocalDate;

/**
 * The measurement behind a schedule. Rates count bytes read and bytes written, in GB/s (10^9 bytes), to a tenth; all
 * three are medians of turns that the sides had in alternation.
 *
 * @param gpu the GPU's name, as the driver gives it
 * @param target what kernels were compiled for
 * @param driver the NVIDIA driver's version, or {@code unknown}
 * @param date of the measurement
 * @param gigabytesPerSecond of the schedule
 * @param defaultGigabytesPerSecond of the preset as it stood
 * @param memcpyGigabytesPerSecond of cuMemcpy, on the device
 * @param turns that each side had, at least 1
 * @param candidates schedules that were measured, at least 1
 */
public record Measurement(String gpu, Target target, String driver, LocalDate date, double gigabytesPerSecond,
        double defaultGigabytesPerSecond, double memcpyGigabytesPerSecond, int turns, int candidates) {
    private static final double MOST = 1e9;

    /** @throws IllegalArgumentException if a text would not fit a line, or a number is not positive */
    public Measurement {
        NotNull.all("gpu, target, driver, date", gpu, target, driver, date);
        FieldText.requireText("a GPU's name", gpu);
        FieldText.requireText("a driver's version", driver);
        if (date.getYear() < 2000 || date.getYear() > 9999) {
            throw new IllegalArgumentException("a date is of the years 2000 to 9999, got " + date);
        }
        gigabytesPerSecond = rate(gigabytesPerSecond);
        defaultGigabytesPerSecond = rate(defaultGigabytesPerSecond);
        memcpyGigabytesPerSecond = rate(memcpyGigabytesPerSecond);
        requirePositive("turns", turns);
        requirePositive("candidates", candidates);
    }

    private static double rate(double value) {
        double rounded = Math.round(value * 10) / 10.0;
        if (!(rounded > 0 && rounded <= MOST)) {
            throw new IllegalArgumentException("a rate is from 0.1 to 1000000000 GB/s, got " + value);
        }
        return rounded;
    }

    private static void requirePositive(String what, int value) {
        if (value < 1) {
            throw new IllegalArgumentException(what + " must be at least 1, got " + value);
        }
    }

    /** The schedule's rate by that of the preset as it stood. */
    public double ratioToDefault() {
        return gigabytesPerSecond / defaultGigabytesPerSecond;
    }

    /** The schedule's rate by cuMemcpy's. */
    public double ratioToMemcpy() {
        return gigabytesPerSecond / memcpyGigabytesPerSecond;
    }
}

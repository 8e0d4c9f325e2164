package dev.tilewright.tuning;

import dev.tilewright.NotNull;
import dev.tilewright.builder.Schedule;
import dev.tilewright.ptx.Target;
import java.time.LocalDate;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The fastest schedule of a tile kernel that was found, for extents on one GPU: a line of a {@link Tuning}. Times are
 * in µs, to a tenth, medians of turns that both had in alternation.
 *
 * @param kernel what people call it: a preset with its type, or the kernel's own name
 * @param bits the first 16 hexadecimal digits of the hash of its signature: what tells it from other kernels
 * @param extents of all its dimensions, by name, each at least 1
 * @param schedule what was found fastest
 * @param gpu the GPU's name, as the driver gives it
 * @param target what kernels were compiled for
 * @param driver the NVIDIA driver's version, or {@code unknown}
 * @param date of the measurement
 * @param micros of a launch by the schedule
 * @param defaultMicros of a launch by the schedule that the lowering chooses
 * @param turns that each had, at least 1
 * @param candidates schedules that were measured, at least 1
 */
public record TunedTiles(String kernel, String bits, Map<String, Long> extents, Schedule schedule, String gpu,
        Target target, String driver, LocalDate date, double micros, double defaultMicros, int turns,
        int candidates) {
    /** Digits of a hash that a line has. */
    public static final int DIGITS = 16;

    private static final Pattern BITS = Pattern.compile("[0-9a-f]{" + DIGITS + "}");
    private static final int MOST_DIMENSIONS = 12;
    private static final double MOST_MICROS = 1e9;
    private static final int FIRST_YEAR = 2000;
    private static final int LAST_YEAR = 9999;

    /** @throws IllegalArgumentException if a text would not fit a line, or a number is not positive */
    public TunedTiles {
        NotNull.all("kernel, bits, extents, schedule, gpu, target, driver, date", kernel, bits, extents, schedule, gpu,
                target, driver, date);
        extents = Collections.unmodifiableMap(new TreeMap<>(NotNull.entries("extents", extents)));
        FieldText.requireText("a kernel's name", kernel);
        if (!BITS.matcher(bits).matches()) {
            throw new IllegalArgumentException("a kernel's bits are " + DIGITS + " hexadecimal digits, got '"
                    + FieldText.shown(bits) + "'");
        }
        if (extents.size() > MOST_DIMENSIONS) {
            throw new IllegalArgumentException("a kernel has at most " + MOST_DIMENSIONS + " dimensions, got "
                    + extents.size());
        }
        extents.forEach((name, extent) -> {
            FieldText.require("a dimension's name", name);
            if (extent < 1) {
                throw new IllegalArgumentException("an extent is at least 1, got " + name + "=" + extent);
            }
        });
        schedule.options().forEach((name, value) -> {
            FieldText.require("an option's name", name);
            FieldText.require("an option's value", value);
        });
        FieldText.requireText("a GPU's name", gpu);
        FieldText.requireText("a driver's version", driver);
        if (date.getYear() < FIRST_YEAR || date.getYear() > LAST_YEAR) {
            throw new IllegalArgumentException("a date is of the years 2000 to 9999, got " + date);
        }
        micros = time(micros);
        defaultMicros = time(defaultMicros);
        if (turns < 1 || candidates < 1) {
            throw new IllegalArgumentException("turns and candidates must be at least 1, got " + turns + " and "
                    + candidates);
        }
    }

    private static double time(double value) {
        double rounded = Math.round(value * 10) / 10.0;
        if (!(rounded > 0 && rounded <= MOST_MICROS)) {
            throw new IllegalArgumentException("a time is from 0.1 to 1000000000 us, got " + value);
        }
        return rounded;
    }

    /** How much faster than by the schedule that the lowering chooses: 1 where that is the fastest. */
    public double ratioToDefault() {
        return defaultMicros / micros;
    }

    /** The extents as users write them: {@code columns=4096 rows=32768}. */
    public String extentsText() {
        return text(extents);
    }

    static String text(Map<String, Long> extents) {
        return extents.isEmpty() ? "none" : new TreeMap<>(extents).entrySet().stream()
                .map(extent -> extent.getKey() + "=" + extent.getValue()).collect(Collectors.joining(" "));
    }

    /** Whether it is of this kernel on this GPU. */
    boolean isOf(String otherBits, String otherGpu, Target otherTarget) {
        return bits.equals(otherBits) && gpu.equals(otherGpu) && target.equals(otherTarget);
    }

    /** Whether both are about the same launch on the same GPU, so that one takes the other's place. */
    boolean replaces(TunedTiles other) {
        return isOf(other.bits, other.gpu, other.target) && extents.equals(other.extents);
    }

    /** How far other extents are from these: the sum of the ratios' logarithms. */
    double distance(Map<String, Long> others) {
        return extents.entrySet().stream().mapToDouble(extent -> Math.abs(Math.log(
                (double) others.get(extent.getKey()) / extent.getValue()))).sum();
    }
}

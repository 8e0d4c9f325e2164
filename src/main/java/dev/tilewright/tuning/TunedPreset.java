package dev.tilewright.tuning;

import dev.tilewright.NotNull;
import dev.tilewright.builder.Schedule;
import dev.tilewright.layout.ElementType;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The best schedule of a preset for arrays of one shape on one GPU: a line of a {@link Tuning}.
 *
 * @param preset its name
 * @param type of the elements
 * @param shape dimensions that it was measured with, outermost first: 1 to 5, each at least 1
 * @param schedule what was found fastest
 * @param measurement where that was found
 */
public record TunedPreset(String preset, ElementType type, List<Long> shape, Schedule schedule,
        Measurement measurement) {
    private static final int MOST_DIMENSIONS = 5;
    private static final long MOST_BYTES = 1L << 60;

    /** @throws IllegalArgumentException if the name is no word or the shape none of an array */
    public TunedPreset {
        NotNull.all("preset, type, shape, schedule, measurement", preset, type, shape, schedule, measurement);
        FieldText.require("a preset's name", preset);
        shape = List.copyOf(shape);
        bytes(type, shape);
        schedule.options().forEach((name, value) -> {
            FieldText.require("an option's name", name);
            FieldText.require("an option's value", value);
        });
    }

    /** Bytes of such an array. */
    public long bytes() {
        return bytes(type, shape);
    }

    /** The shape as users write it: {@code 65536x4096}. */
    public String shapeText() {
        return text(shape);
    }

    static String text(List<Long> shape) {
        return shape.stream().map(Object::toString).collect(Collectors.joining("x"));
    }

    /** Bytes of an array. @throws IllegalArgumentException if there is no such array */
    static long bytes(ElementType type, List<Long> shape) {
        if (shape.isEmpty() || shape.size() > MOST_DIMENSIONS) {
            throw new IllegalArgumentException("a shape has 1 to " + MOST_DIMENSIONS + " dimensions, got "
                    + shape.size());
        }
        long bytes = type.bytes();
        for (long n : shape) {
            if (n < 1) {
                throw new IllegalArgumentException("a dimension is at least 1, got " + n + " in " + text(shape));
            }
            if (n > MOST_BYTES / bytes) {
                throw new IllegalArgumentException("an array of " + text(shape) + " " + type
                        + " has more than 2^60 bytes");
            }
            bytes *= n;
        }
        return bytes;
    }

    /** Whether both are about the same arrays on the same GPU, so that one takes the other's place. */
    boolean replaces(TunedPreset other) {
        return preset.equals(other.preset) && type == other.type && shape.equals(other.shape)
                && measurement.gpu().equals(other.measurement.gpu())
                && measurement.target().equals(other.measurement.target());
    }
}

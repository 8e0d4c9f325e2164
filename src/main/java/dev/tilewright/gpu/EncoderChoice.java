package dev.tilewright.gpu;

import dev.tilewright.BadRequestException;
import dev.tilewright.ptx.Target;
import dev.tilewright.tensormap.TensorMapEncoder;
import java.util.Locale;
import java.util.Objects;

/** A choice of the encoder of tensor maps for a GPU's launches. */
public enum EncoderChoice {
    /** {@link TensorMapEncoder#java()}: the fastest, for sm_90. */
    JAVA("pure Java"),
    /** {@link DriverTensorMapEncoder}: for every GPU. */
    DRIVER("the driver"),
    /** Both, and a launch fails if they do not agree: for finding out. */
    BOTH("pure Java compared with the driver");

    /** The system property that overrides the default: {@code java}, {@code driver} or {@code both}. */
    public static final String PROPERTY = "tilewright.encoder";

    private final String title;

    EncoderChoice(String title) {
        this.title = title;
    }

    /** The encoder's name: {@link TensorMapEncoder#name()}. */
    public String title() {
        return title;
    }

    /** Java where it knows the layout, else the driver. */
    public static EncoderChoice byDefault(Target target) {
        Objects.requireNonNull(target, "target");
        return TensorMapEncoder.java().supports(target) ? JAVA : DRIVER;
    }

    /**
     * The encoder that {@link #PROPERTY} names; {@link #byDefault} if it is not set.
     *
     * @throws BadRequestException if it is set to anything else
     */
    public static EncoderChoice configured(Target target) {
        Objects.requireNonNull(target, "target");
        String value = System.getProperty(PROPERTY);
        return value == null ? byDefault(target) : parse(value);
    }

    private static EncoderChoice parse(String value) {
        return switch (value.toLowerCase(Locale.ROOT)) {
            case "java" -> JAVA;
            case "driver" -> DRIVER;
            case "both" -> BOTH;
            default -> throw new BadRequestException(
                    "system property " + PROPERTY + " must be java, driver or both, got '" + value + "'");
        };
    }

    /**
     * The encoder.
     *
     * @param driver the driver's
     */
    public TensorMapEncoder encoder(TensorMapEncoder driver) {
        Objects.requireNonNull(driver, "driver");
        return switch (this) {
            case JAVA -> TensorMapEncoder.java();
            case DRIVER -> driver;
            case BOTH -> TensorMapEncoder.comparing(TensorMapEncoder.java(), driver);
        };
    }
}

package dev.tilewright.explain.picture;

import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * How people see colours, {@code #rrggbb}, those with a kind of colour blindness among them: Machado, Oliveira and
 * Fernandes 2009, severity 1; distance: OKLab (Ottosson 2020); contrast: WCAG 2.1.
 */
public final class Sight {
    /** Two fills that are at least so far apart are told apart. */
    public static final double LEAST_DISTANCE = 0.06;
    /** Text is read that has at least this contrast. */
    public static final double LEAST_CONTRAST = 4.5;
    private static final Map<String, double[]> SIGHTS = Map.of(
            "all colours", new double[]{1, 0, 0, 0, 1, 0, 0, 0, 1},
            "protanopia", new double[]{0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882,
                -0.048116, 1.051998},
            "deuteranopia", new double[]{0.367322, 0.860646, -0.227969, 0.280085, 0.672501, 0.047413, -0.011820,
                0.042940, 0.968881},
            "tritanopia", new double[]{1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733,
                0.691367, 0.303900});

    private Sight() {
    }

    private static double[] linear(String colour) {
        return IntStream.of(1, 3, 5).mapToDouble(i -> Integer.parseInt(colour.substring(i, i + 2), 16) / 255.0)
                .map(c -> c <= 0.04045 ? c / 12.92 : Math.pow((c + 0.055) / 1.055, 2.4)).toArray();
    }

    private static double[] times(double[] matrix, double[] v) {
        return IntStream.range(0, 3).mapToDouble(i -> matrix[3 * i] * v[0] + matrix[3 * i + 1] * v[1]
                + matrix[3 * i + 2] * v[2]).toArray();
    }

    private static double[] lab(double[] seen) {
        double[] clipped = IntStream.range(0, 3).mapToDouble(i -> Math.clamp(seen[i], 0, 1)).toArray();
        double[] cones = times(new double[]{0.4122214708, 0.5363325363, 0.0514459929, 0.2119034982, 0.6806995451,
            0.1073969566, 0.0883024619, 0.2817188376, 0.6299787005}, clipped);
        return times(new double[]{0.2104542553, 0.7936177850, -0.0040720468, 1.9779984951, -2.4285922050, 0.4505937099,
            0.0259040371, 0.7827717662, -0.8086757660}, IntStream.range(0, 3).mapToDouble(i -> Math.cbrt(cones[i]))
                .toArray());
    }

    private static double luminance(String colour) {
        double[] c = linear(colour);
        return 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2];
    }

    /** The kinds of sight, without colour blindness and with each. */
    public static Set<String> all() {
        return SIGHTS.keySet();
    }

    /** How far apart two colours are for a kind of sight. */
    public static double distance(String sight, String one, String other) {
        double[] a = lab(times(SIGHTS.get(sight), linear(one)));
        double[] b = lab(times(SIGHTS.get(sight), linear(other)));
        return Math.sqrt(IntStream.range(0, 3).mapToDouble(i -> (a[i] - b[i]) * (a[i] - b[i])).sum());
    }

    /** The contrast of text on a fill. */
    public static double contrast(String text, String fill) {
        double a = luminance(text) + 0.05;
        double b = luminance(fill) + 0.05;
        return Math.max(a, b) / Math.min(a, b);
    }
}

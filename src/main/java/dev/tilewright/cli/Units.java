package dev.tilewright.cli;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Numbers as people read them. */
final class Units {
    private static final String[] NAMES = {"bytes", "KiB", "MiB", "GiB", "TiB"};

    private Units() {
    }

    static String bytes(long bytes) {
        double value = bytes;
        int unit = 0;
        while (value >= 1024 && unit < NAMES.length - 1) {
            value /= 1024;
            unit++;
        }
        return unit == 0 ? bytes + " bytes"
                : String.format(Locale.ROOT, value < 10 ? "%.1f %s" : "%.0f %s", value, NAMES[unit]);
    }

    static String shape(List<Long> shape) {
        return shape.isEmpty() ? "scalar" : shape.stream().map(Object::toString).collect(Collectors.joining("x"));
    }
}

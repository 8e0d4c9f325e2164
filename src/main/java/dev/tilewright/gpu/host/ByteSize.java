package dev.tilewright.gpu.host;

import dev.tilewright.Counted;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Numbers of bytes as people write them: {@code 512 bytes}, {@code 1.5 GiB}. A unit is 1024 of the one before. */
public final class ByteSize {

    private static final List<String> UNITS = List.of("bytes", "KiB", "MiB", "GiB", "TiB");
    private static final Pattern WRITTEN = Pattern.compile("(\\d{1,6})([KMGT]iB)");

    private ByteSize() { }

    /** In the largest unit of which there is one, with two digits or all before the point. */
    public static String of(long bytes) {
        double value = bytes;
        int unit = 0;
        while (value >= 1024 && unit < UNITS.size() - 1) {
            value /= 1024;
            unit++;
        }
        return unit == 0 ? Counted.of(bytes, "byte")
                : String.format(Locale.ROOT, value < 10 ? "%.1f %s" : "%.0f %s", value, UNITS.get(unit));
    }

    /** The bytes that {@code 40GiB} means; empty for a text of another form. */
    public static Optional<Long> parse(String text) {
        Matcher m = WRITTEN.matcher(text);
        return m.matches() ? Optional.of(Long.parseLong(m.group(1)) << 10 * UNITS.indexOf(m.group(2)))
                : Optional.empty();
    }
}

package dev.tilewright.io;

import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.commons.lang3.StringUtils;

/**
 * A value written as Python source writes a constant, as far as headers of {@code .npy} files use them (Python Language
 * Reference, "Literals" and "Atoms"). {@code toString} gives Python's spelling back, cut short where it is long, for
 * messages.
 */
sealed interface PythonLiteral {

    /** {@code 'text'} or {@code "text"}. */
    record Text(String value) implements PythonLiteral {
        @Override
        public String toString() {
            StringBuilder text = new StringBuilder("'");
            StringUtils.abbreviate(value, 40).chars().forEach(c -> text.append(printable((char) c)));
            return text.append("'").toString();
        }
    }

    /** {@code 12}, {@code -1}; of any size, as in Python. */
    record Int(BigInteger value) implements PythonLiteral {
        @Override
        public String toString() {
            return StringUtils.abbreviate(value.toString(), 40);
        }
    }

    /** {@code True}, {@code False}. */
    record Bool(boolean value) implements PythonLiteral {
        @Override
        public String toString() {
            return value ? "True" : "False";
        }
    }

    /** {@code None}. */
    record None() implements PythonLiteral {
        @Override
        public String toString() {
            return "None";
        }
    }

    /** {@code (1, 2)}, {@code (1,)}, {@code ()}. */
    record Tuple(List<PythonLiteral> items) implements PythonLiteral {
        @Override
        public String toString() {
            return StringUtils.abbreviate("(" + join(items) + (items.size() == 1 ? ",)" : ")"), 80);
        }
    }

    /** {@code [1, 2]}. */
    record Sequence(List<PythonLiteral> items) implements PythonLiteral {
        @Override
        public String toString() {
            return StringUtils.abbreviate("[" + join(items) + "]", 80);
        }
    }

    /** <code>{'key': value}</code>, in the order written. */
    record Dict(Map<String, PythonLiteral> entries) implements PythonLiteral {
        @Override
        public String toString() {
            return StringUtils.abbreviate(entries.entrySet().stream()
                    .map(e -> new Text(e.getKey()) + ": " + e.getValue())
                    .collect(Collectors.joining(", ", "{", "}")), 80);
        }
    }

    /** The character, or an escape for one that a terminal would act on or not show. */
    static String printable(char c) {
        if (c >= ' ' && c < 0x7f) {
            return String.valueOf(c);
        }
        return String.format(c < 0x100 ? "\\x%02x" : "\\u%04x", (int) c);
    }

    private static String join(List<PythonLiteral> items) {
        return items.stream().limit(16).map(PythonLiteral::toString).collect(Collectors.joining(", "))
                + (items.size() > 16 ? ", ..." : "");
    }
}

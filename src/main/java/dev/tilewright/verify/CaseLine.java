package dev.tilewright.verify;

import dev.tilewright.BadRequestException;
import dev.tilewright.builder.Schedule;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * One line that says a case: {@code kind key=value …}. It goes between apostrophes into a shell's command line as it
 * is, so a value has neither spaces nor apostrophes.
 *
 * @param fields in the order in which they are written; lines with the same fields in another order are equal
 */
public record CaseLine(String kind, Map<String, String> fields) {
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9.-]*");
    private static final Pattern VALUE = Pattern.compile("[\\x21-\\x7E&&[^']]+");

    public CaseLine {
        require(NAME, "kind", kind);
        fields.forEach((key, value) -> {
            require(NAME, "key", key);
            require(VALUE, "value of '" + key + "'", value);
        });
        fields = Collections.unmodifiableMap(new LinkedHashMap<>(fields));
    }

    /** A line without fields. */
    public CaseLine(String kind) {
        this(kind, Map.of());
    }

    private static void require(Pattern pattern, String what, String text) {
        if (!pattern.matcher(text).matches()) {
            throw new IllegalArgumentException("the " + what + " of a case's line cannot be '" + text + "'");
        }
    }

    /** The line with one more field. @param value its text, see {@link CaseFields} for how it is read again */
    public CaseLine with(String key, Object value) {
        Map<String, String> more = new LinkedHashMap<>(fields);
        if (more.put(key, value.toString()) != null) {
            throw new IllegalArgumentException("the line of a case has two fields '" + key + "'");
        }
        return new CaseLine(kind, more);
    }

    /** The line with one more field, extents such as {@code 3x16}. */
    public CaseLine with(String key, List<Long> shape) {
        return with(key, shape.stream().map(Object::toString).collect(Collectors.joining("x")));
    }

    /** The line with one more field, {@code schedule=stages=4+tile=8x32}; as it is where nothing is chosen. */
    public CaseLine with(Schedule schedule) {
        return schedule.equals(Schedule.DEFAULT) ? this
                : with(CaseFields.SCHEDULE, schedule.toString().replace(' ', '+'));
    }

    /** Reads a line. @throws BadRequestException if it is none */
    public static CaseLine parse(String text) {
        String[] words = text.strip().split("\\s+");
        try {
            CaseLine line = new CaseLine(words[0]);
            for (int i = 1; i < words.length; i++) {
                int equals = words[i].indexOf('=');
                if (equals < 0) {
                    throw new IllegalArgumentException("'" + words[i] + "' has no '='");
                }
                line = line.with(words[i].substring(0, equals), words[i].substring(equals + 1));
            }
            return line;
        } catch (IllegalArgumentException e) {
            throw new BadRequestException("'" + text + "' is no case: a case is a kind and fields, such as "
                    + "'copy preset=bulk-copy type=f32 shape=3x16', and " + e.getMessage(), e);
        }
    }

    /** What the fields are, to be read one after another. */
    public CaseFields read() {
        return new CaseFields(this);
    }

    /** The line as it is written. */
    @Override
    public String toString() {
        return fields.entrySet().stream().map(e -> " " + e.getKey() + "=" + e.getValue())
                .collect(Collectors.joining("", kind, ""));
    }
}

package dev.tilewright.verify;

import dev.tilewright.BadRequestException;
import dev.tilewright.builder.Schedule;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The fields of a case's line, read one after another; {@link #end} sees that there are no others. */
public final class CaseFields {
    static final String SCHEDULE = "schedule";

    private final CaseLine line;
    private final Map<String, String> left;

    CaseFields(CaseLine line) {
        this.line = line;
        this.left = new LinkedHashMap<>(line.fields());
    }

    /** The text of a field. */
    public String text(String key) {
        String value = left.remove(key);
        if (value == null) {
            throw new BadRequestException("the case '" + line + "' has no field '" + key + "'");
        }
        return value;
    }

    /** A field that {@code reader} reads. @param reader throws IllegalArgumentException, with why, if it cannot */
    public <T> T read(String key, Function<String, T> reader) {
        String text = text(key);
        try {
            return reader.apply(text);
        } catch (IllegalArgumentException e) {
            throw new BadRequestException("the case '" + line + "' cannot have " + key + "=" + text + ": "
                    + e.getMessage(), e);
        }
    }

    /** A whole number: decimal, or the bits of one as {@code 0xff}. */
    public long number(String key) {
        return read(key, CaseFields::number64);
    }

    /** A number from {@code least} to {@code most}. */
    public int number(String key, int least, int most) {
        return (int) within(key, least, most);
    }

    private long within(String key, long least, long most) {
        return read(key, text -> {
            long value = number64(text);
            if (value < least || value > most) {
                throw new IllegalArgumentException("it must be from " + least + " to " + most);
            }
            return value;
        });
    }

    /** The numbers of fields whose keys begin so, by the rest of these, each from {@code least} to {@code most}. */
    public Map<String, Long> numbers(String prefix, long least, long most) {
        Map<String, Long> found = new LinkedHashMap<>();
        List.copyOf(left.keySet()).stream().filter(key -> key.startsWith(prefix)).forEach(key ->
                found.put(key.substring(prefix.length()), within(key, least, most)));
        return found;
    }

    /** Extents such as {@code 3x16}, outermost first, each at least 0. */
    public List<Long> shape(String key) {
        return read(key, text -> Arrays.stream(text.split("x", -1)).map(extent -> {
            long value = number64(extent);
            if (value < 0) {
                throw new IllegalArgumentException("an extent must be at least 0, got " + value);
            }
            return value;
        }).toList());
    }

    /** One of an enum's constants, by what they call themselves. */
    public <E extends Enum<E>> E choice(String key, Class<E> type) {
        return read(key, text -> Arrays.stream(type.getEnumConstants()).filter(e -> e.toString().equals(text))
                .findFirst().orElseThrow(() -> new IllegalArgumentException("it is one of "
                        + Arrays.stream(type.getEnumConstants()).map(Object::toString)
                                .collect(Collectors.joining(", ")))));
    }

    /** What is chosen, with a plus sign for each space: {@code stages=4+tile=8x32,+2+tiles+a+block}. */
    public Schedule schedule() {
        return left.containsKey(SCHEDULE) ? read(SCHEDULE, text -> Schedule.parse(text.replace('+', ' ')))
                : Schedule.DEFAULT;
    }

    /** Refuses a line with fields that were not read. */
    public void end() {
        if (!left.isEmpty()) {
            throw new BadRequestException("the case '" + line + "' has a field '" + left.keySet().iterator().next()
                    + "', which cases of the kind '" + line.kind() + "' do not have");
        }
    }

    private static long number64(String text) {
        try {
            return text.startsWith("0x") ? Long.parseUnsignedLong(text.substring(2), 16) : Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("'" + text + "' is no whole number of 64 bits", e);
        }
    }
}

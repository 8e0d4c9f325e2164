package dev.tilewright.tuning;

import dev.tilewright.BadRequestException;
import dev.tilewright.builder.Option;
import dev.tilewright.builder.Presets;
import dev.tilewright.builder.Schedule;
import dev.tilewright.layout.ElementType;
import dev.tilewright.ptx.Target;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A table of schedules as text: a line that says so, a line for each schedule, of fields between '|'; what begins with
 * '#' is a comment. Read strictly: what is not understood is refused, with file and line.
 */
final class TuningTable {
    private static final String FIRST = "tilewright tuning ";
    private static final int VERSION = 1;
    private static final List<String> FIELDS = List.of("GPU", "target", "preset", "type", "shape", "options", "grid",
            "GB/s", "default GB/s", "cuMemcpy GB/s", "turns", "candidates", "driver", "date");
    private static final Pattern VERSION_LINE = Pattern.compile(Pattern.quote(FIRST) + "(\\d{1,9})");
    private static final Pattern RATE = Pattern.compile("\\d{1,10}\\.\\d");
    private static final Pattern COUNT = Pattern.compile("[1-9]\\d{0,8}");
    private static final Pattern SHAPE = Pattern.compile("[1-9]\\d{0,17}(x[1-9]\\d{0,17}){0,4}");

    private TuningTable() { }

    static String write(List<TunedPreset> lines) {
        List<List<String>> rows = new ArrayList<>(List.of(FIELDS));
        lines.forEach(line -> rows.add(fields(line)));
        int[] widths = new int[FIELDS.size()];
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        StringBuilder text = new StringBuilder(FIRST).append(VERSION).append('\n')
                .append("# The fastest schedules that were found, each with the measurement it comes from.\n");
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder(row == rows.getFirst() ? "# " : "  ");
            for (int i = 0; i < widths.length; i++) {
                line.append(i == 0 ? "" : " | ").append(row.get(i)).append(" ".repeat(widths[i] - row.get(i).length()));
            }
            text.append(line.toString().stripTrailing()).append('\n');
        }
        return text.toString();
    }

    private static List<String> fields(TunedPreset line) {
        Measurement m = line.measurement();
        return List.of(m.gpu(), m.target().toString(), line.preset(), line.type().toString(), line.shapeText(),
                line.schedule().optionsText(), line.schedule().gridText(), rate(m.gigabytesPerSecond()),
                rate(m.defaultGigabytesPerSecond()), rate(m.memcpyGigabytesPerSecond()), String.valueOf(m.turns()),
                String.valueOf(m.candidates()), m.driver(), m.date().toString());
    }

    private static String rate(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }

    /** Reads a table. @param name of the file, for messages */
    static Tuning read(String name, byte[] bytes) {
        String text;
        try {
            text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException e) {
            throw new BadRequestException(name + " is no table of schedules: it is not UTF-8 text", e);
        }
        String[] all = text.split("\r?\n", -1);
        requireVersion(name, all[0]);
        Map<TunedPreset, Integer> found = new HashMap<>();
        List<TunedPreset> lines = new ArrayList<>();
        for (int i = 1; i < all.length; i++) {
            String line = all[i].strip();
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            String at = name + ", line " + (i + 1) + ": ";
            TunedPreset read = line(at, line);
            for (TunedPreset before : lines) {
                if (read.replaces(before)) {
                    throw new BadRequestException(at + "line " + found.get(before)
                            + " is about the same arrays on the same GPU: remove one of them");
                }
            }
            found.put(read, i + 1);
            lines.add(read);
        }
        return Tuning.of(lines);
    }

    private static void requireVersion(String name, String first) {
        Matcher version = VERSION_LINE.matcher(first.strip());
        if (!version.matches()) {
            throw new BadRequestException(name + ", line 1: a table of schedules begins with '" + FIRST + VERSION
                    + "', got '" + Words.shown(first) + "'");
        }
        if (Integer.parseInt(version.group(1)) != VERSION) {
            throw new BadRequestException(name + ", line 1: this is a table of version " + version.group(1)
                    + ", and this library reads version " + VERSION + ": measure anew with 'tilewright tune'");
        }
    }

    private static TunedPreset line(String at, String line) {
        List<String> fields = Arrays.stream(line.split("\\|", -1)).map(String::strip).toList();
        if (fields.size() != FIELDS.size()) {
            throw new BadRequestException(at + "a schedule has " + FIELDS.size() + " fields between '|' ("
                    + String.join(", ", FIELDS) + "), got " + fields.size());
        }
        try {
            Measurement measurement = new Measurement(fields.get(0), Target.parse(word(fields, 1)), fields.get(12),
                    date(fields), rate(fields, 7), rate(fields, 8), rate(fields, 9), count(fields, 10),
                    count(fields, 11));
            Schedule schedule = Schedule.parse(fields.get(5), fields.get(6));
            requireKnown(fields.get(2), schedule.options().keySet());
            return new TunedPreset(fields.get(2), ElementType.parse(word(fields, 3)), shape(fields),
                    schedule, measurement);
        } catch (IllegalArgumentException e) {
            throw new BadRequestException(at + Words.printable(e.getMessage()), e);
        }
    }

    private static String word(List<String> fields, int field) {
        return Words.require(FIELDS.get(field), fields.get(field));
    }

    private static IllegalArgumentException wrong(List<String> fields, int field, String rule) {
        return new IllegalArgumentException(FIELDS.get(field) + " is " + rule + ", got '"
                + Words.shown(fields.get(field)) + "'");
    }

    private static double rate(List<String> fields, int field) {
        if (!RATE.matcher(fields.get(field)).matches()) {
            throw wrong(fields, field, "a number with one decimal such as 4103.5");
        }
        return Double.parseDouble(fields.get(field));
    }

    private static int count(List<String> fields, int field) {
        if (!COUNT.matcher(fields.get(field)).matches()) {
            throw wrong(fields, field, "a whole number from 1 to 999999999");
        }
        return Integer.parseInt(fields.get(field));
    }

    private static List<Long> shape(List<String> fields) {
        if (!SHAPE.matcher(fields.get(4)).matches()) {
            throw wrong(fields, 4, "1 to 5 dimensions such as 65536x4096");
        }
        return Arrays.stream(fields.get(4).split("x")).map(Long::parseLong).toList();
    }

    private static LocalDate date(List<String> fields) {
        try {
            return LocalDate.parse(fields.get(13));
        } catch (DateTimeParseException e) {
            throw wrong(fields, 13, "a date such as 2026-03-01");
        }
    }

    /** Options are those of the preset's builder; a preset that is not of this library may have any. */
    private static void requireKnown(String preset, Set<String> options) {
        Presets.CATALOG.find(preset).ifPresent(known -> {
            for (String option : options) {
                if (!known.mechanism().hasOption(option)) {
                    throw new IllegalArgumentException("options of " + preset + " are "
                            + known.mechanism().options().stream().map(Option::name).collect(Collectors.joining(", "))
                            + ", got '" + Words.shown(option) + "'");
                }
            }
        });
    }
}

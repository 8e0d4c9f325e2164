package dev.tilewright.tuning;

import dev.tilewright.BadRequestException;
import dev.tilewright.Nearest;
import dev.tilewright.builder.Option;
import dev.tilewright.builder.Presets;
import dev.tilewright.builder.Schedule;
import dev.tilewright.layout.ElementType;
import dev.tilewright.ptx.Target;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
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
    private static final Pattern SHAPE = Pattern.compile("[1-9]\\d{0,17}(x[1-9]\\d{0,17}){0,4}");

    private TuningTable() { }

    static String write(List<TunedPreset> lines, List<TunedTiles> tiles) {
        return FIRST + VERSION + "\n# The fastest schedules that were found, each with the measurement it comes from.\n"
                + block(FIELDS, lines.stream().map(TuningTable::fields).toList())
                + (tiles.isEmpty() ? "" : block(TilesLine.FIELDS, tiles.stream().map(TilesLine::fields).toList()));
    }

    /** Lines below each other, their fields too. */
    private static String block(List<String> heading, List<List<String>> lines) {
        List<List<String>> rows = new ArrayList<>(List.of(heading));
        rows.addAll(lines);
        int[] widths = new int[heading.size()];
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        StringBuilder text = new StringBuilder();
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
        Map<Record, Integer> found = new HashMap<>();
        List<TunedPreset> lines = new ArrayList<>();
        List<TunedTiles> tiles = new ArrayList<>();
        for (int i = 1; i < all.length; i++) {
            String line = all[i].strip();
            if (line.isEmpty() || line.startsWith("#")) {
                continue;
            }
            String at = name + ", line " + (i + 1) + ": ";
            List<String> fields = Arrays.stream(line.split("\\|", -1)).map(String::strip).toList();
            if (fields.getFirst().equals(TilesLine.MARK)) {
                TunedTiles read = parsed(at, () -> TilesLine.read(fields));
                requireFirst(at, tiles.stream().filter(read::replaces).findFirst(), found);
                found.put(read, i + 1);
                tiles.add(read);
            } else {
                TunedPreset read = parsed(at, () -> line(fields));
                requireFirst(at, lines.stream().filter(read::replaces).findFirst(), found);
                found.put(read, i + 1);
                lines.add(read);
            }
        }
        return Tuning.of(lines).withTiles(tiles);
    }

    private static void requireFirst(String at, Optional<? extends Record> before, Map<Record, Integer> found) {
        before.ifPresent(line -> {
            throw new BadRequestException(at + "line " + found.get(line) + " is about the same "
                    + (line instanceof TunedTiles ? "launch" : "arrays") + " on the same GPU: remove one of them");
        });
    }

    /** What a line is, whose faults are told with where it is. */
    private static <T> T parsed(String at, Supplier<T> line) {
        try {
            return line.get();
        } catch (IllegalArgumentException e) {
            throw new BadRequestException(at + FieldText.printable(e.getMessage()), e);
        }
    }

    private static void requireVersion(String name, String first) {
        Matcher version = VERSION_LINE.matcher(first.strip());
        if (!version.matches()) {
            throw new BadRequestException(name + ", line 1: a table of schedules begins with '" + FIRST + VERSION
                    + "', got '" + FieldText.shown(first) + "'");
        }
        if (Integer.parseInt(version.group(1)) != VERSION) {
            throw new BadRequestException(name + ", line 1: this is a table of version " + version.group(1)
                    + ", and this library reads version " + VERSION + ": measure anew with 'tilewright tune'");
        }
    }

    private static TunedPreset line(List<String> values) {
        Fields fields = new Fields(FIELDS, values);
        Measurement measurement = new Measurement(fields.text(0), Target.parse(fields.word(1)), fields.text(12),
                fields.date(13), fields.rate(7), fields.rate(8), fields.rate(9), fields.count(10), fields.count(11));
        Schedule schedule = Schedule.parse(fields.text(5), fields.text(6));
        requireKnown(fields.text(2), schedule.options().keySet());
        return new TunedPreset(fields.text(2), ElementType.parse(fields.word(3)), shape(fields), schedule,
                measurement);
    }

    private static List<Long> shape(Fields fields) {
        if (!SHAPE.matcher(fields.text(4)).matches()) {
            throw fields.wrong(4, "1 to 5 dimensions such as 65536x4096");
        }
        return Arrays.stream(fields.text(4).split("x")).map(Long::parseLong).toList();
    }

    /** Options are those of the preset's builder; a preset that is not of this library may have any. */
    private static void requireKnown(String preset, Set<String> options) {
        Presets.CATALOG.find(preset).ifPresent(known -> {
            for (String option : options) {
                if (!known.mechanism().hasOption(option)) {
                    throw new IllegalArgumentException("options of " + preset + " are "
                            + known.mechanism().options().stream().map(Option::name).collect(Collectors.joining(", "))
                            + ", got '" + FieldText.shown(option) + "'" + Nearest.question(option,
                            known.mechanism().options().stream().map(Option::name).toList()));
                }
            }
        });
    }
}

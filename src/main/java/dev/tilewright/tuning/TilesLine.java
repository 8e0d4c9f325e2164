package dev.tilewright.tuning;

import dev.tilewright.builder.Schedule;
import dev.tilewright.builder.TileOption;
import dev.tilewright.ptx.Target;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** The line of a tile kernel in a table of schedules: its first field says that it is one. */
final class TilesLine {
    /** The first field. No GPU has this name. */
    static final String MARK = "tile kernel";
    static final List<String> FIELDS = List.of("kind", "GPU", "target", "kernel", "bits", "extents", "options", "grid",
            "us", "default us", "turns", "candidates", "driver", "date");

    private static final Pattern EXTENT = Pattern.compile("([A-Za-z_]\\w*)=([1-9]\\d{0,17})");
    private static final String NO_EXTENTS = "none";

    private TilesLine() { }

    static List<String> fields(TunedTiles line) {
        return List.of(MARK, line.gpu(), line.target().toString(), line.kernel(), line.bits(), line.extentsText(),
                line.schedule().optionsText(), line.schedule().gridText(), time(line.micros()),
                time(line.defaultMicros()), String.valueOf(line.turns()), String.valueOf(line.candidates()),
                line.driver(), line.date().toString());
    }

    private static String time(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }

    /** @throws IllegalArgumentException if a field is not what it has to be */
    static TunedTiles read(List<String> values) {
        Fields fields = new Fields(FIELDS, values);
        Schedule schedule = Schedule.parse(fields.text(6), fields.text(7));
        TileOption.require(schedule);
        return new TunedTiles(fields.text(3), fields.text(4), extents(fields), schedule,
                fields.text(1), Target.parse(fields.word(2)), fields.text(12), fields.date(13),
                fields.rate(8), fields.rate(9), fields.count(10), fields.count(11));
    }

    private static Map<String, Long> extents(Fields fields) {
        Map<String, Long> extents = new TreeMap<>();
        if (fields.text(5).equals(NO_EXTENTS)) {
            return extents;
        }
        for (String text : fields.text(5).split(" +")) {
            var extent = EXTENT.matcher(text);
            if (!extent.matches() || extents.put(extent.group(1), Long.valueOf(extent.group(2))) != null) {
                throw fields.wrong(5, "each dimension's extent once, such as 'm=8192 n=8192 k=8192'");
            }
        }
        return extents;
    }
}

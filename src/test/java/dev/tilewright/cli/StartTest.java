package dev.tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.gpu.host.OtherJava;
import dev.tilewright.verify.draw.Kinds;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * A command does at its start what its own verb needs: all verbs are made for it, and what one of them prepared would
 * be paid by each command. Once every command made all forms of atomic operations, for {@code record}, which took it
 * half a second, and all presets, for verbs that name none, which took a quarter of one.
 */
class StartTest {
    private static final String SWIZZLE = "swizzle --mode 128B --box 16x32";
    private static final String RECORD = "record --kind nonsense --out x";
    /** Of a worker of {@code verify}, that it reads cases by. */
    private static final String KINDS = "kinds of cases";

    /** What is loaded by the end of each, from the least to the most. */
    private static final Map<String, Integer> CODES = new LinkedHashMap<>();

    static {
        CODES.put(SWIZZLE, 0);
        CODES.put("--version", 0);
        CODES.put("nonsense", 2);
        CODES.put(RECORD, 2);
        CODES.put(KINDS, 0);
    }

    private static final Pattern SAID = Pattern.compile(
            "\\[class,load\\] dev\\.tilewright\\.((?<room>[a-z.]+)\\.[\\w$]+) source:|ended (?<code>\\d): (?<line>.+)");

    /** Runs the lines, one after the other, and says between them how each ended. */
    static final class Lines {
        private Lines() { }

        public static void main(String[] args) {
            for (String line : CODES.keySet()) {
                int code = line.equals(KINDS) ? Kinds.toRead().kinds().isEmpty() ? 1 : 0
                        : Main.run(line.split(" "), System.out, System.err, false);
                System.out.println("ended " + code + ": " + line);
            }
        }
    }

    @Test
    void loadsNoMoreThanItsVerbNeeds() throws Exception {
        Process process = OtherJava.start(List.of("-Xlog:class+load:stdout:tags", "--enable-native-access=ALL-UNNAMED"),
                Lines.class);
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), out);
        Set<String> loaded = new TreeSet<>();
        Map<String, Integer> codes = new LinkedHashMap<>();
        for (Matcher said = SAID.matcher(out); said.find();) {
            if (said.group("room") != null) {
                loaded.add(said.group("room"));
                loaded.add(said.group(1));
            } else {
                codes.put(said.group("line"), Integer.valueOf(said.group("code")));
                requireNoMore(said.group("line"), loaded);
            }
        }
        assertEquals(CODES, codes, out);
    }

    /** @param loaded when the line has ended: classes, and the rooms that they are of */
    private static void requireNoMore(String line, Set<String> loaded) {
        assertTrue(loaded.contains("cli"), () -> line + ": " + loaded);
        assertEquals(!line.equals(SWIZZLE), loaded.contains("builder.Presets"), () -> line + ": " + loaded);
        // Only record loads instructions: it makes the ones that it records.
        assertEquals(line.equals(RECORD) || line.equals(KINDS), loaded.contains("ptx.memory"),
                () -> line + ": " + loaded);
        assertEquals(line.equals(KINDS), loaded.contains("verify.draw"), () -> line + ": " + loaded);
        assertTrue(Stream.of("emit", "reference", "gpu.nvrtc", "tile.kernel.TilePresets").noneMatch(loaded::contains),
                () -> line + ": " + loaded);
    }
}

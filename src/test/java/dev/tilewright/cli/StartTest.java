package dev.tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tilewright.gpu.host.OtherJava;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A command does at its start what its own verb needs: all verbs are made for it, and what one of them prepared would
 * be paid by each command. Once every command made all forms of atomic operations, for {@code record}, which took it
 * half a second.
 */
class StartTest {
    private static final Pattern LOADED =
            Pattern.compile("\\[class,load\\] (dev\\.tilewright\\.([a-z.]+)\\.[\\w.$]+) source:");

    @ParameterizedTest
    @ValueSource(strings = {"--version", "nonsense", "record --kind nonsense --out x"})
    void loadsNoMoreThanItsVerbNeeds(String line) throws Exception {
        Process process = OtherJava.start(List.of("-Xlog:class+load:stdout:tags", "--enable-native-access=ALL-UNNAMED"),
                Main.class, line.split(" "));
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(line.equals("--version") ? 0 : 2, process.waitFor(), out);
        List<String> loaded = LOADED.matcher(out).results().map(m -> m.group(2)).distinct().sorted().toList();
        assertTrue(loaded.contains("cli"), out);
        // Only record loads instructions: it makes the ones that it records.
        assertEquals(line.startsWith("record"), loaded.contains("ptx.memory"), loaded::toString);
        assertTrue(Stream.of("emit", "reference", "gpu.nvrtc", "verify.draw").noneMatch(loaded::contains),
                loaded::toString);
    }
}

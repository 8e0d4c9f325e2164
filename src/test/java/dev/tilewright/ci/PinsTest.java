package dev.tilewright.ci;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What build servers take from elsewhere is pinned: actions by commit, images by digest, plugins by version. */
class PinsTest {
    private static final Path ROOT = Path.of(System.getProperty("tilewright.root", "."));

    /** Every way in which a pin is lost: what pins, and what stands there instead. */
    private static final Map<String, String> LOSSES = Map.of(
            "@[0-9a-f]{40} # v(\\d+)\\.\\d+\\.\\d+", "@v$1",
            " # v\\d+\\.\\d+\\.\\d+", "",
            "@sha256:[0-9a-f]{64}", ":latest",
            "(?<=-plugin):\\d+(?:\\.\\d+)+(?=:)", "",
            "(?<=-plugin</artifactId>)\\s*<version>[^<]*</version>", "",
            "(?<=\": \")(?=\\d+\\.\\d+\\.\\d+\")", "^",
            "ubuntu-24\\.04$", "ubuntu-latest");

    private static Map<String, String> files() throws IOException {
        Map<String, String> files = new TreeMap<>();
        for (String folder : List.of("ci", ".ci", ".github", "scripts", "examples", "pom.xml")) {
            try (Stream<Path> all = Files.walk(ROOT.resolve(folder))) {
                for (Path file : all.filter(Files::isRegularFile).toList()) {
                    try {
                        files.put(ROOT.relativize(file).toString(), Files.readString(file));
                    } catch (MalformedInputException e) {
                        // An array, or a picture: no text.
                    }
                }
            }
        }
        return files;
    }

    @Test
    void everythingIsPinned() throws IOException {
        files().forEach((name, text) -> assertEquals(List.of(), Pins.missing(name, text), name));
    }

    /** Of each pin in these files: without it, it is missed. */
    @Test
    void eachPinThatIsLostIsSeen() throws IOException {
        int lost = 0;
        for (Map.Entry<String, String> file : files().entrySet()) {
            for (Map.Entry<String, String> loss : LOSSES.entrySet()) {
                Matcher pin = Pattern.compile(loss.getKey(), Pattern.MULTILINE).matcher(file.getValue());
                while (pin.find()) {
                    Matcher one = pin.pattern().matcher(file.getValue());
                    assertTrue(one.find(pin.start()));
                    StringBuilder without = new StringBuilder();
                    one.appendReplacement(without, loss.getValue()).appendTail(without);
                    assertFalse(Pins.missing(file.getKey(), without.toString()).isEmpty(),
                            file.getKey() + ", without " + pin.group());
                    lost++;
                }
            }
        }
        assertTrue(lost >= 40, "pins: " + lost);
    }

    /** Templates take whatever version of the library there is, so none is written into them. */
    @Test
    void templatesNameNoVersionOfTheLibrary() throws IOException {
        List<String> found = new ArrayList<>();
        files().forEach((name, text) -> {
            if (name.startsWith("ci/") && text.contains("SNAPSHOT")) {
                found.add(name);
            }
        });
        assertEquals(List.of(), found);
    }
}

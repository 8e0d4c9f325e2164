package dev.tilewright.hazard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each code has a smallest kernel that shows it, and a corrected one that is clean. */
class HazardCodesTest {

    @ParameterizedTest
    @EnumSource
    void theMistakeIsFoundAndNothingElse(HazardCode code) {
        HazardReport report = SmallMistakes.check(code, true);
        assertEquals(Set.of(code), report.codes(), report::toString);
        for (Finding f : report.findings()) {
            assertTrue(f.message().startsWith(code + ": ") && f.message().indexOf('\n') < 0, f.message());
            assertTrue(f.step() >= 1 && !f.purpose().isBlank(), f.message());
        }
    }

    @ParameterizedTest
    @EnumSource
    void theCorrectedKernelIsClean(HazardCode code) {
        HazardReport report = SmallMistakes.check(code, false);
        assertEquals(List.of(), report.findings(), report::toString);
        assertTrue(report.complete());
    }

    @ParameterizedTest
    @EnumSource
    void codesAreReadBack(HazardCode code) {
        assertEquals(code, HazardCode.parse(code.toString()));
        assertTrue(code.toString().matches("[a-z-]+") && !code.meaning().endsWith("."));
    }

    /** The page says by which rule each code is found. */
    @ParameterizedTest
    @EnumSource
    void isInTheMemoryModel(HazardCode code) throws IOException {
        requireRule(Path.of(System.getProperty("tilewright.root", ".")), code);
    }

    static void requireRule(Path root, HazardCode code) throws IOException {
        Path page = root.resolve("docs/memory-model.md");
        assertTrue(Files.readString(page).contains("`" + code + "`"), code + " is not in " + page);
    }

    @Test
    void anotherCodeIsNone() {
        assertThrows(IllegalArgumentException.class, () -> HazardCode.parse("no-such-hazard"));
    }
}

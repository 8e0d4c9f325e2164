package dev.tilewright.ptx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Targets by name, and what runs where. */
class TargetTest {

    @Property
    void everyTargetIsReadAsItIsWritten(@ForAll @IntRange(min = 1, max = 99) int major,
            @ForAll @IntRange(max = 9) int minor,
            @ForAll Target.Variant variant) {
        Target target = new Target(major, minor, variant);
        assertEquals(target, Target.parse(target.toString()));
        assertEquals(target, Target.parse(" " + target.toString().replace("sm", "COMPUTE").toUpperCase() + " "));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "90", "sm90", "sm_9", "sm_90b", "sm_90aa", "sm_1000", "sm_ 90", "sm_100g", "gfx90a",
            "sm_९०"})
    void otherWordsAreNoTargets(String text) {
        assertEquals("'" + text + "' is not a target: write it as sm_80, sm_90 or sm_90a",
                assertThrows(IllegalArgumentException.class, () -> Target.parse(text)).getMessage());
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "100, 0", "9, 10", "9, -1"})
    void otherNumbersAreNoCapabilities(int major, int minor) {
        assertEquals("no compute capability is numbered " + major + "." + minor,
                assertThrows(IllegalArgumentException.class, () -> Target.of(major, minor)).getMessage());
        assertEquals("no compute capability is numbered 0.1",
                assertThrows(IllegalArgumentException.class, () -> Target.parse("sm_01")).getMessage());
    }

    @ParameterizedTest
    @CsvSource({"sm_80, sm_80, true", "sm_86, sm_80, true", "sm_80, sm_86, false", "sm_90, sm_89, true",
            "sm_100, sm_90, true",
        "sm_90, sm_100, false", "sm_120, sm_100, true", "sm_90a, sm_90, true", "sm_90, sm_90a, false",
        "sm_90a, sm_90a, true", "sm_100a, sm_90a, false", "sm_100, sm_90a, false", "sm_90a, sm_80, true",
        "sm_100f, sm_100f, true", "sm_100a, sm_100f, true", "sm_103a, sm_100f, true", "sm_103f, sm_100f, true",
        "sm_100f, sm_103f, false", "sm_103, sm_100f, false", "sm_120f, sm_100f, false", "sm_100f, sm_100a, false"})
    void laterTargetsHaveWhatEarlierOnesHave(String target, String minimum, boolean supports) {
        assertEquals(supports, Target.parse(target).supports(Target.parse(minimum)));
    }

    @ParameterizedTest
    @CsvSource({"sm_80, 8, 0, true", "sm_80, 8, 9, true", "sm_86, 8, 0, false", "sm_80, 9, 0, false",
            "sm_90, 9, 0, true",
        "sm_90, 10, 0, false", "sm_90a, 9, 0, true", "sm_90a, 9, 1, false", "sm_90a, 10, 0, false",
        "sm_100, 10, 3, true", "sm_100f, 10, 3, true", "sm_103f, 10, 0, false"})
    void codeRunsOnItsOwnGeneration(String target, int major, int minor, boolean runs) {
        assertEquals(runs, Target.parse(target).runsOn(major, minor));
    }

    @Property
    void aDevicesOwnTargetRunsOnIt(@ForAll @IntRange(min = 1, max = 99) int major,
            @ForAll @IntRange(max = 9) int minor) {
        Target target = Target.ofDevice(major, minor);
        assertTrue(target.runsOn(major, minor));
        assertEquals(major >= 9 ? Target.Variant.ARCHITECTURE : Target.Variant.BASELINE, target.variant());
    }

    @Property
    void supportingIsAnOrderThatListingKeeps(@ForAll @IntRange(max = 11) int i, @ForAll @IntRange(max = 11) int j) {
        Target a = Target.KNOWN.get(i);
        Target b = Target.KNOWN.get(j);
        assertEquals(Integer.compare(i, j), Integer.signum(a.compareTo(b)));
        if (a.supports(b)) {
            assertTrue(a.compareTo(b) >= 0);
        }
    }

    @ParameterizedTest
    @CsvSource({"sm_80, 166912", "sm_86, 101376", "sm_89, 101376", "sm_90a, 232448", "sm_100, 232448", "sm_120, 101376",
            "sm_75, -1"})
    void sharedMemoryOfABlock(String target, int bytes) {
        assertEquals(bytes, Target.parse(target).sharedMemoryPerBlock().orElse(-1));
    }

    /** What is known of a block's shared memory is known of a multiprocessor, too. */
    @Test
    void knownCapabilities() {
        List<Target> known = Target.capabilities();
        for (int number = 10; number < 1000; number++) {
            Target target = Target.of(number / 10, number % 10);
            assertEquals(Multiprocessor.of(target).isPresent(), known.contains(target), target::toString);
        }
        assertTrue(known.containsAll(Target.KNOWN.stream().map(t -> Target.of(t.major(), t.minor())).toList()));
    }

    @Test
    void theTargetsThatAreCompiledFor() {
        assertEquals(List.of("sm_80", "sm_86", "sm_87", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_100a", "sm_103",
                "sm_103a", "sm_120", "sm_120a"), Target.KNOWN.stream().map(Target::toString).toList());
    }
}

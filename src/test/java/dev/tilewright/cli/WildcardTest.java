package dev.tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.tilewright.BadRequestException;
import dev.tilewright.cli.option.Wildcard;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WildcardTest {

    @ParameterizedTest
    @CsvSource({"tensor-*, tensor-copy, true", "*, anything, true", "Tensor-Copy, tensor-copy, true",
            "tensor, tensor-copy, false", "*copy, tensor-copy, true", "*o*o*y, tensor-copy, true",
                    "*o*o*o*, tensor-copy, false", "t?nsor-copy, tensor-copy, true",
            "?, ab, false", "'{bulk,tensor}-copy', bulk-copy, true", "'{bulk,tensor}-{add,copy}', tensor-add, true",
            "'{bulk,tensor}-{add,copy}', tensor-adds, false", "'a{b,{c,d}e}f', adef, true", "**a**, bab, true",
            "'', a, false", "a.b, axb, false"})
    void standsForTexts(String pattern, String text, boolean matches) {
        assertEquals(matches, Wildcard.of(pattern == null ? "" : pattern).matches(text));
    }

    @ParameterizedTest
    @CsvSource({"mbarrier.arrive, mbarrier.arrive.expect_tx, true", "mbarrier.arr, mbarrier.arrive, false",
            "*arr*, mbarrier.arrive, true", "cp.*.tensor, cp.async.bulk.tensor.2d, true",
                    "ld.shared, ld.shared::cta.b32, true", "l?, ld, false"})
    void standsForOpcodesUpToAQualifier(String pattern, String opcode, boolean matches) {
        assertEquals(matches, Wildcard.ofStars(pattern).matchesUpToQualifier(opcode));
    }

    @Test
    void noPatternTakesLong() {
        assertTimeoutPreemptively(Duration.ofMinutes(1), () -> {
            for (String part : new String[] {"*", "*a", "*?", "a*"}) {
                assertEquals(false, Wildcard.of(part.repeat(500) + "!").matches("a".repeat(2000)));
            }
        });
    }

    @Test
    void bracesAreBoundedAndPaired() {
        assertEquals("the braces of a pattern may stand for at most 1000 texts",
                assertThrows(BadRequestException.class, () -> Wildcard.of("{a,b}".repeat(20))).getMessage());
        assertEquals("a brace of the pattern 'a}' has no other",
                assertThrows(BadRequestException.class, () -> Wildcard.of("a}")).getMessage());
    }
}

package dev.tilewright.emit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tilewright.Thorough;
import dev.tilewright.verify.draw.ValuePrograms;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What a kernel calls is written before it: what it needs is found by another walk through it than its text is. */
class DefinedFunctionsTest {
    private static final Pattern CALLED = Pattern.compile("value::(\\w+)\\(");
    private static final Pattern DEFINED = Pattern.compile("__forceinline__ [\\w ]+[ *](\\w+)\\(");
    private static final int PROGRAMS = Thorough.of(40, 400);

    private static Set<String> names(Pattern pattern, String text) {
        Set<String> names = new TreeSet<>();
        pattern.matcher(text).results().forEach(r -> names.add(r.group(1)));
        return names;
    }

    @Test
    void ofRandomPrograms() {
        for (long seed = 0; seed < PROGRAMS; seed++) {
            String text = CudaEmitter.emit(ValuePrograms.random(seed, true).program()).text();
            Set<String> missing = names(CALLED, text);
            missing.removeAll(names(DEFINED, text));
            assertEquals(Set.of(), missing, "seed " + seed);
        }
    }
}

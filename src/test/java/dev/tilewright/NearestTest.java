package dev.tilewright;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Optional;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.StringLength;
import org.apache.commons.text.similarity.LevenshteinDistance;
import org.junit.jupiter.api.Test;

/** What was meant by a name that is not there; distances are those of commons-text. */
class NearestTest {

    @Property(tries = 500)
    void isTheNearestByTheLibrary(@ForAll @CharRange(from = 'a', to = 'c') @StringLength(max = 6) String name,
            @ForAll @CharRange(from = 'a', to = 'c') @StringLength(max = 6) String one,
            @ForAll @CharRange(from = 'a', to = 'c') @StringLength(max = 6) String other) {
        LevenshteinDistance distance = LevenshteinDistance.getDefaultInstance();
        String nearer = distance.apply(name, other) < distance.apply(name, one) ? other : one;
        int changed = distance.apply(name, nearer);
        assertEquals(changed <= Math.min(name.length(), nearer.length()) / 2 ? Optional.of(nearer) : Optional.empty(),
                Nearest.to(name, List.of(one, other)));
    }

    @Test
    void aQuestionIsAskedOfNearNamesOnly() {
        List<String> names = List.of("walk", "stages", "threads");
        assertEquals(": did you mean 'stages'?", Nearest.question("stage", names));
        assertEquals(": did you mean 'threads'?", Nearest.question("treads", names));
        assertEquals("", Nearest.question("wait", names));
        assertEquals("", Nearest.question("", names));
    }
}

package dev.tilewright.emit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** What things are called: never two visible ones the same, and as they want where that is free. */
class NameScopeTest {
    private static final List<String> WANTED = List.of("i", "i_2", "i_3", "x", "x_2", "max", "k");

    /** What is done to a scope: a name of the list is wanted, or a block begins (7) or ends (8). */
    @Provide
    Arbitrary<List<Integer>> actions() {
        return Arbitraries.integers().between(0, 8).list().ofMaxSize(60);
    }

    @Property(tries = 400)
    void visibleThingsHaveNamesOfTheirOwn(@ForAll("actions") List<Integer> actions) {
        NameScope scope = new NameScope(new NameScope());
        Deque<Map<Object, String>> blocks = new ArrayDeque<>();
        blocks.push(new LinkedHashMap<>());
        for (int action : actions) {
            if (action == 7) {
                scope.enter();
                blocks.push(new LinkedHashMap<>());
            } else if (action == 8) {
                if (blocks.size() > 1) {
                    scope.leave();
                    blocks.pop().keySet()
                            .forEach(gone -> assertThrows(IllegalStateException.class, () -> scope.of(gone)));
                }
            } else {
                Object thing = new Object();
                String wanted = WANTED.get(action);
                List<String> taken = blocks.stream().flatMap(b -> b.values().stream()).toList();
                String name = scope.define(thing, wanted);
                assertTrue(!taken.contains(name) && !Set.of("max", "min", "shared_memory").contains(name), name);
                // As it is wanted where that is free, else with the first number that is.
                if (taken.contains(wanted) || wanted.equals("max")) {
                    int n = 2;
                    while (taken.contains(wanted + "_" + n)) {
                        n++;
                    }
                    assertEquals(wanted + "_" + n, name);
                } else {
                    assertEquals(wanted, name);
                }
                blocks.peek().put(thing, name);
            }
            blocks.forEach(block -> block.forEach((thing, name) -> assertEquals(name, scope.of(thing))));
        }
    }

    @Example
    void aThingThatIsDefinedAgainHasItsOldNameAfterwards() {
        NameScope scope = new NameScope();
        scope.define("thing", "i");
        scope.enter();
        assertEquals("i_2", scope.define("thing", "i"));
        assertEquals("i_3", scope.define("thing", "i"));
        scope.leave();
        assertEquals("i", scope.of("thing"));
    }

    @Example
    void aFunctionSeesWhatStandsOutside() {
        NameScope file = new NameScope();
        file.define("constant", "stages");
        assertEquals("ptx_2", file.define("procedure", "ptx"));
        NameScope function = new NameScope(file);
        assertEquals("stages", function.of("constant"));
        assertEquals("stages_2", function.define("variable", "stages"));
        // A namespace is found behind a variable of its name.
        assertEquals("ptx", function.define("other", "ptx"));
        assertThrows(IllegalStateException.class, () -> file.of("variable"));
    }

    @Example
    void aReservedNameIsNobodys() {
        NameScope scope = new NameScope();
        scope.enter();
        assertEquals("polls", scope.reserve("polls"));
        assertEquals("polls_2", scope.define("thing", "polls"));
        scope.leave();
        assertEquals("polls", scope.define("later", "polls"));
    }
}

package dev.tilewright.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import dev.tilewright.cli.terminal.Json;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** How reports become text: always the same text. */
class JsonTest {

    /** Something that calls itself otherwise than its constant. */
    private enum Kind {
        ONE;

        @Override
        public String toString() {
            return "the first";
        }
    }

    private record Report(String zebra, Kind kind, List<Long> shape, Double none, Inner apple) {
    }

    private record Inner(boolean there, double value) {
    }

    private record Named(int first, @JsonAnyGetter Map<String, Inner> others) {
    }

    private static final Report REPORT = new Report("z\"", Kind.ONE, List.of(2L, 3L), null, new Inner(true, 0.5));

    @Test
    void fieldsAreTheComponentsInTheirOrder() {
        assertEquals("""
                {"zebra":"z\\"","kind":"the first","shape":[2,3],"none":null,"apple":{"there":true,"value":0.5}}""",
                Json.line(REPORT));
        assertEquals("""
                [ {
                  "zebra" : "z\\"",
                  "kind" : "the first",
                  "shape" : [ 2, 3 ],
                  "none" : null,
                  "apple" : {
                    "there" : true,
                    "value" : 0.5
                  }
                } ]""", Json.document(List.of(REPORT)));
    }

    @Test
    void fieldsNamedByTheirContentsComeAfterTheOthers() {
        assertEquals("""
                {"first":1,"a":{"there":false,"value":1.0},"b":{"there":true,"value":2.0}}""",
                Json.line(new Named(1, new TreeMap<>(Map.of("b", new Inner(true, 2), "a", new Inner(false, 1))))));
    }

    @Test
    void whatHasNoFormIsAMistakeOfThisProgram() {
        assertThrows(IllegalStateException.class, () -> Json.line(new Object()));
    }
}
